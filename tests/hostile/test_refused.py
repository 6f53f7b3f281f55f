"""Where nothing can be recorded the program runs on undisturbed, and Kymo says so once."""

import os
import resource
import subprocess

import hostile_support as hostile
import pytest
import support
from refused_runs import PROGRAM, TRACE, run_both

pytestmark = pytest.mark.newest_version

MIB = 1 << 20


def check_cut_off(cwd):
    """The recording was closed in order; what is missing is counted."""
    (path,) = support.find_recordings(cwd / "out")
    recording = hostile.read(path)
    assert recording.is_closed
    assert recording.header.refused_chunks > 0
    assert sum(thread.lost_events for thread in recording.threads.values()) > 0
    return recording


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MiB."""
    if not hostile.is_root_user():
        pytest.skip("mounting takes root")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "kymo", place])
    if mounted.returncode != 0:
        pytest.skip("mounting is not permitted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_disk_full(python, tmp_path, small_disk):
    env = {"KYMO_OUTPUT_PATH": small_disk / "out", **TRACE}
    profiled = run_both(python, tmp_path, env)
    (line,) = hostile.said(profiled)
    assert "No space left on device" in line and "nothing more is recorded" in line
    check_cut_off(small_disk)


def test_disk_full_from_the_start(python, tmp_path, small_disk):
    (small_disk / "filler").write_bytes(bytes(MIB - 32 * 1024))
    profiled = run_both(python, tmp_path, {"KYMO_OUTPUT_PATH": small_disk / "out"})
    (line,) = hostile.said(profiled)
    assert "No space left on device" in line and "unprofiled" in line
    assert support.find_recordings(small_disk) == []


def test_record_limit(python, tmp_path):
    profiled = run_both(python, tmp_path, {"KYMO_RECORD_LIMIT_MB": "1", **TRACE})
    (line,) = hostile.said(profiled)
    assert "RECORD_LIMIT_MB" in line
    recording = check_cut_off(tmp_path)
    assert recording.header.end <= MIB
    report = hostile.report(tmp_path / "out")
    assert any("no space for" in loss for loss in report["losses"])


def limit_file_size(number):
    """In the child: files of at most that size."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))

    return limit


@pytest.mark.parametrize("size", [4096, 300 * 1024])
def test_file_size_limit(python, tmp_path, size):
    """The interpreter ignores SIGXFSZ."""
    profiled = run_both(python, tmp_path, TRACE, preexec_fn=limit_file_size(size))
    (line,) = hostile.said(profiled)
    assert "File too large" in line
    if size > 4096:
        check_cut_off(tmp_path)


HANDLERS = {
    "default": "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)",
    "handled": "signal.signal(signal.SIGXFSZ, lambda *_: print('SIGXFSZ'))",
    "blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXFSZ])",
}


@pytest.mark.parametrize("handler", HANDLERS)
def test_file_size_signal(python, tmp_path, handler):
    """A program that would get the signal of the limit does not get it from the recording."""
    program = tmp_path / "program.py"
    program.write_text(
        "import runpy, signal, sys\n"
        + HANDLERS[handler]
        + f"\ntry:\n    runpy.run_path({str(PROGRAM)!r}, run_name='__main__')\n"
        + "finally:\n    print('pending', signal.sigpending())\n"
    )
    (tmp_path / "bare").mkdir()
    limit = limit_file_size(300 * 1024)
    bare = hostile.run_bare(python, [program], tmp_path / "bare", preexec_fn=limit)
    profiled = hostile.run(python, [program], tmp_path, TRACE, preexec_fn=limit)
    hostile.assert_undisturbed(bare, profiled)
    assert "pending set()" in bare.stdout and bare.returncode == 5
    (line,) = hostile.said(profiled)
    assert "File too large" in line


def test_read_only_directory(python, tmp_path):
    if hostile.is_root_user():
        place = "/proc/sys/kymo"  # not even root may make directories there
    else:
        place = tmp_path / "closed" / "out"
        place.parent.mkdir(mode=0o500)
    profiled = run_both(python, tmp_path, {"KYMO_OUTPUT_PATH": place})
    (line,) = hostile.said(profiled)
    assert str(place) in line and "KYMO_OUTPUT_PATH" in line and "unprofiled" in line


def test_read_only_file_system(python, tmp_path, small_disk):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    profiled = run_both(python, tmp_path, {"KYMO_OUTPUT_PATH": small_disk / "out"})
    (line,) = hostile.said(profiled)
    assert "Read-only file system" in line


def test_output_is_a_file(python, tmp_path):
    (tmp_path / "out").write_text("precious")
    profiled = run_both(python, tmp_path)
    (line,) = hostile.said(profiled)
    assert "Not a directory" in line
    assert (tmp_path / "out").read_text() == "precious"


def test_output_below_a_file(python, tmp_path):
    (tmp_path / "file").write_text("precious")
    profiled = run_both(python, tmp_path, {"KYMO_OUTPUT_PATH": tmp_path / "file" / "out"})
    (line,) = hostile.said(profiled)
    assert "Not a directory" in line


VANISHING = """
import os, runpy, shutil, sys
shutil.rmtree(os.environ.get("GONE", "nothing"), ignore_errors=True)
if "close" in sys.argv:
    os.closerange(3, 1000)
sys.argv[1:] = []
runpy.run_path({program!r}, run_name="__main__")
"""


@pytest.mark.parametrize("how", ["removed", "close"])
def test_output_vanishes(python, tmp_path, how):
    """The directory is removed while the program runs; with its descriptors closed the
    recording cannot even be reached any more."""
    program = tmp_path / "program.py"
    program.write_text(VANISHING.format(program=str(PROGRAM)))
    (tmp_path / "bare").mkdir()
    bare = hostile.run_bare(python, [program, how], tmp_path / "bare")
    env = {"GONE": tmp_path / "out", **TRACE}
    profiled = hostile.run(python, [program, how], tmp_path, env)
    hostile.assert_undisturbed(bare, profiled)
    assert not (tmp_path / "out").exists()
    assert len(hostile.said(profiled)) == (1 if how == "close" else 0)


def test_output_vanishes_before_the_end(python, tmp_path):
    """With the outputs written at the end: one line says that they could not be."""
    program = tmp_path / "program.py"
    program.write_text(VANISHING.format(program=str(PROGRAM)))
    (tmp_path / "bare").mkdir()
    bare = hostile.run_bare(python, [program, "x"], tmp_path / "bare")
    env = {"GONE": tmp_path / "out", "KYMO_FINISH": "ON"}
    profiled = hostile.run(python, [program, "x"], tmp_path, env)
    hostile.assert_undisturbed(bare, profiled)
    assert len(hostile.said(profiled)) == 1


def test_changed_directory(python, tmp_path):
    """A relative output path means where the program was started."""
    program = tmp_path / "program.py"
    program.write_text("import os\nos.chdir('/')\ndef f(): pass\nf()\nos.chdir('/tmp')\n")
    env = {"KYMO_OUTPUT_PATH": "relative", "KYMO_RECORD_PATH": "local"}
    (tmp_path / "local").mkdir()
    profiled = hostile.run(python, [program], tmp_path, env)
    assert profiled.stderr == "" and profiled.returncode == 0
    (path,) = support.find_recordings(tmp_path / "relative")
    assert not path.is_symlink() and hostile.read(path).is_closed
    assert hostile.calls(tmp_path / "relative")["f"] == 1
    assert list((tmp_path / "local").iterdir()) == []


def test_changed_root(python, tmp_path):
    """After chroot() no path leads to the recording; its descriptor still does."""
    if not hostile.is_root_user():
        pytest.skip("chroot() takes root")
    jail = tmp_path / "jail"
    jail.mkdir()
    program = tmp_path / "program.py"
    program.write_text(
        f"import os\nos.chroot({str(jail)!r})\nos.chdir('/')\n"
        "def f(): pass\nfor _ in range(300000): f()\n"
    )
    profiled = hostile.run(python, [program], tmp_path, TRACE)
    assert profiled.stderr == "" and profiled.returncode == 0
    assert hostile.calls(tmp_path / "out")["f"] == 300000


def test_address_space_limit(python, tmp_path):
    """ulimit -v: what the program needs of it is left to it."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (300 * MIB, 300 * MIB))

    program = tmp_path / "program.py"
    program.write_text(
        "import threading\ndef f(): pass\n"
        "memory = bytearray(200 << 20)\n"
        "for _ in range(1000): f()\n"
        "print('has', len(memory))\n"
    )
    bare = hostile.run_bare(python, [program], tmp_path, preexec_fn=limit)
    profiled = hostile.run(python, [program], tmp_path, TRACE, preexec_fn=limit)
    hostile.assert_undisturbed(bare, profiled)
    assert bare.returncode == 0 and hostile.said(profiled) == []
    assert hostile.calls(tmp_path / "out")["f"] == 1000


def test_recording_larger_than_the_address_space(python, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (250 * MIB, 250 * MIB))

    profiled = run_both(python, tmp_path, TRACE, args=[1000000], preexec_fn=limit)
    (line,) = hostile.said(profiled)
    assert "Cannot allocate memory" in line
    check_cut_off(tmp_path)


def test_few_descriptors(python, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))

    profiled = run_both(python, tmp_path, TRACE, preexec_fn=limit)
    assert hostile.said(profiled) == []
    assert hostile.calls(tmp_path / "out")["leaf"] == 180000


CLOSING = """
import os, runpy, sys
os.closerange(3, 1000)
files = [open("own-%d" % i, "w+") for i in range(100)]
sys.argv[1:] = []
try:
    runpy.run_path({program!r}, run_name="__main__")
finally:
    print([os.path.getsize("own-%d" % i) for i in range(100)] == [0] * 100)
"""


def test_closed_descriptors(python, tmp_path):
    """The program closes every descriptor and gets the numbers for files of its own."""
    program = tmp_path / "program.py"
    program.write_text(CLOSING.format(program=str(PROGRAM)))
    (tmp_path / "bare").mkdir()
    bare = hostile.run_bare(python, [program], tmp_path / "bare")
    profiled = hostile.run(python, [program], tmp_path, TRACE)
    hostile.assert_undisturbed(bare, profiled)
    assert profiled.stdout.endswith("True\n") and hostile.said(profiled) == []
    assert hostile.calls(tmp_path / "out")["leaf"] == 180000


def test_closed_stderr(python, tmp_path):
    """Kymo's line must not end up in a file that got the number of stderr."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, runpy, sys\n"
        "file = open('own', 'w')\n"
        "os.dup2(file.fileno(), 2)\n"
        f"runpy.run_path({str(PROGRAM)!r}, run_name='__main__')\n"
    )
    env = {"KYMO_RECORD_LIMIT_MB": "1", **TRACE}
    profiled = hostile.run(python, [program], tmp_path, env)
    assert profiled.returncode == 5 and profiled.stderr == ""
    assert (tmp_path / "own").read_text() == "to stderr\n"


def test_no_stderr_at_all(python, tmp_path):
    env = {"KYMO_RECORD_LIMIT_MB": "1", **TRACE}
    wrapper = ["sh", "-c", 'exec "$@" 2>&-', "sh"]
    profiled = hostile.run(python, [PROGRAM], tmp_path, env, wrapper=wrapper)
    bare = hostile.run_bare(python, [PROGRAM], tmp_path, wrapper=wrapper)
    assert profiled.returncode == bare.returncode
    assert profiled.stdout == bare.stdout


def test_broken_stderr(python, tmp_path):
    """Nobody reads stderr any more, and SIGPIPE would end the program."""
    program = tmp_path / "program.py"
    program.write_text(
        "import signal, sys\n"
        "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
        "def f(): pass\n"
        "for _ in range(300000): f()\n"
        "print('done')\n"
    )
    reading, writing = os.pipe()
    os.close(reading)
    env = {"KYMO_RECORD_LIMIT_MB": "1", **TRACE}
    profiled = hostile.run(python, [program], tmp_path, env, stderr=writing)
    os.close(writing)
    assert profiled.returncode == 0 and profiled.stdout == "done\n"
    check_cut_off(tmp_path)

"""Programs with habits that few have: each ends as it does without Kymo, says the same, and has
its outputs."""

import re
import shutil
import subprocess
from pathlib import Path

import hostile_support as hostile
import native_support as native
import pytest
import support
from native_support import public_place  # noqa: F401

PROGRAM = "hostile_habits.c"

MODES = {
    "run": [],
    "trace": ["--trace"],
    "sample": ["--sample", "-f", "1000"],
    "helper": ["--process-sampling"],
    "functions": ["--functions"],
    "coarse": ["--functions=coarse"],
    "positions": ["--profile", "--python-timing", "sampled"],
}


@pytest.fixture(params=MODES)
def options(request):
    return MODES[request.param]


def check(arguments, place, options, may_say="\n", **more):
    """Nothing but the program's own is said, and the run is finished."""
    both = native.Both(
        [native.compile(PROGRAM), *arguments],
        place,
        options,
        env={"KYMO_FINISH": "ON"},
        **more,
    )
    assert [line for line in both.said if may_say not in line] == []
    native.wait_until(lambda: list(both.out.glob("*.json")), "there are no outputs")
    native.wait_until(lambda: not native.is_awaited(both.out), "somebody waits still")
    return both


def test_no_environment(tmp_path, options):
    """clearenv() leaves not even an empty one."""
    check(["no_environment"], tmp_path, options)


@pytest.mark.parametrize("kind", ["address_space", "data"])
def test_memory_limit(tmp_path, options, kind):
    """A program that limits itself while it runs gets all that it allows itself."""
    check([kind], tmp_path, options, may_say="the program limits its memory")


def test_little_memory(tmp_path, options):
    """The outputs are written by a process that is not limited."""
    check(["little_memory"], tmp_path, options, may_say="the program limits its memory")


@pytest.mark.parametrize("kind", ["namespaces", "namespaces_by_number"])
def test_namespaces(tmp_path, options, kind):
    """No thread of Kymo's is in the way, and the outputs come though nobody can be started."""
    check([kind], tmp_path, options, may_say="cannot create a helper thread")


def test_memory_limit_of_python(tmp_path, python):
    """Where nothing is preloaded that could see the limit come."""
    script = tmp_path / "limits.py"
    script.write_text(
        "import resource, threading\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "print(len(bytearray(200 << 20)))\n"
        "thread = threading.Thread(target=print, args=['in a thread'])\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    process = support.run_kymo_python(python, ["-q", "--", script], cwd=tmp_path)
    assert process.returncode == 0, process
    assert process.stdout == "209715200\nin a thread\n", process


def test_rights_of_children(public_place, options):  # noqa: F811
    """What cannot write into the run is left alone, and the recording of its parent says so."""
    both = check(["rights_of_children"], public_place, options)
    if hostile.is_root_user():
        assert any("cannot be reached" in loss for loss in both.losses())


def make_root(place):
    """A folder with a shell and what it loads."""
    shell = Path("/bin/sh").resolve()
    listed = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    for found in ["/bin/sh", *re.findall(r"(/\S+) \(0x", listed)]:
        copy = place / found.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, copy)


def test_another_root(tmp_path, options):
    """Programs that are started where Kymo's libraries are not."""
    if not hostile.is_root_user():
        pytest.skip("changing root takes root")
    place = tmp_path / "place"
    make_root(place)
    forked = "cannot record the forked process"  # whose files would be in the other root
    check(["another_root", place], tmp_path, options, may_say=forked)


def test_who_writes_the_outputs_is_not_recorded(tmp_path):
    """It is started when the program gives up its root, and still records."""
    if not hostile.is_root_user():
        pytest.skip("changing root takes root")
    place = tmp_path / "place"
    make_root(place)
    result = support.run_kymo(
        ["run", "--", "chroot", place, "/bin/sh", "-c", "exit 3"],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"},
    )
    assert result.returncode == 3, result.stderr
    assert "1 process, 1 thread" in result.stderr
    assert "cannot be" in result.stderr and "not closed" not in result.stderr
    assert len(support.find_recordings(tmp_path / "out")) == 1


def test_bad_pointers(tmp_path, options):
    check(["bad_pointers"], tmp_path, options)

"""kymo attach and kymo top: what they refuse, each with one line that says why."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import support
from attach_runs import Target

IS_ROOT = os.geteuid() == 0
SETPRIV = shutil.which("setpriv")
AS_NOBODY = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
WITHOUT_PTRACE = ["--bounding-set", "-sys_ptrace", "--inh-caps", "-all"]
SYSTEM_PYTHON = "/usr/bin/python3"


def refused(result, status, words):
    assert result.returncode == status, result.stderr
    assert result.stderr.startswith("kymo: ") and result.stderr.count("\n") == 1
    assert words in result.stderr
    assert result.stdout == ""


def attach(folder, *words, prefix=(), name="attach"):
    """The command, perhaps behind another one that changes who runs it."""
    command = [*prefix, support.KYMO, name, *words]
    return support.run(command, cwd=folder, env={"KYMO_OUTPUT_PATH": Path(folder) / "out"})


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "name the process by its id"),
        (["1", "2"], "one process at a time"),
        (["abc"], "'abc' is not a process id"),
        (["-5"], "unknown option"),
        (["0"], "'0' is not a process id"),
        (["99999999999999999999"], "is not a process id"),
        (["--rate", "0", "1"], "above 0 and at most 100000"),
        (["--rate", "100001", "1"], "above 0 and at most 100000"),
        (["--rate", "nan", "1"], "above 0 and at most 100000"),
        (["--rate", "fast", "1"], "not 'fast'"),
        (["--duration", "-1", "1"], "--duration takes seconds, not '-1'"),
        (["--duration"], "--duration needs a value"),
        (["--bogus", "1"], "unknown option '--bogus'"),
        (["--children=3", "1"], "--children takes no value"),
        (["--idle", "--no-idle", "1"], "exclude each other"),
        (["--dump", "--rate", "5", "1"], "--dump reads the stacks once"),
        (["--format", "json", "1"], "--format is for --dump"),
        (["--dump", "--format", "xml", "1"], "one of text,json"),
        (["--depth", "0", "1"], "SAMPLING_DEPTH"),
    ],
)
def test_wrong_use(tmp_path, words, reason):
    refused(attach(tmp_path, *words), 2, reason)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "name one process"),
        (["--rate", "0", "1"], "above 0"),
        (["--interval", "0", "1"], "above 0"),
        (["x"], "'x' is not a process id"),
    ],
)
def test_wrong_use_of_top(tmp_path, words, reason):
    refused(attach(tmp_path, *words, name="top"), 2, reason)


@pytest.mark.parametrize("name", ["attach", "top"])
def test_no_such_process(tmp_path, name):
    child = subprocess.Popen(["true"])
    child.wait()
    refused(attach(tmp_path, child.pid, name=name), 1, f"there is no process {child.pid}")
    assert not (tmp_path / "out").exists()


def test_zombie(tmp_path):
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    refused(attach(tmp_path, child.pid), 1, "(a zombie)")
    child.wait()


def test_thread_of_a_process(tmp_path):
    with Target(sys.executable) as target:
        (thread, *_) = [
            each.name
            for each in Path(f"/proc/{target.pid}/task").iterdir()
            if each.name != str(target.pid)
        ]
        refused(attach(tmp_path, thread), 2, f"{thread} is a thread of process {target.pid}")


def test_kernel_thread(tmp_path):
    for path in Path("/proc").glob("[0-9]*/stat"):
        text = path.read_text()
        if int(text.rpartition(")")[2].split()[6]) & 0x200000:
            refused(attach(tmp_path, path.parent.name), 1, "is a thread of the kernel")
            return
    pytest.skip("no thread of the kernel is seen here")


def test_not_python(tmp_path):
    """Its native stacks are taken when it is clear that no Python will come."""
    child = subprocess.Popen(["sleep", "60"])
    try:
        refused(attach(tmp_path, "--gil", child.pid), 1, "runs no Python that can be found")
        for options in ([], ["--native"]):
            result = attach(tmp_path, *options, "--dump", child.pid)
            assert result.returncode == 0 and "waits in clock_nanosleep" in result.stdout
        result = attach(tmp_path, "-d", "0.2", child.pid)
        assert result.returncode == 0, result.stderr
        said = f"kymo: process {child.pid} runs no Python: its native stacks are sampled;"
        assert said in result.stderr and "clock_nanosleep" in result.stderr
    finally:
        child.kill()
        child.wait()


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="its processors run 32-bit programs")
def test_32_bit(tmp_path):
    source = tmp_path / "small.c"
    source.write_text("void _start(void) { for (;;) ; }\n")
    binary = tmp_path / "small"
    command = ["cc", "-m32", "-nostdlib", "-static", "-o", binary, source]
    made = support.run(command, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    try:
        child = subprocess.Popen([str(binary)])
    except OSError:
        pytest.skip("32-bit programs do not run here")
    try:
        refused(attach(tmp_path, child.pid), 1, "is a 32-bit program")
    finally:
        child.kill()
        child.wait()


def test_traced_by_another(tmp_path):
    """A debugger keeps the threads: they are read without being stopped, or not at all."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    with Target(sys.executable) as target:
        assert libc.ptrace(0x4206, target.pid, None, None) == 0  # PTRACE_SEIZE
        refused(attach(tmp_path, "--native", target.pid), 1, "is being traced by process")
        result = attach(tmp_path, "--dump", target.pid)
        assert result.returncode == 0 and "thread" in result.stdout


needs_root = pytest.mark.skipif(
    not IS_ROOT or not SETPRIV, reason="takes root and setpriv to be another user"
)


@needs_root
def test_process_of_another_user(tmp_path):
    with Target(sys.executable) as target:
        result = attach(tmp_path, target.pid, prefix=[SETPRIV, *AS_NOBODY])
        refused(result, 1, "belongs to another user (uid 0): run kymo as that user")
        assert "CAP_SYS_PTRACE" in result.stderr


@needs_root
def test_without_the_capability(tmp_path):
    """Root in a container as it is made without further options."""
    with Target(sys.executable) as target:
        result = attach(tmp_path, target.pid, prefix=[SETPRIV, *WITHOUT_PTRACE])
        refused(result, 1, "CAP_SYS_PTRACE")
        inside = support.run(
            [SETPRIV, *WITHOUT_PTRACE, support.KYMO, "attach", target.pid],
            cwd=tmp_path,
            env={"container": "docker"},
        )
        refused(inside, 1, "start the container with --cap-add=SYS_PTRACE")


@needs_root
def test_unreadable_by_its_own_will(tmp_path):
    code = (
        "import ctypes, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); "
        "print('ready', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [SETPRIV, *AS_NOBODY, SYSTEM_PYTHON, "-c", code], stdout=subprocess.PIPE, cwd="/"
    )
    try:
        assert child.stdout.readline() == b"ready\n"
        result = attach(tmp_path, child.pid, prefix=[SETPRIV, *AS_NOBODY])
        refused(result, 1, "PR_SET_DUMPABLE")
    finally:
        child.kill()
        child.wait()


@needs_root
def test_own_process_without_any_privilege(tmp_path):
    """The same user may, where the machine does not forbid it."""
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    if scope.exists() and scope.read_text().strip() != "0":
        pytest.skip("kernel.yama.ptrace_scope forbids it here")
    code = "print('ready', flush=True)\nwhile True: sum(range(1000))"
    child = subprocess.Popen(
        [SETPRIV, *AS_NOBODY, SYSTEM_PYTHON, "-c", code], stdout=subprocess.PIPE, cwd="/"
    )
    try:
        assert child.stdout.readline() == b"ready\n"
        result = attach(tmp_path, "--dump", child.pid, prefix=[SETPRIV, *AS_NOBODY])
        assert (result.returncode, result.stderr) == (0, "")
        assert "<module>" in result.stdout
    finally:
        child.kill()
        child.wait()


def test_full_disk(tmp_path):
    """A recording that cannot grow: said once, and what there is can be read."""
    with Target(sys.executable, "calls") as target:
        result = support.run_kymo(
            ["attach", "-d", "0.5", "-r", "2000", "-q", target.pid],
            cwd=tmp_path,
            env={
                "KYMO_OUTPUT_PATH": tmp_path / "out",
                "KYMO_TIME_OUTPUT": "OFF",
                "KYMO_RECORD_LIMIT_MB": "1",
                "KYMO_FINISH": "OFF",
            },
        )
        assert target.end()[1] == 7
    assert result.returncode == 0, result.stderr
    (path,) = support.find_recordings(tmp_path)
    assert path.stat().st_size <= 1 << 20


def test_help(tmp_path):
    for name in ("attach", "top"):
        result = support.run_kymo([name, "--help"], cwd=tmp_path)
        assert result.returncode == 0 and result.stdout.startswith(f"usage: kymo {name} [options]")


@pytest.mark.parametrize(
    "words",
    [
        ["-p", "abc"],
        ["--native", "-p", "abc"],
        ["-d", "1", "-n", "--pid", "abc"],
        ["-f", "50", "--pid=abc", "--native"],
    ],
)
def test_sample_takes_a_process_among_options(tmp_path, words):
    """`kymo sample` with a process is `kymo attach`, wherever among its options that stands."""
    refused(attach(tmp_path, *words, name="sample"), 2, "'abc' is not a process id")


def test_options_of_a_program_are_its_own(tmp_path):
    """-p behind the program's name, or behind what begins it, names no process."""
    for between in ([], ["--"]):
        words = ["-f", "50", "-q", *between, "echo", "-p", "abc"]
        result = attach(tmp_path, *words, name="sample")
        assert (result.returncode, result.stdout) == (0, "-p abc\n"), result.stderr

"""kymo attach: what is seen of a running Python program from outside."""

import json
import os
import pty
import select
import shutil
import subprocess
import termios
from pathlib import Path

import attach_runs
import pytest
import support
from attach_runs import Target, attach, sampled

pytestmark = pytest.mark.every_version  # of each the layouts in memory are its own

SOURCE = support.program("attach_work.py").read_text().splitlines()
CALLEES = {
    "<module>": {"main"},
    "main": {"calls"},
    "calls": {"middle_a", "middle_b", "wide", "fib", "generator", "is_set"},
    "middle_a": {"leaf_a"},
    "middle_b": {"leaf_b"},
    "wide": {"leaf_a"},
    "fib": {"fib"},
    "generator": {"leaf_b"},
}


def line_of(text):
    (number,) = [number for number, line in enumerate(SOURCE, 1) if line.endswith(text)]
    return number


def dump(target, folder, *options):
    result = attach(target, folder, "--dump", "--format", "json", *options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def check_work(executable, folder):
    """Shares, threads, states, the GIL, CPU time, lines, and a program that noticed nothing."""
    with Target(executable) as target:
        found = sampled(target, folder, "-d", "1", "-r", "400")
        seen = dump(target, folder)
        assert target.status("TracerPid") == "0"
        assert target.end() == attach_runs.UNTOUCHED
    main = next(number for number, each in found.threads.items() if each["id"] == found.pid)
    assert found.flags & 0x30 == 0x30  # samples, from outside
    assert len(found.threads) == 3 and main == 0
    shares = found.shares(main)
    assert 0.5 < shares["hot"] < 0.82
    assert shares["hot"] + shares["cold"] > 0.8
    check_states(found, main)
    check_lines(seen, found.pid)


def check_states(found, main):
    ours = [sample for sample in found.samples if sample.thread == main]
    others = [sample for sample in found.samples if sample.thread != main]
    assert sum(sample.gil == "held" for sample in ours) > 0.7 * len(ours)
    assert sum(sample.cpu_ns for sample in ours) > 5 * sum(each.cpu_ns for each in others)
    waits = [sample for sample in others if sample.frames[-1][0] == "kernel"]
    assert len(waits) > 0.9 * len(others)
    assert {"sleeper", "reader"} <= {name for each in others for name in each.functions}
    sleeping = [each for each in others if each.thread == found.thread("the sleeper")]
    assert any("sleeper" in each.functions for each in sleeping)


def check_lines(seen, pid):
    (main,) = [thread for thread in seen["threads"] if thread["id"] == pid]
    innermost = next(frame for frame in main["frames"] if frame["kind"] == "python")
    lines = {"hot": line_of("# line of hot"), "cold": line_of("# line of cold")}
    if innermost["function"] in lines:
        assert abs(innermost["line"] - lines[innermost["function"]]) <= 3
    assert main["frames"][-1]["function"] == "<module>"
    assert main["frames"][-1]["line"] == len(SOURCE)


def test_work(python, tmp_path):
    check_work(python.executable, tmp_path)


def test_static_stripped(static_python, tmp_path):
    check_work(static_python, tmp_path)


def library_of(executable):
    """The file that holds the interpreter: the executable, or a shared library."""
    code = (
        "import sysconfig as s; print(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME'))"
    )
    folder, name = subprocess.check_output([executable, "-c", code], text=True).split()
    linked = subprocess.run(["ldd", executable], capture_output=True, text=True).stdout
    return Path(folder, name) if "libpython" in linked else Path(os.path.realpath(executable))


# As PY_VERSION_HEX has them; what is newer than all that are known is laid out like the newest.
CLAIMS = {"its own beta": 0xB1, "3.16 alpha": 0x031000A1, "3.30": 0x031E00F0}


@pytest.mark.since("3.13")
@pytest.mark.parametrize("claim", CLAIMS)
def test_version_that_is_not_known(python, claim, tmp_path):
    """The same interpreter, which publishes that it is another one."""
    library = library_of(python.executable)
    told = library.read_bytes()
    at = told.index(b"xdebugpy") + 8
    word = int.from_bytes(told[at : at + 8], "little") & 0xFFFF0000 | 0xB1
    if claim != "its own beta" and word >> 16 > 0x030D:
        word = CLAIMS[claim]
    copy = tmp_path / "lib" / library.name
    copy.parent.mkdir()
    copy.write_bytes(told[:at] + word.to_bytes(8, "little") + told[at + 8 :])
    copy.chmod(0o755)
    prefix = subprocess.check_output(
        [python.executable, "-c", "import sys; print(sys.base_prefix)"]
    )
    env = {
        **os.environ,
        "PYTHONHOME": prefix.decode().strip(),
        "LD_LIBRARY_PATH": str(copy.parent),
    }
    executable = copy if ".so" not in copy.name else python.executable
    with Target(executable, env=env) as target:
        seen = dump(target, tmp_path)
        assert target.end() == attach_runs.UNTOUCHED
    check_lines(seen, target.pid)
    with Target(executable, "calls", env=env) as target:
        stacks, _ = stacks_of_calls(target, tmp_path, 200, "-r", "1000", "--no-idle")
    wrong = [stack for stack in stacks if not is_possible(stack)]
    assert len(wrong) < 0.02 * len(stacks), wrong[:5]


def is_possible(functions):
    pairs = zip(functions, functions[1:])
    return functions[:1] == ("<module>",) and all(b in CALLEES.get(a, ()) for a, b in pairs)


def stacks_of_calls(target, folder, enough, *options):
    """(Python stacks of the main thread, how many were lost), of as many attachments as it takes
    to have seen fib() five times deep: how many looks there are in a second is the machine's, and
    whether the program has a processor meanwhile."""
    stacks, lost = [], 0
    for part in range(40):
        found = sampled(target, folder / str(part), "-d", "0.3", *options)
        stacks += [sample.functions for sample in found.samples if sample.thread == 0]
        lost += found.lost
        if len(stacks) > enough and any(stack.count("fib") >= 5 for stack in stacks):
            return stacks, lost
    raise AssertionError(f"no stack is deep among {len(stacks)}")


def test_stacks_that_change_all_the_time(python, tmp_path):
    """10 kHz of calls that last some ten nanoseconds: next to no stack is lost or impossible."""
    with Target(python.executable, "calls") as target:
        stacks, lost = stacks_of_calls(target, tmp_path, 2000, "-r", "10000", "--no-idle")
    wrong = [stack for stack in stacks if not is_possible(stack)]
    assert len(wrong) < 0.005 * len(stacks), wrong[:5]
    assert lost < 0.005 * len(stacks)


def test_lines_of_report(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        result = attach(target, tmp_path, "-d", "0.7", "-r", "300", "-q")
    assert (result.returncode, result.stderr) == (0, "")
    report = support.run_kymo(
        ["report", "out", "--lines", "--format", "json", "--top", "0"], cwd=tmp_path
    )
    assert report.returncode == 0, report.stderr
    rows = json.loads(report.stdout)["lines"]
    lines = {row["line"]: row for row in rows if str(row["file"]).endswith("attach_work.py")}
    assert line_of("# line of hot") in lines and line_of("# line of cold") in lines


def test_choice_of_threads(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        active = sampled(target, tmp_path / "active", "-d", "0.3", "-r", "300", "--no-idle")
        gil = sampled(target, tmp_path / "gil", "-d", "0.3", "-r", "300", "--gil")
    assert all(sample.frames[-1][0] != "kernel" for sample in active.samples)
    assert {sample.gil for sample in gil.samples} == {"held"}
    assert len(gil.samples) > 30
    # A sample behind a pause stands for no more than the time since the last look.
    assert sum(sample.since_ns for sample in gil.samples) < 0.6e9


def test_native(newest_python, tmp_path):
    """Native and Python frames in one stack, from main() on, in their order."""
    with Target(newest_python.executable) as target:
        found = sampled(target, tmp_path, "-d", "0.4", "-r", "200", "--native")
        seen = dump(target, tmp_path, "--native")
        assert target.status("TracerPid") == "0"
        assert target.end() == attach_runs.UNTOUCHED
    ours = [sample for sample in found.samples if sample.thread == 0]
    whole = [each for each in ours if each.frames[0][0] == "native"]
    assert len(whole) > 0.9 * len(ours)
    assert all("main" in each.functions and "<module>" in each.functions for each in whole)
    assert {"hot", "cold"} <= {each.functions[-1] for each in whole}
    names = [[frame["function"] for frame in thread["frames"]] for thread in seen["threads"]]
    assert any("Py_BytesMain" in stack for stack in names)
    assert any("start_thread" in stack and "reader" in stack for stack in names)


def test_blocking(newest_python, tmp_path):
    with Target(newest_python.executable, "calls") as target:
        stacks, _ = stacks_of_calls(target, tmp_path, 60, "-r", "300", "--blocking")
        assert target.status("TracerPid") == "0"
        assert target.end()[1] == 7
    inside = [stack for stack in stacks if "calls" in stack]
    assert len(inside) > 20 and all(is_possible(stack) for stack in inside)


def test_dump_as_text(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        for _ in range(200):
            result = attach(target, tmp_path, "--dump")
            if "waits in read\n" in result.stdout:  # the thread has come so far
                break
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"process {target.pid}: attach_work, Python ")
    assert result.stdout.count("\nthread ") == 3
    assert "waits in read\n" in result.stdout
    assert f"    <module> ({support.program('attach_work.py')}:{len(SOURCE)})\n" in result.stdout
    assert not (tmp_path / "out").exists()


def test_top(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        command = ["top", "--count", "2", "--interval", "0.4", target.pid]
        result = support.run_kymo(command, cwd=tmp_path)
        assert target.end() == attach_runs.UNTOUCHED
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("% SELF") == 2
    row = next(line for line in result.stdout.splitlines() if "hot (attach_work.py" in line)
    assert 35 < float(row.split()[0]) < 95
    assert "GIL held" in result.stdout and "threads 3" in result.stdout
    assert "\x1b" not in result.stdout


def test_copied_interpreter_whose_file_is_gone(static_python, tmp_path):
    """Its symbols are read through /proc, or from its memory."""
    copy = tmp_path / "python-copy"
    shutil.copy(static_python, copy)
    with Target(str(copy), env=dict(os.environ, PYTHONHOME="/usr")) as target:
        copy.unlink()
        found = sampled(target, tmp_path, "-d", "0.3", "-r", "200")
    assert {"hot", "cold"} & set(found.shares(0))


def is_by_lines(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ICANON)


def test_top_in_a_terminal(newest_python, tmp_path):
    """Keys work at once, and the terminal is left as it was."""
    ours, its = pty.openpty()
    assert is_by_lines(its)
    with Target(newest_python.executable) as target:
        process = subprocess.Popen(
            [str(support.KYMO), "top", "--interval", "0.1", str(target.pid)],
            cwd=str(tmp_path),
            env=support.clean_environment(tmp_path, {"TERM": "xterm"}),
            stdin=its,
            stdout=its,
            stderr=its,
        )
        shown = b""
        while shown.count(b"\x1b[H\x1b[2J") < 2 or b"hot (attach_work.py" not in shown:
            shown += os.read(ours, 65536)
        assert not is_by_lines(its)
        os.write(ours, b"3q")
        while process.poll() is None:
            if select.select([ours], [], [], 0.05)[0]:
                os.read(ours, 65536)
        assert process.returncode == 0
        assert is_by_lines(its)
        assert target.end() == attach_runs.UNTOUCHED
    os.close(its)
    os.close(ours)


def test_in_a_container(python, tmp_path):
    """In a pid namespace of its own, by its id outside; its threads have others inside."""
    unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
    if support.run([*unshare, "true"], cwd=tmp_path).returncode != 0:
        pytest.skip("no pid namespace can be made here")
    script = support.program("attach_work.py")
    outer = subprocess.Popen(
        [*unshare, python.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert outer.stdout.readline() == "ready\n"
    (pid,) = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
    seen = dump(int(pid), tmp_path)
    assert outer.communicate(timeout=support.TIMEOUT_S)[0] == attach_runs.UNTOUCHED[0]
    stacks = [{frame["function"] for frame in each["frames"]} for each in seen["threads"]]
    assert len(stacks) == 3 and any("reader" in stack for stack in stacks)


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import sys
inner = interpreters.create()
sys.stdout.write("ready\\n")
sys.stdout.flush()
def outer():
    code = "def inside():\\n    while True: sum(range(1000))\\ninside()"
    getattr(interpreters, "exec", None) and interpreters.exec(inner, code)
    interpreters.run_string(inner, code)
outer()
"""


def test_subinterpreter(python, tmp_path):
    """One stack: what runs in the inner interpreter above what called it in the outer one."""
    process = subprocess.Popen([python.executable, "-c", SUBINTERPRETER], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        for _ in range(50):
            (thread,) = dump(process.pid, tmp_path)["threads"]
            names = [f["function"] for f in thread["frames"] if f["kind"] == "python"]
            if "inside" in names:
                break
        assert names == ["inside", "<module>", "outer", "<module>"]
        (thread,) = dump(process.pid, tmp_path, "--native")["threads"]
        names = [frame["function"] for frame in thread["frames"]]
        assert "[order uncertain]" not in names and "[callers not found]" not in names
        assert names.index("inside") < names.index("outer") < names.index("_start")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

"""Where the summary of a run goes: to what was standard error when the program began, also when
the program has closed that since, and into no file of the program's."""

import os
import pty
import subprocess

import support

CLOSING = "echo done; exec 2>&-"
REPLACING = "exec 2>own; echo words >&2"


def run(script, cwd, stderr):
    environment = {**os.environ, "KYMO_OUTPUT_PATH": str(cwd / "out")}
    line = [str(support.KYMO), "run", "--functions", "--", "/bin/sh", "-c", script]
    return subprocess.run(
        line,
        cwd=str(cwd),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        timeout=60,
    )


def on_terminal(script, cwd):
    """What a terminal shows that is the program's standard error."""
    ours, its = pty.openpty()
    result = run(script, cwd, its)
    os.write(its, b"end\n")
    shown = b""
    while not shown.endswith(b"end\r\n"):
        shown += os.read(ours, 4096)
    os.close(ours)
    os.close(its)
    assert result.returncode == 0
    return result.stdout, shown.decode()


def test_terminal_that_was_closed(tmp_path):
    said, shown = on_terminal(CLOSING, tmp_path)
    assert said == b"done\n"
    assert "losses" in shown and "kymo report" in shown


def test_terminal_that_was_replaced(tmp_path):
    _, shown = on_terminal(REPLACING, tmp_path)
    assert "losses" in shown
    assert (tmp_path / "own").read_text() == "words\n"


def test_terminal_that_is_there(tmp_path):
    _, shown = on_terminal("echo words >&2", tmp_path)
    assert shown.startswith("words") and shown.count("losses") == 1


def test_other_sessions_leave_the_terminal_alone(tmp_path):
    source, program = tmp_path / "leaves.c", tmp_path / "leaves"
    for leaving in ("", "setsid();"):
        source.write_text(f"#include <unistd.h>\nint main(void) {{ {leaving} close(2); }}\n")
        subprocess.run(["gcc", "-o", str(program), str(source)], check=True)
        _, shown = on_terminal(f"exec {program}", tmp_path)
        assert ("losses" in shown) is (leaving == "")


def test_files(tmp_path):
    """One that is appended to gets it; into another the next writer would write over it."""
    log = tmp_path / "log"
    log.write_text("first\n")
    with open(log, "a") as stream:
        run(CLOSING, tmp_path, stream)
    assert log.read_text().startswith("first\n") and "losses" in log.read_text()
    with open(log, "w") as stream:
        run(CLOSING, tmp_path, stream)
    assert log.read_text() == ""


def test_program_without_streams(tmp_path):
    """The files of the outputs do not get the numbers of the streams."""
    run("exec 0<&- 1>&- 2>&-", tmp_path, subprocess.DEVNULL)
    text = support.run_kymo(["report", tmp_path / "out"], cwd=tmp_path)
    assert text.returncode == 0 and text.stderr == ""
    (tables,) = (tmp_path / "out").glob("*/wall_clock.txt")
    assert "kymo view" not in tables.read_text()

"""Where the summary of a run goes: to what was standard error when the program began, also when
the program has closed that since, and into no file of the program's."""

import os
import pty
import select
import signal
import subprocess
import time

import native_support
import pytest
import support

CLOSING = "echo done; exec 2>&-"
REPLACING = "exec 2>own; echo words >&2"


def start(script, cwd, stderr):
    environment = {**os.environ, "KYMO_OUTPUT_PATH": str(cwd / "out")}
    line = [str(support.KYMO), "run", "--functions", "--", "/bin/sh", "-c", script]
    return subprocess.Popen(
        line,
        cwd=str(cwd),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def run(script, cwd, stderr, status=0):
    """What the program wrote to its standard output."""
    process = start(script, cwd, stderr)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == status
    return said


def on_terminal(script, cwd):
    """What a terminal shows that is the program's standard error."""
    ours, its = pty.openpty()
    said = run(script, cwd, its)
    os.write(its, b"end\n")
    shown = b""
    while not shown.endswith(b"end\r\n"):
        shown += os.read(ours, 4096)
    os.close(ours)
    os.close(its)
    return said, shown.decode()


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
    """Also one that is not appended to: behind what the program wrote, before the next writer."""
    log = tmp_path / "log"
    log.write_text("first\n")
    with open(log, "a") as stream:
        run(CLOSING, tmp_path, stream)
    assert log.read_text().startswith("first\n") and "losses" in log.read_text()
    with open(log, "w") as stream:
        run("echo words >&2; " + CLOSING, tmp_path, stream)
        subprocess.run(["sh", "-c", "echo last >&2"], stderr=stream, check=True)
    lines = log.read_text().splitlines()
    assert lines[0] == "words" and lines[-1] == "last" and "losses" in log.read_text()


def piped(script, cwd, **options):
    reading, writing = os.pipe()
    with os.fdopen(reading) as ours, os.fdopen(writing, "w") as its:
        run(script, cwd, its, **options)
        its.close()
        return ours.read()


def test_pipe_that_was_closed(tmp_path):
    """As by all programs that look at the end whether everything was written."""
    assert "kymo report" in piped(CLOSING, tmp_path)
    assert "kymo report" in piped("exec sleep 0", tmp_path)


def test_children_keep_no_pipe(tmp_path):
    """Who reads it waits for the program, and not for what that leaves behind."""
    script = "(exec 2>&- >/dev/null; sleep 60) & exec 2>&-; echo $! >left"
    try:
        assert "kymo report" in piped(script, tmp_path)
    finally:
        os.kill(int((tmp_path / "left").read_text()), signal.SIGKILL)


def test_streams_that_are_closed_for_programs(tmp_path):
    """By FD_CLOEXEC on the descriptor, as node does."""
    source, program = tmp_path / "flags.c", tmp_path / "flags"
    source.write_text(
        "#include <fcntl.h>\nint main(void) { return fcntl(2, F_SETFD, FD_CLOEXEC); }\n"
    )
    subprocess.run(["gcc", "-o", str(program), str(source)], check=True)
    assert "kymo report" in piped(f"exec {program}", tmp_path)


def test_pipe_that_does_not_wait(tmp_path):
    """The program has left it so, and it is full: nothing of the summary is lost."""
    source, program = tmp_path / "fills.c", tmp_path / "fills"
    source.write_text(
        "#include <fcntl.h>\n#include <unistd.h>\nstatic char block[4096];\n"
        "int main(void) { fcntl(2, F_SETFL, O_NONBLOCK);"
        " while (write(2, block, sizeof(block)) > 0) continue; }\n"
    )
    subprocess.run(["gcc", "-o", str(program), str(source)], check=True)
    reading, writing = os.pipe()
    with os.fdopen(reading) as ours, os.fdopen(writing, "w") as its:
        process = start(f"exec {program}", tmp_path, its)
        its.close()
        text = ours.read()
        assert process.wait(60) == 0
    assert text.rstrip().rsplit("\n", 1)[-1].split()[:2] == ["kymo", "report"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_programs_that_are_killed(tmp_path, number):
    """Somebody else sees to the run, and who reads a pipe to its end has it all."""
    text = piped(f"kill -{int(number)} $$", tmp_path, status=-number)
    assert text.count("losses") == 1 and "kymo report" in text
    assert list((tmp_path / "out").glob("*/wall_clock.txt"))


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_programs_without_streams_are_killed(tmp_path, closed):
    """The outputs are made all the same, and nothing that is said stands in one of them."""
    environment = {**os.environ, "KYMO_OUTPUT_PATH": str(tmp_path / "out")}
    script = f"exec '{support.KYMO}' run -- /bin/sh -c 'kill -9 $$' {closed}"
    process = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, timeout=60)
    assert process.returncode == -signal.SIGKILL
    outputs = tmp_path / "out"
    native_support.wait_until(lambda: list(outputs.glob("*/metadata.json")), "outputs")
    for output in outputs.glob("*/*.txt"):
        assert "kymo report" not in output.read_text()


def test_programs_that_are_replaced(tmp_path):
    """By one that cannot be recorded: the run has its end all the same."""
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-static", "-o", str(program), str(source)], check=True)
    assert piped(f"exec {program}", tmp_path).count("kymo report") == 1


@pytest.mark.alike_versions
def test_python_is_killed_or_forgets_its_handlers(tmp_path, python):
    for code, status in (
        ("import atexit; atexit._clear()", 0),
        ("import os; os.close(2)", 0),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ):
        result = support.run_kymo_python(python, ["-c", code], cwd=tmp_path)
        assert result.returncode == status
        assert result.stderr.count("kymo report") == 1, (code, result.stderr)


class Shell:
    """One with job control on a terminal of its own."""

    def __init__(self, cwd):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(cwd)
            os.environ.update(PS1="here> ", KYMO_OUTPUT_PATH=str(cwd / "out"), TERM="dumb")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])

    def say(self, text):
        os.write(self.terminal, text.encode())

    def shown_until(self, words, most_s=60):
        shown, end = "", time.monotonic() + most_s
        while words not in shown:
            left = max(0, end - time.monotonic())
            ready, _, _ = select.select([self.terminal], [], [], left)
            assert ready, shown
            shown += os.read(self.terminal, 4096).decode(errors="replace")
        return shown

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


@pytest.fixture
def shell(tmp_path):
    found = Shell(tmp_path)
    yield found
    found.close()


@pytest.mark.parametrize("number", ["typed", "TERM", "KILL"])
def test_on_terminals_it_comes_before_the_prompt(shell, tmp_path, number):
    """Not with a shell that is interrupted: it may lose that while it starts something."""
    source, program = tmp_path / "waits.c", tmp_path / "waits"
    source.write_text(
        "#include <unistd.h>\n"
        'int main(void) { (void)!write(1, "rea" "dy", 5); for (;;) pause(); }\n'
    )
    subprocess.run(["gcc", "-o", str(program), str(source)], check=True)
    line = f"{program}" if number == "typed" else f"sh -c 'kill -{number} $$; :'"
    shell.shown_until("here> ")
    shell.say(f"{support.KYMO} run -- {line}\n")
    if number == "typed":
        shell.shown_until("ready")
        shell.say("\x03")
    shown = shell.shown_until("here> ")
    assert "losses" in shown and shown.rindex("kymo report") < shown.index("here> ")
    shell.say("echo status=$?\n")
    status = {"typed": 130, "TERM": 143, "KILL": 137}[number]
    assert f"status={status}" in shell.shown_until(f"status={status}")


def test_program_without_streams(tmp_path):
    """The files of the outputs do not get the numbers of the streams."""
    run("exec 0<&- 1>&- 2>&-", tmp_path, subprocess.DEVNULL)
    text = support.run_kymo(["report", tmp_path / "out"], cwd=tmp_path)
    assert text.returncode == 0 and text.stderr == ""
    (tables,) = (tmp_path / "out").glob("*/wall_clock.txt")
    assert "kymo view" not in tables.read_text()

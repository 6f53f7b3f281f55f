"""`kymo run`: the program is what it is without, and finds what it needs to be recorded."""

import fcntl
import os
import pty
import signal
import subprocess
import termios

import pytest
import run_support
import support

LIFE = support.BUILD / "lib" / "libkymo-lifecycle.so"


@pytest.mark.parametrize("options", run_support.FORK)
@pytest.mark.parametrize("status", [0, 7, 126, 255])
def test_status(teller, tmp_path, options, status):
    result = run_support.run([*options, "--", teller, "exit", status], tmp_path)
    assert result.returncode == status
    assert result.stdout == result.stderr == ""
    assert len(support.find_recordings(tmp_path / "out")) == 1


@pytest.mark.parametrize("options", run_support.FORK)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1])
def test_ends_by_the_same_signal(teller, tmp_path, options, number):
    result = run_support.run([*options, "--", teller, "signal", int(number)], tmp_path)
    assert result.returncode == -number
    assert len(support.find_recordings(tmp_path / "out")) == 1


def test_becomes_the_program(teller, tmp_path):
    """Without --fork the process that was started is the program."""
    environment = support.clean_environment(tmp_path, {"KYMO_QUIET": "ON"})
    process = subprocess.Popen(
        [support.KYMO, "run", teller, "self"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    output = process.communicate(timeout=support.TIMEOUT_S)[0]
    assert output.splitlines()[0] == f"{teller} {process.pid}"


@pytest.mark.parametrize("options", run_support.FORK)
def test_signals_are_handled_as_before(teller, tmp_path, options):
    """What is blocked and ignored is what it was, also where Kymo has other needs itself."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])

    def lines(command):
        environment = support.clean_environment(tmp_path, {"KYMO_QUIET": "ON"})
        output = subprocess.check_output(
            command, cwd=tmp_path, env=environment, preexec_fn=prepare, text=True
        )
        return [line for line in output.splitlines() if line.startswith(("SigBlk", "SigIgn"))]

    bare = lines([teller, "self"])
    assert len(bare) == 2
    assert lines([support.KYMO, "run", *options, "--", teller, "self"]) == bare


def test_environment(teller, tmp_path):
    names = ["KYMO_RUN_DIR", "LD_PRELOAD", "KYMO_TRACE", "KYMO_PERFETTO_FILE"]
    options = ["-T", "--perfetto-file", "t.proto", "-E", "all"]
    other = run_support.compile_teller(tmp_path, "other.so", "-shared", "-fPIC")
    found = run_support.values(names, options, tmp_path, {"LD_PRELOAD": other})
    libraries = found["LD_PRELOAD"].split(":")
    assert found["KYMO_RUN_DIR"] == str(tmp_path / "out")
    assert (found["KYMO_TRACE"], found["KYMO_PERFETTO_FILE"]) == ("ON", "t.proto")
    assert libraries[:2] == [str(LIFE.with_name("libkymo.so")), str(LIFE)]
    assert libraries[-1] == str(other)


@pytest.mark.parametrize(
    ("env", "config", "options", "expected"),
    [
        ({}, "", [], None),
        ({}, "TRACE = ON", [], None),
        ({"KYMO_TRACE": "OFF"}, "TRACE = ON", [], "OFF"),
        ({"KYMO_TRACE": "OFF"}, "TRACE = ON", ["-T"], "ON"),
        ({"ROCPROFSYS_TRACE": "OFF"}, "", ["-T"], "ON"),
        ({"KYMO_TRACE": "ON"}, "", ["--output-format", "text"], "OFF"),
    ],
)
def test_command_line_beats_environment_beats_file(tmp_path, env, config, options, expected):
    (tmp_path / "a.cfg").write_text(config)
    found = run_support.values(["KYMO_TRACE"], ["-c", "a.cfg", *options], tmp_path, env)
    assert found["KYMO_TRACE"] == expected


def test_files_are_found_from_everywhere(tmp_path):
    """The program may change its directory before it starts another one."""
    for name in ("a.cfg", "b.cfg"):
        (tmp_path / name).write_text("VERBOSE = 0")
    found = run_support.values(["KYMO_CONFIG_FILE"], ["-c", "a.cfg", "b.cfg"], tmp_path)
    assert found["KYMO_CONFIG_FILE"] == f"{tmp_path}/a.cfg:{tmp_path}/b.cfg"


def test_suppressed_parsing_hears_the_command_line(tmp_path):
    names = ["KYMO_TRACE", "KYMO_MAX_DEPTH", "KYMO_SUPPRESS_CONFIG", "ROCPROFSYS_MAX_DEPTH"]
    env = {"KYMO_TRACE": "OFF", "ROCPROFSYS_MAX_DEPTH": "3", "KYMO_OUTPUT_PATH": tmp_path / "lost"}
    found = run_support.values(names, ["-T", "--suppress-parsing"], tmp_path, env)
    assert found == {
        "KYMO_TRACE": "ON",
        "KYMO_MAX_DEPTH": None,
        "KYMO_SUPPRESS_CONFIG": "ON",
        "ROCPROFSYS_MAX_DEPTH": None,
    }
    assert not (tmp_path / "lost").exists()


def test_verbose_shows_what_changed(teller, tmp_path):
    result = run_support.run(
        ["-v", "-T", "--no-python", "--", teller, "exit", 0],
        tmp_path,
        {"KYMO_QUIET": None, "KYMO_SUMMARY": "OFF", "KYMO_FINISH": "OFF"},
    )
    shown = dict(line.split("=", 1) for line in result.stderr.splitlines() if "=" in line)
    assert shown["KYMO_TRACE"] == "ON"
    assert shown["KYMO_VERBOSE"] == "1"
    assert shown["KYMO_RUN_DIR"] == str(tmp_path / "out")
    assert str(LIFE) in shown["LD_PRELOAD"]
    assert "HOME" not in shown  # as before
    assert "\033" not in result.stderr


def test_warnings_are_said_once(tmp_path):
    """However many processes the run has."""
    env = {"KYMO_TARCE": "ON", "KYMO_QUIET": "OFF", "KYMO_FINISH": "OFF"}
    result = run_support.run(["sh", "-c", "env true; env true; exit 0"], tmp_path, env)
    assert result.stderr == (
        "kymo run: unknown setting 'KYMO_TARCE' (environment); did you mean KYMO_TRACE?\n"
    )
    assert len(support.find_recordings(tmp_path)) > 2


def test_disabled_is_the_bare_program(tmp_path):
    found = run_support.values(
        ["LD_PRELOAD", "KYMO_RUN_DIR", "PYTHONPATH"], [], tmp_path, {"KYMO_ENABLED": "OFF"}
    )
    assert set(found.values()) == {None}
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not support.interpreters(), reason="the build has no native module")
def test_python_hook(tmp_path):
    names = ["PYTHONPATH", "KYMO_PYTHON_OPTIONS"]
    boot = str(support.PACKAGE_DIR / "kymo" / "_boot")
    found = run_support.values(names, [], tmp_path, {"PYTHONPATH": "/a b:/c"})
    assert found == {"PYTHONPATH": f"{boot}:/a b:/c", "KYMO_PYTHON_OPTIONS": "record-all"}
    found = run_support.values(names, ["--no-python"], tmp_path, {"PYTHONPATH": f"{boot}:/c"})
    assert found == {"PYTHONPATH": "/c", "KYMO_PYTHON_OPTIONS": None}


def start_counting(teller, cwd, number, **options):
    process = subprocess.Popen(
        [support.KYMO, "run", "--fork", "--", teller, "count", str(int(number))],
        cwd=cwd,
        env=support.clean_environment(cwd, {"KYMO_QUIET": "ON"}),
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2]
)
def test_fork_passes_signals_on(teller, tmp_path, number):
    process = start_counting(teller, tmp_path, number, stdin=subprocess.PIPE)
    process.send_signal(number)
    # The program's read() is interrupted and goes on; it is told to end after the signal has
    # surely been taken by the waiting process, which takes one at a time.
    while pending(process.pid, number):
        os.sched_yield()
    output = process.communicate(timeout=support.TIMEOUT_S)[0]
    assert (output, process.returncode) == ("1\n", 0)


def pending(pid, number):
    with open(f"/proc/{pid}/status") as file:
        lines = dict(line.rstrip("\n").split(":\t", 1) for line in file)
    bits = int(lines["SigPnd"], 16) | int(lines["ShdPnd"], 16)
    return bits >> (number - 1) & 1


def test_terminal_signals_are_not_doubled(teller, tmp_path):
    master, slave = pty.openpty()

    def prepare():
        """In the child: a session of its own with the terminal."""
        os.setsid()
        os.close(master)
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    process = start_counting(teller, tmp_path, signal.SIGINT, stdin=slave, preexec_fn=prepare)
    os.close(slave)
    os.write(master, b"\x03")
    os.write(master, b"\x04")  # the end of the input
    output = process.communicate(timeout=support.TIMEOUT_S)[0]
    os.close(master)
    assert (output, process.returncode) == ("1\n", 0)


def test_stops_and_goes_on_as_a_job(teller, tmp_path):
    """The program stops, whoever stopped it, and the command with it."""
    process = start_counting(
        teller,
        tmp_path,
        signal.SIGINT,
        stdin=subprocess.PIPE,
        preexec_fn=lambda: os.setpgid(0, 0),
    )
    process.send_signal(signal.SIGTSTP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    process.send_signal(signal.SIGCONT)
    output = process.communicate(timeout=support.TIMEOUT_S)[0]
    assert (output, process.returncode) == ("0\n", 0)

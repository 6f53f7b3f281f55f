"""`kymo run`: the program is what it is without, and finds what it needs to be recorded."""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios

import pytest
import run_support
import support

FORK = [[], ["--fork"]]
LIFE = support.BUILD / "lib" / "libkymo-lifecycle.so"


@pytest.fixture(scope="module")
def teller(tmp_path_factory):
    return run_support.compile_teller(tmp_path_factory.mktemp("teller"))


# ---- status and surroundings -------------------------------------------------------------


@pytest.mark.parametrize("options", FORK)
@pytest.mark.parametrize("status", [0, 7, 126, 255])
def test_status(teller, tmp_path, options, status):
    result = run_support.run([*options, "--", teller, "exit", status], tmp_path)
    assert result.returncode == status
    assert result.stdout == result.stderr == ""
    assert len(support.find_recordings(tmp_path / "out")) == 1


@pytest.mark.parametrize("options", FORK)
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


@pytest.mark.parametrize("options", FORK)
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


# ---- the environment ---------------------------------------------------------------------


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


# ---- signals while it waits --------------------------------------------------------------


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


# ---- runs --------------------------------------------------------------------------------


def test_fork_writes_the_outputs(teller, tmp_path):
    result = run_support.run(["--fork", "--", teller, "exit", 3], tmp_path)
    assert result.returncode == 3
    assert (tmp_path / "out" / "wall_clock.txt").exists()
    assert (tmp_path / "out" / "metadata.json").exists()


def test_inside_a_run_it_joins(teller, tmp_path):
    inner = [support.KYMO, "run", "-T", "--", teller, "exit", 5]
    result = run_support.run(["--", "sh", "-c", '"$@"; exit $?', "sh", *inner], tmp_path)
    assert result.returncode == 5
    programs = {path.name.rsplit("-", 1)[0] for path in support.find_recordings(tmp_path)}
    assert {"sh", "teller"} <= programs
    assert len(list(tmp_path.rglob("metadata.json"))) == 1


@pytest.mark.parametrize("shell", ["exec", ""])
def test_inside_a_run_with_its_own_output(teller, tmp_path, shell):
    """Both runs are finished, also where one process begins both."""
    inner = [support.KYMO, "run", "-o", "own", "--", teller, "exit", 5]
    script = f'{shell} "$@"; exit $?'
    result = run_support.run(["--", "sh", "-c", script, "sh", *inner], tmp_path)
    assert result.returncode == 5
    assert [path.name.rsplit("-", 1)[0] for path in support.find_recordings(tmp_path / "own")] == [
        "teller"
    ]
    for folder in ("out", "own"):
        assert len(list((tmp_path / folder).rglob("metadata.json"))) == 1


def test_launcher(teller, tmp_path):
    """The launcher is not recorded, what it starts joins one run."""
    words = ["-l", "telle[r]$", "-T", "--", "sh", "-c", '"$@"; "$@"', "sh", teller, "exit", 4]
    result = run_support.run(words, tmp_path)
    assert result.returncode == 4
    recordings = support.find_recordings(tmp_path / "out")
    assert [path.name.rsplit("-", 1)[0] for path in recordings] == ["teller", "teller"]
    assert (tmp_path / "out" / "perfetto-trace.proto").exists()


def test_folder_of_a_live_run_is_refused(teller, tmp_path):
    environment = support.clean_environment(
        tmp_path, {"KYMO_QUIET": "ON", "KYMO_TIME_OUTPUT": "OFF", "KYMO_OUTPUT_PATH": "out"}
    )
    live = subprocess.Popen(
        [support.KYMO, "run", teller, "count", "10"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert live.stdout.readline() == "ready\n"
    before = sorted((tmp_path / "out").iterdir())
    for env in ({}, {"KYMO_RUN_DIR": tmp_path / "out"}):
        result = run_support.run(["--", teller, "exit", 0], tmp_path, env)
        assert result.returncode == 1
        assert f"another run is writing into '{tmp_path}/out' (process {live.pid})" in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert sorted((tmp_path / "out").iterdir()) == before
    live.communicate(timeout=support.TIMEOUT_S)
    result = run_support.run(["--", teller, "exit", 0], tmp_path)
    assert result.returncode == 0


# ---- outputs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--output-format", "text"], {"txt"}),
        (["--output-format", "json"], {"json"}),
        (["--output-format", "proto"], {"proto"}),
        (["--output-format", "proto,txt"], {"proto", "txt"}),
        (["--profile-format", "json"], {"json"}),
        (["--profile-format", "text"], {"txt"}),
        (["-T", "--profile-format", "console"], {"proto"}),
        (["--mode", "trace"], {"proto"}),
        (["--mode", "profile", "--trace-file", "x.proto"], {"txt", "json"}),
        (["-T", "--trace-file", "x.proto"], {"proto", "txt", "json"}),
    ],
)
def test_output_formats(teller, tmp_path, words, expected):
    """Exactly the outputs that were asked for."""
    result = run_support.run([*words, "--", teller, "exit", 0], tmp_path)
    assert result.returncode == 0
    described = {"metadata.json", "functions.json"}
    files = [path.name for path in (tmp_path / "out").iterdir() if path.suffix != ".kymo"]
    assert {name.rsplit(".", 1)[1] for name in files if name not in described} == expected
    assert ("WALL-CLOCK" in result.stdout) == ("console" in words)
    assert ("x.proto" in files) == ("x.proto" in words and "-T" in words)


def test_output_prefix(teller, tmp_path):
    run_support.run(["-o", "here", "my-", "--", teller, "exit", 0], tmp_path)
    assert (tmp_path / "here" / "my-wall_clock.txt").exists()


RANK = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}


@pytest.mark.parametrize(
    ("words", "env", "has_files", "has_summary"),
    [
        (["--rank-filter-output", "2"], RANK, True, True),
        (["--rank-filter-output", "0,1"], RANK, False, True),
        (["--rank-filter-output", "0", "1-3"], RANK, True, True),
        (["--rank-filter-output", "x,7-5,"], RANK, True, True),
        (["--rank-filter-output", "0"], {}, True, True),
        (["--rank-filter-output", "0"], {**RANK, "OMPI_COMM_WORLD_SIZE": "2"}, True, True),
        (["--rank-filter-logs", "0"], RANK, True, False),
        (
            ["--rank-filter-logs", "0", "--rank-filter-id", "MINE"],
            {**RANK, "MINE": "0"},
            True,
            True,
        ),
        (["--rank-filter-output", "5", "--rank-filter-id", "MY"], {"MY": "6"}, False, True),
    ],
)
def test_rank_filter(teller, tmp_path, words, env, has_files, has_summary):
    result = run_support.run(
        [*words, "--", teller, "exit", 0], tmp_path, {"KYMO_QUIET": "OFF", **env}
    )
    assert result.returncode == 0
    assert (tmp_path / "out" / "metadata.json").exists() == has_files
    assert ("kymo report" in result.stderr) == has_summary
    assert len(support.find_recordings(tmp_path / "out")) == 1


# ---- presets -----------------------------------------------------------------------------


def exported(words, cwd, env=None):
    result = support.run_kymo(["run", *words, "--export-config"], cwd=cwd, env=env)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_export_leads_back(tmp_path):
    words = ["-T", "-F", "--max-depth", 7, "--precision", "-1", "--python-label", "args,file"]
    words += ["--python-function-exclude", "^a b$ '\"x'", "--max-callpaths", "16000000"]
    first = exported(words, tmp_path, {"KYMO_MEMORY_UNITS": "KiB"})
    (tmp_path / "all.json").write_text(json.dumps(first))
    assert first["settings"]["MEMORY_UNITS"] == "KiB"
    assert first["tracing"]["enabled"] is True
    assert first["advanced"]["max_depth"] == 7
    assert exported(["--preset", "all.json"], tmp_path) == first


def test_preset_stands_between_options_and_environment(tmp_path):
    preset = {"tracing": {"enabled": False}, "advanced": {"max_depth": 9, "verbose": 0}}
    (tmp_path / "mine.json").write_text(json.dumps(preset))
    env = {"KYMO_PRESET_DIR": tmp_path, "KYMO_TRACE": "ON", "KYMO_MAX_DEPTH": "3"}
    found = run_support.values(
        ["KYMO_TRACE", "KYMO_MAX_DEPTH"], ["--preset", "mine"], tmp_path, env
    )
    assert found == {"KYMO_TRACE": "OFF", "KYMO_MAX_DEPTH": "9"}
    result = exported(["--preset", "mine", "--max-depth", "5"], tmp_path, env)
    assert (result["tracing"]["enabled"], result["advanced"]["max_depth"]) == (False, 5)


def test_presets_that_came_with_kymo(tmp_path):
    """Each can be read, and does something."""
    listed = support.run_kymo(["run", "--list-presets"], cwd=tmp_path).stdout.splitlines()
    names = [line.split()[0] for line in listed]
    assert {"balanced", "profile-only", "detailed", "trace-hpc"} <= set(names)
    plain = exported([], tmp_path)
    for name in names:
        assert exported(["--preset", name], tmp_path) != plain


def test_what_a_preset_loses_is_said(teller, tmp_path):
    preset = tmp_path / "lossy.json"
    preset.write_text('{"tracing": {"legacy": true}}')
    words = ["--preset", preset, "--no-python", "--", teller, "exit", 0]
    quiet = run_support.run(words, tmp_path)
    told = run_support.run(["-v", *words], tmp_path, {"KYMO_FINISH": "OFF"})
    assert quiet.stderr == ""
    assert "tracing.legacy = true needs traces written by the program itself" in told.stderr


# ---- help ---------------------------------------------------------------------------------


def test_manual_page_has_every_option(tmp_path):
    text = support.run_kymo(["run", "--help"], cwd=tmp_path).stdout
    options = re.findall(r"^  (?:-\w,|   ) (--[\w-]+)", text, re.MULTILINE)
    page = (support.REPOSITORY / "docs" / "man" / "kymo-run.1.md").read_text()
    assert len(options) > 30
    assert [option for option in options if f"`{option}`" not in page] == []


def test_help_knows_what_is_missing(tmp_path):
    text = support.run_kymo(["run", "--help=all"], cwd=tmp_path).stdout
    usable, missing = text.split("known, but not in this build:")
    assert "--device" in missing.split()
    assert "--device" not in usable.split()
    assert "--perfetto-file TEXT" in usable
    assert "--run-dir" not in text


# ---- bad input ---------------------------------------------------------------------------

BAD_INPUT = [
    ([], 2, "no program to run; see 'kymo run --help'"),
    (["--", "absent-program"], 127, "cannot run 'absent-program': there is no such command"),
    (["./absent"], 127, "cannot run './absent': No such file or directory"),
    (["./folder"], 126, "cannot run './folder': it is a directory"),
    (["./plain"], 126, "cannot run './plain': it is not executable"),
    (["plain"], 126, "cannot run 'plain': Permission denied"),
    (["./lost"], 127, "cannot run './lost': its interpreter '/nowhere/sh' does not exist"),
    (["./bytes"], 126, "cannot run './bytes': it is neither a program nor a script"),
    (["-o", "plain/x", "true"], 1, "cannot make the output directory 'plain/x': Not a directory*"),
    (["-P", "-F", "true"], 2, "--profile and --flat-profile exclude each other"),
    (["--device", "true"], 2, "'--device' needs a GPU collector, which*"),
    (["-f", "0", "true"], 2, "KYMO_SAMPLING_FREQ cannot be '0' (command line): give a number*"),
    (["-f", "1e9", "true"], 2, "KYMO_SAMPLING_FREQ cannot be '1e9' (command line): give a*"),
    (["--sample-cputime", "0", "true"], 2, "KYMO_SAMPLING_CPUTIME_FREQ cannot be '0': give a*"),
    (["--preset", "absent", "true"], 2, "there is no preset 'absent'; --list-presets lists them"),
    (["--preset", "balancd", "true"], 2, "there is no preset 'balancd'; did you mean 'balanced'?"),
    (["--preset", "./plain", "true"], 2, "./plain:1: expected '{'"),
    (["--preset", "./wrong.json", "true"], 2, "./wrong.json:1: unknown part of a preset, *"),
    (["--preset", "./no.json", "true"], 2, "cannot read the preset './no.json': No such file*"),
    (["--max-depth", "0", "true"], 2, "KYMO_MAX_DEPTH cannot be '0' (command line): give a*"),
    (["--periods", "1:2:x", "true"], 2, "the period '1:2:x' is not possible: its*"),
    (["--periods", "1", "true"], 2, "the period '1' is not possible: give*"),
    (["--periods", "realtime:1:2", "true"], 2, "the period 'realtime:1:2' is not possible:*"),
    (["-d", "-1", "true"], 2, "KYMO_TRACE_DURATION cannot be '-1' (command line): give a*"),
    (["--timemory-components", "wall_clock,x", "true"], 2, "unknown component 'x'; 'kymo avail*"),
    (["-c", "absent.cfg", "true"], 1, "cannot read configuration file 'absent.cfg': No such*"),
    (["-l", "(", "--", "sh", "x"], 2, "--launcher takes a regular expression, not '(': *"),
    (["-l", "y", "--", "sh", "x"], 2, "--launcher: no argument of 'sh' matches 'y'"),
    (["--help=sewing"], 2, "there is no help on 'sewing', only on general, *"),
    (["--run-dir", "absent", "true"], 1, "cannot join the run in 'absent': No such file*"),
]


@pytest.mark.parametrize(("words", "status", "line"), BAD_INPUT)
def test_bad_input(tmp_path, words, status, line):
    """One line, the right status, nothing left behind."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("text")
    (tmp_path / "wrong.json").write_text('{"tracing": {"enabeld": true}}')
    for name, content in (("lost", b"#!/nowhere/sh\n"), ("bytes", b"\0\1\2\3")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    before = sorted(tmp_path.rglob("*"))
    result = run_support.run(
        words, tmp_path, {"PATH": f"{os.environ['PATH']}:{tmp_path}", "KYMO_OUTPUT_PATH": None}
    )
    expected = line.rstrip("*")
    assert result.stderr.startswith(f"kymo run: {expected}")
    assert result.stderr.endswith("\n" if line.endswith("*") else f"{expected}\n")
    assert result.stderr.count("\n") == 1
    assert (result.returncode, result.stdout) == (status, "")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("options", FORK)
def test_nothing_is_left_where_the_kernel_refuses(tmp_path, options):
    """The directory is made by then."""
    program = run_support.compile_teller(tmp_path)
    with program.open("r+b"):
        result = run_support.run([*options, "-o", "a/b", "--", program], tmp_path)
    assert result.returncode == 126
    assert result.stderr == f"kymo run: cannot run '{program}': Text file busy\n"
    assert not (tmp_path / "a").exists()


# ---- programs that cannot be recorded ----------------------------------------------------


def check_unrecorded(tmp_path, program, line):
    result = run_support.run(["--", program, "exit", 9], tmp_path)
    assert result.stderr == f"kymo run: '{program}' {line}\n"
    assert result.returncode == 9
    assert not (tmp_path / "out").exists()


def test_static(tmp_path):
    static = run_support.compile_teller(tmp_path, "static", "-static")
    line = "is statically linked: it cannot be recorded, only programs that it starts can"
    check_unrecorded(tmp_path, static, line)


def test_privileged(tmp_path):
    program = run_support.compile_teller(tmp_path, "privileged")
    if os.getuid() != 0:
        pytest.skip("only the super-user can make a program of another user")
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    line = "gains privileges when it starts: it cannot be recorded but by the user it would run as"
    check_unrecorded(tmp_path, program, f"{line}; it is run all the same")


def test_other_c_library(tmp_path):
    """A loader named like that of musl, which here is the usual one."""
    loader = tmp_path / "ld-musl-x86_64.so.1"
    lines = subprocess.check_output(["readelf", "-l", sys.executable], text=True)
    usual = lines.split("interpreter: ")[1].split("]")[0]
    loader.symlink_to(usual)
    program = run_support.compile_teller(tmp_path, "foreign", f"-Wl,--dynamic-linker={loader}")
    line = "uses another C library (musl): it cannot be recorded; it is run all the same"
    check_unrecorded(tmp_path, program, line)


def test_other_machine(teller, tmp_path):
    program = tmp_path / "foreign"
    content = bytearray(teller.read_bytes())
    content[18:20] = (21).to_bytes(2, "little")  # PowerPC
    program.write_bytes(content)
    program.chmod(0o755)
    result = run_support.run(["--", program], tmp_path)
    assert result.returncode == 126
    assert "made for another kind of processor" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("first_line", ["", "#!\n"])
def test_text_runs_under_the_shell(tmp_path, first_line):
    """As it does when a shell starts it."""
    script = tmp_path / "script"
    script.write_text(f"{first_line}echo $0 $1\nexit 6\n")
    script.chmod(0o755)
    result = run_support.run(["--", "./script", "a b"], tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (6, "./script a b\n", "")

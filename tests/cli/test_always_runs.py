"""The program runs whatever surrounds it: a folder in which nothing can be made, values in the
environment that mean nothing."""

import re

import pytest
import support

PROGRAM = ["sh", "-c", "echo ran; exit 7"]
SCRIPT = ["-c", "import sys; print('ran'); sys.exit(7)"]
KYMO_PYTHON = support.BUILD / "bin" / "kymo-python"

COMMANDS = {
    "run": [support.KYMO, "run", "--", *PROGRAM],
    "run --fork": [support.KYMO, "run", "--fork", "--", *PROGRAM],
    "sample": [support.KYMO, "sample", "--", *PROGRAM],
    "instrument": [support.KYMO, "instrument", "--", *PROGRAM],
    "kymo-python": [KYMO_PYTHON, *SCRIPT],
}

# Nobody makes a folder here, root neither.
READ_ONLY = "/proc"


def run(command, tmp_path, *, cwd=".", **environment):
    """What it says on standard error."""
    environment = {"TMPDIR": tmp_path, **environment}
    result = support.run(["env", "-C", cwd, *command], cwd=tmp_path, env=environment)
    assert (result.stdout, result.returncode) == ("ran\n", 7), result.stderr
    return result.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_current_folder_is_read_only(tmp_path, name):
    """The run goes elsewhere, and one line says where."""
    said = run(COMMANDS[name], tmp_path, cwd=READ_ONLY)
    place = re.search(r"cannot make the output directory .*; the run goes into '(.*)'\n", said)
    assert place, said
    assert place.group(1).startswith(f"{tmp_path}/kymo-run-")
    assert support.find_recordings(place.group(1))


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_can_be_made_anywhere(tmp_path, name):
    said = run(COMMANDS[name], tmp_path, cwd=READ_ONLY, TMPDIR=READ_ONLY)
    assert said.count("cannot make the output directory") == 1, said
    assert re.search(r"continues un(recorded|profiled)\n", said), said


@pytest.mark.parametrize("name", COMMANDS)
def test_place_of_the_environment_cannot_be_made(tmp_path, name):
    said = run(COMMANDS[name], tmp_path, KYMO_OUTPUT_PATH=f"{READ_ONLY}/x")
    assert said.count("cannot make the output directory '/proc/x") == 1, said
    assert re.search(r"continues un(recorded|profiled)\n", said), said
    assert not list(tmp_path.glob("kymo-*"))


def test_place_of_the_command_line_cannot_be_made(tmp_path):
    words = [support.KYMO, "run", "-o", f"{READ_ONLY}/x", "--", *PROGRAM]
    result = support.run(words, cwd=tmp_path, env={"TMPDIR": tmp_path})
    assert (result.stdout, result.returncode) == ("", 1)
    assert "cannot make the output directory" in result.stderr
    assert list(tmp_path.iterdir()) == []


# Of the right type, and wrong all the same: (variable, value, what the line says).
WRONG = [
    ("TIMEMORY_COMPONENTS", "wall_clock,nonesuch", "unknown component 'nonesuch'"),
    ("TRACE_PERIODS", "x:y:z", "the period 'x:y:z' is not possible"),
    ("TRACE_PERIOD_CLOCK_ID", "sundial", "unknown clock 'sundial'"),
    ("TRACE", "perhaps", "KYMO_TRACE cannot be 'perhaps'"),
    ("NONESUCH", "1", "unknown setting 'KYMO_NONESUCH'"),
]
# What `kymo` alone looks at.
WRONG_FOR_KYMO = [
    ("SAMPLING_REALTIME_FREQ", "-0.5", "KYMO_SAMPLING_REALTIME_FREQ cannot be '-0.5'"),
    ("PAPI_EVENTS", "nonesuch", "unknown event 'nonesuch' in KYMO_PAPI_EVENTS"),
]
WRONG_FOR_FUNCTIONS = [
    ("FUNCTIONS_RESTRICT", "(", "'('"),
    ("FUNCTIONS_API", "x:(", "'(' is not a regular expression"),
    ("FUNCTIONS_LINKAGE", "odd", "'odd'"),
    ("FUNCTIONS_FILTER_FILE", "/nonesuch", "cannot read filter file '/nonesuch'"),
]
CASES = [
    *[(name, *case) for name in ("run", "sample", "kymo-python") for case in WRONG],
    *[(name, *case) for name in ("run", "sample") for case in WRONG_FOR_KYMO],
    *[("instrument", *case) for case in (*WRONG[:2], *WRONG_FOR_FUNCTIONS)],
]


@pytest.mark.parametrize(("name", "variable", "value", "line"), CASES)
def test_the_environment_stops_no_program(tmp_path, name, variable, value, line):
    """It is warned of once, and the run is as it would be without."""
    output = tmp_path / "out"
    settings = {f"KYMO_{variable}": value, "KYMO_OUTPUT_PATH": output, "KYMO_TIME_OUTPUT": "OFF"}
    said = run(COMMANDS[name], tmp_path, **settings)
    assert said.count(line) == 1, said
    assert "runs on" not in said
    assert support.find_recordings(output)


@pytest.mark.parametrize("variable", ["TIMEMORY_COMPONENTS", "TRACE_PERIODS"])
def test_the_command_line_does(tmp_path, variable):
    result = support.run([KYMO_PYTHON, "--set", f"{variable}=x:y", *SCRIPT], cwd=tmp_path)
    assert (result.stdout, result.returncode) == ("", 2), result.stderr

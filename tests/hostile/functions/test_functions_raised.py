"""Signals that code raises by itself, with its functions recorded: a program that steps through
itself by the trap flag, and one whose system calls end in a handler of its own."""

import os
import subprocess

import functions_support as functions
import native_support as native
import pytest
import support

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the trap flag is x86-64's")

# The first chunk of records is filled: that is where signals are held back.
CALLS = {"trapped": 30000, "steps": 2000}
# What the handlers do is not stepped through: chunks are to be filled by what is.
HANDLERS_APART = {"KYMO_FUNCTIONS_EXCLUDE": "^on_"}
FEWER = 200  # where there are no such chunks, or fuller ones: each step takes microseconds


@pytest.fixture(scope="module")
def program():
    path = native.folder() / "functions_raised"
    source = support.program("functions_raised.c")
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", path, source], check=True)
    return path


@pytest.mark.parametrize("cost", functions.COSTS)
@pytest.mark.parametrize("scene", ["trapped", pytest.param("steps", marks=pytest.mark.long)])
def test_raised(tmp_path, program, scene, cost):
    calls = FEWER if scene == "steps" and cost != "full" else CALLS[scene]
    line = [program, scene, str(calls)]
    bare = native.run_bare(line, tmp_path)
    if bare.returncode == 77:
        pytest.skip("filters of system calls are not allowed here")
    assert (bare.returncode, bare.stdout) == (0, f"{scene} 1\n")
    recorded = functions.run(line, tmp_path, cost, "program", env=HANDLERS_APART)
    assert (recorded.returncode, recorded.stdout) == (0, f"{scene} 1\n"), recorded.stderr


def test_trapped_with_samples_and_windows(tmp_path, program):
    """The thread that follows time windows, and handlers of Kymo's own, make such calls, too."""
    options = ["--functions=full", "-S", "realtime", "--periods", "0.02:0.02:0"]
    line = [support.KYMO, "run", "-q", *options, "--", program, "trapped", "300000"]
    recorded = native.run_line(line, tmp_path, env=functions.environment())
    assert (recorded.returncode, recorded.stdout) == (0, "trapped 1\n"), recorded.stderr

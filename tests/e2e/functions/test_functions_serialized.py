"""`--serialize`: functions of less than 100 ns a call are told apart from those beside them, with
each timing that records every call; and the setting reaches whoever records functions."""

import json
import os
import shutil
import statistics
import subprocess

import lifecycle_runs
import pytest
import support
from attached_runs import FINE, Target, attach
from functions_runs import compile_c

POINTS = 3  # of a hundred
RUNS = 11
TRIES = 100
NOTE = b"times of calls"

pytestmark = pytest.mark.skipif(
    not (support.BUILD / "lib" / "libkymo-functions.so").exists() or os.uname().machine != "x86_64",
    reason="functions are not instrumented by this build",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    source = support.program("counted_brief.c").read_text()
    # A jump into another function in the place of a call leaves it open whose time that is.
    folder = tmp_path_factory.mktemp("serialized")
    return compile_c(folder, source, "counted_brief", "-fno-optimize-sibling-calls")


def shares(numbers):
    whole = sum(numbers.values())
    return {name: 100 * number / whole for name, number in numbers.items()}


def said(text):
    """(shares, how often somebody else had the processor); of those that call and are called
    alone: beside others' work recording takes longer than where it was calibrated."""
    numbers = {name: int(number) for name, number in map(str.split, text.splitlines())}
    switched = numbers.pop("switched")
    numbers.pop("beside", None)
    return shares(numbers), switched


def instrument(command, folder, *options):
    """The program's output; the recording is in out."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    result = support.run_kymo(
        ["instrument", *options, "--", *command],
        cwd=folder,
        env={"KYMO_OUTPUT_PATH": out, "KYMO_TIME_OUTPUT": "OFF", "KYMO_FINISH": "OFF"},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def own_times(folder, names):
    table = support.run_kymo(
        ["report", folder / "out", "--flat", "--top", "0", "--format", "json"], cwd=folder
    )
    assert table.returncode == 0, table.stderr
    rows = {row["name"]: row["self"] for row in json.loads(table.stdout)["regions"]}
    return {name: rows[name] for name in names}


def quiet_runs(start, count):
    """Yield what start() says of runs in which nobody else had the processor: whoever had it is
    in the times of functions."""
    for _ in range(TRIES):
        text = start()
        truth, switched = said(text)
        if switched == 0:
            yield truth
            count -= 1
        if count == 0:
            return


def points_off(program, kind, folder, truth, *options):
    """{name: points of a hundred that its share is off}: medians of some runs."""
    found = {name: [] for name in truth}

    def start():
        return instrument([program, kind], folder, "--timing", "full", *options)

    for _ in quiet_runs(start, RUNS):
        for name, share in shares(own_times(folder, truth)).items():
            found[name].append(share)
    if not found[next(iter(truth))]:
        pytest.skip("others have the processor in the midst of every run")
    print(kind, options, found, truth)
    return {name: statistics.median(found[name]) - truth[name] for name in truth}


@pytest.mark.alone
def test_short_functions_are_told_apart(program, tmp_path):
    """A caller and what it calls, of 50 ns: in one run the one has some nanoseconds of the other,
    in another the other way round, but without fences all runs blame the caller, and for more."""
    truth, _ = said(support.run([program, "recursion"], cwd=tmp_path).stdout)
    without = points_off(program, "recursion", tmp_path, truth)
    serialized = points_off(program, "recursion", tmp_path, truth, "--serialize")
    assert without["leaf"] < -abs(serialized["leaf"])


@pytest.mark.alone
def test_functions_that_do_next_to_nothing(program, tmp_path):
    def start():
        return support.run([program, "nothing"], cwd=tmp_path).stdout

    bare = list(quiet_runs(start, RUNS))
    if not bare:
        pytest.skip("others have the processor in the midst of nearly every run")
    truth = {name: statistics.median(each[name] for each in bare) for name in bare[0]}
    assert truth["ack"] < POINTS
    off = points_off(program, "nothing", tmp_path, truth, "--serialize")
    assert abs(off["ack"]) < POINTS


def is_serialized(folder):
    """Of each recording of a run, whether it says so."""
    return [NOTE in path.read_bytes() for path in sorted((folder / "out").rglob("*.kymo"))]


@pytest.mark.parametrize("timing", ["coarse", "full"])
def test_processes_below_are_serialized(program, tmp_path, timing):
    instrument(
        ["/bin/sh", "-c", f"{program}; {program}"], tmp_path, "--timing", timing, "--serialize"
    )
    found = is_serialized(tmp_path)
    assert len(found) >= 2 and sum(found) >= 2
    instrument([program], tmp_path, "--timing", timing)
    assert is_serialized(tmp_path) == [False]


def test_sampled_reads_the_clock_so_anyway(program, tmp_path):
    instrument([program], tmp_path, "--timing", "sampled", "--serialize")
    assert is_serialized(tmp_path) == [False]


def test_with_a_budget_and_loops(program, tmp_path):
    instrument([program], tmp_path, "-l", "--budget", "5", "--serialize")
    assert is_serialized(tmp_path) == [True]
    assert own_times(tmp_path, ["heavy"])["heavy"] > 0


def test_a_copy_is_recorded_as_it_was_made(program, tmp_path):
    copy = tmp_path / "copy"
    made = support.run_kymo(
        ["instrument", "--timing", "full", "--serialize", "-o", copy, "--", program], cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    result = support.run_kymo(
        ["run", "--", copy], cwd=tmp_path, env={"KYMO_OUTPUT_PATH": tmp_path / "out"}
    )
    assert result.returncode == 0, result.stderr
    assert is_serialized(tmp_path) == [True]
    assert own_times(tmp_path, ["heavy"])["heavy"] > 0


def test_calls_into_a_library(tmp_path):
    instrument(["/bin/sh", "-c", "printf x"], tmp_path, "--serialize", "--timing", "full")
    result = support.run_kymo(
        ["run", "--trace-api", "libc.so.6:^qsort$", "--", "/bin/ls", "/"],
        cwd=tmp_path,
        env={
            "KYMO_OUTPUT_PATH": tmp_path / "api",
            "KYMO_FUNCTIONS_TIMING": "full",
            "KYMO_FUNCTIONS_SERIALIZE": "ON",
        },
    )
    assert result.returncode == 0, result.stderr
    assert "losses     none" in result.stderr


@pytest.mark.parametrize("timing", ["coarse", "full"])
def test_a_running_program(tmp_path, timing):
    program = lifecycle_runs.compile("attach_functions.cc", "-O2", compiler="g++")
    with Target(program) as target:
        for options, expected in (((), False), (("--serialize",), True)):
            words = ("--timing", timing, "-d", "0.05", *options)
            result = attach(target, tmp_path, *words, env={"KYMO_FINISH": "OFF"})
            assert result.returncode == 0, result.stderr
            assert is_serialized(tmp_path) == [expected]
            shutil.rmtree(tmp_path / "out")
        assert target.end() == FINE


def test_it_is_of_functions(tmp_path):
    with subprocess.Popen(["sleep", "60"]) as process:
        refused = support.run_kymo(["attach", "--serialize", process.pid], cwd=tmp_path)
        process.kill()
    assert refused.returncode != 0
    assert "are for --functions" in refused.stderr


def test_reports_say_that_short_calls_are_not_sure(tmp_path):
    """And what to type; where that was typed, no more."""
    source = support.program("counted_shares.c").read_text()
    program = compile_c(tmp_path, source, "counted_shares", "-fno-optimize-sibling-calls")
    for options, is_said in (
        (["--timing", "full"], True),
        (["--timing", "full", "--serialize"], False),
    ):
        instrument([program, "recursion"], tmp_path, *options)
        report = support.run_kymo(["report", "out"], cwd=tmp_path)
        assert ("in calls of less than" in report.stdout) == is_said, report.stdout
        facts = json.loads(
            support.run_kymo(["report", "--format", "json", "out"], cwd=tmp_path).stdout
        )
        assert (facts["measuring"]["short_calls"] > 0) == is_said

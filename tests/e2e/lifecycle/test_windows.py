"""Recording in time windows and in selected regions.

The program makes no event while an edge passes, so that every time is exact: what is open
is closed at the edge, whenever the program comes by."""

import struct

import commanded
import pytest
import support
from cases import long_except
from commanded import Program, depths, seconds, visits

BOTH = ("--profile", "--trace")
PROGRAM = "commanded"
BEGUN = "0.4"  # seconds until which the program is sure to have begun
EXACT = 2e-4  # the clocks of the system and the recording drift so little in a second


def exactly(value):
    return pytest.approx(value, abs=EXACT)


def replayed(path):
    """The recording as if it had no tree, only events."""
    data = bytearray(path.read_bytes())
    (flags,) = struct.unpack_from("<I", data, 300)
    struct.pack_into("<I", data, 300, flags & ~1)
    path.write_bytes(data)
    return commanded.decoded(path)


def path_of(program):
    (path,) = program.directory.glob("*.kymo")
    return path


def test_delay(tmp_path):
    with Program(tmp_path, *BOTH, "-w", "0.7") as program:
        program("begin outer", "visit before 3", "await probe on", "begin inner", "visit leaf 2")
        program("end inner", "end outer", "visit after 1")
        (recording,) = program.end()
        assert (visits(recording, "outer"), visits(recording, "before")) == (0, 0)
        # Opened while nothing was recorded: what is inside has one level less.
        assert depths(recording, "inner") == depths(recording, "after")
        assert (visits(recording, "inner"), visits(recording, "leaf")) == (1, 2)
        events = replayed(path_of(program))
        assert seconds(events, "inner") == pytest.approx(seconds(recording, "inner"), abs=1e-7)


def test_duration(tmp_path):
    with Program(tmp_path, *BOTH, "-w", BEGUN, "-d", "0.03") as program:
        program(f"spin {BEGUN}", "spin 0.1", "visit after 3", "begin outer", "end outer")
        (recording,) = program.end()
        assert seconds(recording, PROGRAM) == exactly(0.03)
        assert (visits(recording, "after"), visits(recording, "outer")) == (0, 0)
        assert seconds(replayed(path_of(program)), PROGRAM) == exactly(0.03)


def test_open_region_ends_with_the_window(tmp_path):
    with Program(tmp_path, *BOTH, "-w", BEGUN, "-d", "0.4") as program:
        program(
            f"spin {BEGUN}", "begin outer", "begin outer", "spin 0.45", "end outer", "begin outer"
        )
        program("end outer", "end outer")
        (recording,) = program.end()
        assert visits(recording, "outer") == 2
        assert {node["closed"] for node in recording["nodes"] if node["depth"] == 2} == {1}
        assert seconds(recording, PROGRAM) == exactly(0.4)
        inner = max(node["sum_ns"] for node in recording["nodes"] if node["depth"] == 3) * 1e-9
        assert 0 < inner < 0.4
        assert recording["threads"][0]["resynced"] == 0
        assert not [note for note in recording["notes"] if note[0] in (5, 6)]


CLOCKS = ["", ":realtime", ":monotonic", ":monotonic_raw", ":boottime", ":CLOCK_MONOTONIC", ":4"]


@pytest.mark.parametrize("clock", long_except(CLOCKS, "", ":realtime", ":CLOCK_MONOTONIC", ":4"))
def test_periods(tmp_path, clock):
    with Program(
        tmp_path, *BOTH, "--periods", f"{BEGUN}:0.03:1{clock} 0.02:0.03:2{clock}"
    ) as program:
        program(f"spin {BEGUN}", "spin 0.2", "visit after 1")
        (recording,) = program.end()
        assert seconds(recording, PROGRAM) == exactly(0.09)
        assert (visits(recording, PROGRAM), visits(recording, "after")) == (3, 0)
        (node,) = [node for node in recording["nodes"] if node["depth"] == 1]
        assert node["min_ns"] * 1e-9 == exactly(0.03)
        assert node["max_ns"] * 1e-9 == exactly(0.03)


@pytest.mark.parametrize("clock", ["realtime_coarse", "monotonic_coarse"])
def test_coarse_clocks(tmp_path, clock):
    with Program(tmp_path, "--periods", f"{BEGUN}:0.05:1:{clock}") as program:
        program(f"spin {BEGUN}", "spin 0.2", "visit after 1")
        (recording,) = program.end()
        assert visits(recording, "after") == 0
        assert seconds(recording, PROGRAM) == pytest.approx(0.05, abs=0.025)


def test_for_ever(tmp_path):
    with Program(tmp_path, "--periods", "0.01:0.01:0") as program:
        program("await work on", "await work off", "await work on", "await work off")
        program("await work on")
        (recording,) = program.end()
        assert visits(recording, PROGRAM) >= 3


def test_cpu_time(tmp_path):
    options = ("--trace-clock-id", "cputime", "-w", "0.2", "-d", "0.4")
    with Program(tmp_path, *options) as program:
        program("spin 0.01", "visit early 1", "burn 0.21", "visit within 1", "burn 0.4")
        program("visit late 1")
        (recording,) = program.end()
        assert visits(recording, "early") + visits(recording, "late") == 0
        assert visits(recording, "within") == 1


def test_open_at_a_kill(tmp_path):
    """What the last edge closed has no time after it, though nobody came by."""
    with Program(tmp_path, *BOTH, "--periods", f"{BEGUN}:0.05:1") as program:
        program(f"spin {BEGUN}", "spin 0.1", "thread other", "spin 0.05")
        (recording,) = program.kill()
        assert not recording["is_closed"]
        assert seconds(recording, PROGRAM, 0) == exactly(0.05)
        assert visits(recording, "other") == 0
        assert seconds(replayed(path_of(program)), PROGRAM, 0) == exactly(0.05)


def test_thread_that_waits_through_the_end(tmp_path):
    with Program(tmp_path, *BOTH, "-d", "0.5") as program:
        program("thread waiting", "spin 0.6", "visit late 1", "join")
        (recording,) = program.end()
        assert 0 < seconds(recording, "waiting") < 0.5
        assert visits(recording, "late") == 0
        assert seconds(recording, "start_thread") == pytest.approx(
            seconds(recording, "waiting"), abs=0.4
        )


def test_forked_child_goes_on_with_the_windows(tmp_path):
    """A child is a copy of its parent, also of the time it has behind it."""
    with Program(tmp_path, "-w", "0.5") as program:
        program("visit early 1", "await probe on", "visit parent 1", "fork child 2")
        parent, child = program.end()
        assert visits(parent, "early") == 0
        assert (visits(parent, "parent"), visits(child, "child")) == (1, 2)


def test_another_program_begins_anew(tmp_path):
    with Program(tmp_path, "-d", "0.5") as program:
        program("visit first 1", "spin 0.6", "visit late 1")
        program.tell("exec")
        program("visit second 1")
        before, after = program.end()
        assert (visits(before, "first"), visits(before, "late")) == (1, 0)
        assert visits(after, "second") == 1


def test_windows_and_stops(tmp_path):
    """Recorded is what both admit."""
    with Program(tmp_path, *BOTH, "-w", "0.3", "-d", "0.3") as program:
        program("stop", "spin 0.35", "visit stopped 1", "start", "stop", "spin 0.4")
        program("start", "visit late 1")
        (recording,) = program.end()
        assert visits(recording, "stopped") + visits(recording, "late") == 0
        assert seconds(recording, PROGRAM) < 0.3


def test_selected_regions(tmp_path):
    env = {"KYMO_SELECTED_REGIONS": "'the one',two"}
    with Program(tmp_path, *BOTH, env=env) as program:
        program("visit before 1", "begin two", "visit a 2", "begin outer", "begin two")
        program("end two", "visit b 1", "end outer", "end two", "visit after 1", "fork late 1")
        program("begin two", "thread waiting", "fork child 3", "end two", "visit after 1", "join")
        first, *others = program.end()
        assert visits(first, "two") == 3
        assert (visits(first, "a"), visits(first, "b"), visits(first, "outer")) == (2, 1, 1)
        assert visits(first, "before") + visits(first, "after") == 0
        assert sum(visits(each, "late") for each in others) == 0
        assert sum(visits(each, "child") for each in others) == 3
        assert seconds(first, PROGRAM, 0) == pytest.approx(
            sum(
                node["sum_ns"] * 1e-9
                for node in first["nodes"]
                if node["depth"] == 2 and node["thread"] == 0
            ),
            abs=0.01,
        )


def test_without_windows_nothing_changes(tmp_path):
    with Program(tmp_path, *BOTH) as program:
        program("visit work 3")
        (recording,) = program.end()
        assert visits(recording, "work") == 3


@pytest.mark.parametrize(
    "options, words",
    [
        (["--periods", "1"], "the period '1' is not possible: give DELAY:DURATION"),
        (["--periods", "1:2:3:sundial"], "its clock is not one of realtime"),
        (["--periods", "1:0", "1:1"], "the one before it has no end"),
        (["-w", "1", "--periods", "1:1"], "exclude each other"),
        (["-d", "-1"], "-1"),
        (["-w", "soon"], "soon"),
        (["-w", "1", "--trace-clock-id", "sundial"], "unknown clock 'sundial'"),
    ],
)
def test_malformed(tmp_path, options, words):
    result = support.run([support.KYMO, "run", *options, "--", "true"], cwd=tmp_path)
    assert result.returncode == 2
    assert words in result.stderr and result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_reports_and_exports(tmp_path):
    """What the command shows is what the decoder reads."""
    with Program(tmp_path, *BOTH, "--periods", f"{BEGUN}:0.02:1 0.01:0.02:1") as program:
        program(f"spin {BEGUN}", "visit within 2", "spin 0.1")
        (recording,) = program.end()
        calls = support.region_calls(program.directory)
        assert calls.get("within", 0) == visits(recording, "within")
        assert calls[PROGRAM] == visits(recording, PROGRAM) == 2
        result = support.run_kymo(
            ["export", "--format", "collapsed", "-o", "-", program.directory], cwd=tmp_path
        )
        weights = [int(line.rsplit(" ", 1)[1]) for line in result.stdout.splitlines()]
        assert sum(weights) == pytest.approx(seconds(recording, PROGRAM) * 1e6, abs=5)


def test_ratio_of_periods(tmp_path):
    """Any number of edges between two events comes to the right sum."""
    for off, on in ((0.001, 0.002), (0.004, 0.003)):
        folder = tmp_path / str(off)
        folder.mkdir()
        with Program(folder, "--periods", f"{BEGUN}:{on}:1 {off}:{on}:19") as program:
            program(f"spin {BEGUN}", "spin 0.2", "visit after 1")
            (recording,) = program.end()
            assert visits(recording, PROGRAM) == 20
            assert seconds(recording, PROGRAM) == pytest.approx(20 * on, abs=1e-3)

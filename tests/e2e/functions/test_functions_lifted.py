"""Between time windows the text of instrumented functions is the program's own: what is written
into it is taken out and put back while threads run in it, sleep in the kernel, handle signals."""

import functools
import subprocess

import pytest
import support
from functions_runs import KYMO, OFF, ON, run

SOURCE = support.program("functions_lifted.c")
# Off for longer than it takes to be worth it, also on a machine that is busy: if not, scenes wait.
PERIODS = {"KYMO_TRACE_PERIODS": "0.6:0.1:0"}
BRIEF = {"KYMO_TRACE_PERIODS": "0.8:0.02:0"}
CHANGES = {"forks": "1"}  # children see the next windows
CHANGES_OF_OTHERS = "2"  # with a whole window in between
SAID = {
    "alone": "single 1\n",
    "threads": "threads 1\n",
    "sleepers": "sleepers 1 1 1 1\n",
    "signals": "signals 1\n",
    "forks": "forks 0\n",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "functions_lifted"
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", path, SOURCE], check=True)
    return path


@pytest.fixture(scope="module")
def recorded(program, tmp_path_factory):
    """(what a scene printed, its recordings), of one run for all tests that look at it."""
    folder = tmp_path_factory.mktemp("recorded")

    @functools.lru_cache(maxsize=None)
    def play(scene):
        changes = CHANGES.get(scene, CHANGES_OF_OTHERS)
        return run(folder, program, "counts", scene, changes, environment=PERIODS)

    return play


@pytest.mark.parametrize("scene", SAID)
def test_text_is_the_files_between_windows(recorded, scene):
    done, recordings = recorded(scene)
    assert done.stdout == SAID[scene] + "file 1\n"
    # Who waits for children makes no call in any window.
    for recording in recordings[1:] if scene == "forks" else recordings:
        assert all(recording.calls()[name] for name in ("leaf", "middle", "deep")), recording.path


@pytest.mark.long
def test_windows_hold_whole_calls(tmp_path, program):
    """What is called three times by each call of another is recorded so, but for what is under
    way at the edges."""
    _, (recording,) = run(tmp_path, program, "full", "threads", "3", environment=BRIEF)
    calls, marks = recording.calls(), 0
    for events in recording.events().values():
        edges = [event for event in events if event.kind in (OFF, ON)]
        assert [event.kind for event in edges] == [OFF, ON] * (len(edges) // 2)
        assert all(a.ticks <= b.ticks for a, b in zip(events, events[1:]))
        marks += len(edges)
    assert marks >= 2
    assert abs(calls["leaf"] - 3 * calls["middle"]) <= 3 * (marks + 8)


def test_counts(recorded):
    _, (recording,) = recorded("threads")
    calls = recording.calls()
    assert calls["middle"] > 1000
    assert abs(calls["leaf"] - 3 * calls["middle"]) <= 3 * 8 * (int(CHANGES_OF_OTHERS) + 2)


def test_traced_program_goes_on(tmp_path, program):
    """Nobody else may stop its threads: the jumps stay where they are."""
    command = [KYMO, "run", "--functions=full", "-o", tmp_path / "out", "-w", "0.01", "--"]
    command += ["strace", "-f", "-o", tmp_path / "calls", program, "alone", "0"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and done.stdout == "single 1\nfile 1\n", done.stderr
    assert "PTRACE_SEIZE" not in (tmp_path / "calls").read_text()

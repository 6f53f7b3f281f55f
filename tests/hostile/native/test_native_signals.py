"""Signals at any moment of Kymo's own work, and jumps out of open regions and calls."""

import hostile_support as hostile
import native_support as native
import pytest

PROGRAM = "hostile_signals.c"
SIGNALS = 5000
JUMPS = 2000


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


def run(kind, tmp_path, options, **more):
    both = native.Both([native.compile(PROGRAM), kind], tmp_path, options, **more)
    (recording,) = both.recordings
    assert recording.is_closed and recording.header.exit_status == 5
    return both, recording


def check_handlers(both):
    """Every visit is recorded, or counted as lost."""
    calls, lost = both.calls, both.lost_events()
    assert calls["outer"] > 0
    assert 3 * calls["outer"] - lost <= calls["inner"] <= 3 * calls["outer"] + lost
    assert calls["handler"] + lost >= SIGNALS
    assert calls["handler"] - lost <= calls["in handler"] <= calls["handler"] + lost


def test_timer(tmp_path):
    """Thousands of signals in the middle of beginning and ending regions."""
    both, _ = run("interrupted", tmp_path, ["--profile", "--locks=all"])
    check_handlers(both)


def test_under_fire(tmp_path, options):
    """Threads are made, locks are taken, regions begun while a thread does nothing but send
    signals."""
    both, _ = run("under_fire", tmp_path, options)
    check_handlers(both)


def test_jumps_over_regions(tmp_path, options):
    both, recording = run("jumps", tmp_path, options)
    calls = both.calls
    assert calls["around"] == JUMPS and calls["leaping"] == 4 * JUMPS
    assert calls["all jumps"] == calls["after"] == 1
    # What was jumped over ended with the region around it: nothing piles up.
    assert max(len(path) for path in paths(recording)) <= 12
    assert any("ends of annotated regions" in loss for loss in both.report["losses"])


def test_jumps_out_of_faults(tmp_path, options):
    both, recording = run("faults", tmp_path, options)
    assert both.calls["fault"] == JUMPS and both.calls["never ended"] == JUMPS
    assert max(len(path) for path in paths(recording)) <= 12


def test_handlers_on_a_small_stack(tmp_path, options):
    both, _ = run("overflows", tmp_path, options)
    assert both.calls["outer"] == 5 and both.calls["inner"] == 15


def test_jumps_out_of_waits(tmp_path, options):
    """As timeouts are done with alarm(): the call that was left does not stay open."""
    both, recording = run("timeouts", tmp_path, options)
    assert both.calls["with a limit"] == 100
    assert max(len(path) for path in paths(recording)) <= 12


def paths(recording):
    return [path for tree in hostile.trees(recording).values() for path in tree]

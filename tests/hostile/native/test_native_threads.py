"""Threads that end late, never, by force, with little stack, or are many."""

import native_support as native
import pytest

PROGRAM = "hostile_threads.c"


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


def run(kind, tmp_path, options, **more):
    return native.Both([native.compile(PROGRAM), kind], tmp_path, options, **more)


def check_closed(both, threads):
    (recording,) = both.recordings
    assert recording.is_closed and recording.header.exit_status == both.bare.returncode
    assert len(recording.threads) == threads
    assert all(thread.resynced == 0 for thread in recording.threads.values())
    return recording


def check_all_ended(recording):
    assert all(thread.end_ticks != 0 for thread in recording.threads.values())


def test_thread_outlives_main(tmp_path, options):
    both = run("outlive", tmp_path, options, status=0)
    check_all_ended(check_closed(both, 2))


def test_threads_still_run_at_the_end(tmp_path, options):
    """main returns while others are in the middle of wrapped calls."""
    both = run("forever", tmp_path, options)
    check_closed(both, 4)
    assert both.calls["start_thread"] == 3


def test_detached_threads(tmp_path, options):
    both = run("detached", tmp_path, options)
    recording = check_closed(both, 101)
    names = {recording.string(t.name) for t in recording.threads.values() if t.name}
    assert "detached one" in names


def test_cancelled_in_wrapped_calls(tmp_path, options):
    both = run("cancelled", tmp_path, options)
    recording = check_closed(both, 81)
    check_all_ended(recording)
    calls = both.calls
    assert calls["pthread_cond_wait"] >= 20 and calls["pthread_cond_timedwait"] >= 20


def test_ended_by_force(tmp_path, options):
    """Asynchronous cancellation, and pthread_exit() below other functions."""
    check_all_ended(check_closed(run("forced", tmp_path, options), 101))


def test_thousand_threads_at_once(tmp_path, options):
    both = run("many", tmp_path, options)
    check_all_ended(check_closed(both, 1001))
    assert both.calls["pthread_barrier_wait"] == 1001


def test_smallest_stacks(tmp_path, options):
    check_all_ended(check_closed(run("small", tmp_path, options), 101))


@pytest.mark.parametrize("kind, status", [("exit", 6), ("exit_now", 7)])
def test_thread_ends_the_process(tmp_path, options, kind, status):
    check_closed(run(kind, tmp_path, options, status=status), 2)

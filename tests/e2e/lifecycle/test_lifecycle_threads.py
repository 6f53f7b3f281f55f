"""Threads of native programs: where they began, how they ended, what they are called."""

import lifecycle_runs
import pytest


def run(tmp_path, kind):
    program = [lifecycle_runs.compile("lifecycle_threads.c"), kind]
    bare, (recording,) = lifecycle_runs.run_both(program, tmp_path)
    assert bare.returncode == 5 and recording.header.state == lifecycle_runs.CLOSED
    return recording


PTHREADS = "lifecycle_threads/pthread_create"


@pytest.mark.parametrize("kind", ["all_ends", "keys"])
def test_all_ends(tmp_path, kind):
    """By return, pthread_exit() and cancellation; also when no pthread key is left."""
    recording = run(tmp_path, kind)
    assert lifecycle_runs.paths(recording) == {
        "lifecycle_threads": 1,
        PTHREADS: 3,
        "lifecycle_threads/thrd_create": 1,
        "start_thread": 4,
    }
    assert all(thread.end_ticks for thread in recording.threads.values())
    assert [thread.parent for thread in recording.threads.values()][1:] == [0] * 4


def test_many(tmp_path):
    recording = run(tmp_path, "many")
    assert len(recording.threads) == 1 + 20 * 64
    assert lifecycle_runs.paths(recording)["start_thread"] == 20 * 64


def test_small_stacks(tmp_path):
    assert lifecycle_runs.paths(run(tmp_path, "small_stacks"))["start_thread"] == 20


def test_failing(tmp_path):
    """Threads that cannot be had leave nothing behind but the attempts."""
    assert lifecycle_runs.paths(run(tmp_path, "failing")) == {
        "lifecycle_threads": 1,
        PTHREADS: 3001,
        "start_thread": 1,
    }


def test_names(tmp_path):
    recording = run(tmp_path, "names")
    names = [recording.string(thread.name) for thread in recording.threads.values()]
    assert names == [None, "by itself", "by prctl", "by another", "runs on"]


def test_late_destructors(tmp_path):
    """A thread that creates another while it ends: the other is recorded all the same."""
    recording = run(tmp_path, "late_destructors")
    assert len(recording.threads) >= 2

"""Forks from threads, storms of forks, loops of exec, vfork, spawn, other environments."""

import native_support as native
import pytest

PROGRAM = "hostile_processes.c"


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


def run(arguments, tmp_path, options, **more):
    return native.Both([native.compile(PROGRAM), *arguments], tmp_path, options, **more)


def check_parents(both):
    """Everybody's parent is in the run, but for one; a forked child knows which recording."""
    headers = [recording.header for recording in both.recordings]
    known = {(header.pid, header.start_realtime_ns) for header in headers}
    pids = {header.pid for header in headers}
    roots = [header for header in headers if header.parent_pid not in pids]
    assert len(roots) == 1
    for header in headers:
        if header.parent_start_ns != 0:
            assert (header.parent_pid, header.parent_start_ns) in known
    return headers


def test_fork_from_a_thread(tmp_path, options):
    """Others record, make threads and hold locks at that moment."""
    both = run(["in_thread"], tmp_path, options)
    headers = check_parents(both)
    assert len(headers) == 21
    assert sorted(h.exit_status for h in headers) == sorted([5, *range(20)])
    assert both.states() == {native.STATE_CLOSED: 21}


def test_fork_storm(tmp_path, options):
    both = run(["storm"], tmp_path, options)
    assert len(check_parents(both)) == 63
    assert both.states() == {native.STATE_CLOSED: 63}


def test_chain_of_programs(tmp_path, options):
    """One process, twenty programs, all the ways of exec."""
    both = run(["chain", 20], tmp_path, options)
    headers = [recording.header for recording in both.recordings]
    assert len(headers) == 21 and len({header.pid for header in headers}) == 1
    assert both.states() == {native.STATE_REPLACED: 20, native.STATE_CLOSED: 1}


def test_vfork(tmp_path, options):
    """Children that find no program, and such that do."""
    both = run(["vforks"], tmp_path, options)
    check_parents(both)
    ended = [r.header.exit_status for r in both.recordings if r.is_closed]
    assert ended.count(11) == 5 and ended.count(5) == 1


def test_spawns(tmp_path, options):
    both = run(["spawns"], tmp_path, options)
    check_parents(both)
    ended = sorted(r.header.exit_status for r in both.recordings if r.is_closed)
    assert ended == [0, 0, 5, 5, 6, 11]  # system(NULL) asks the shell


def test_exec_that_fails(tmp_path, options):
    """The reasons are the program's to see; the recording goes on."""
    both = run(["fail_exec"], tmp_path, options, status=0)
    assert both.states() == {native.STATE_CLOSED: 1}


def test_other_environments(tmp_path, options):
    """Children without our variables: recorded, or the loss is noted."""
    both = run(["environments"], tmp_path, options)
    assert both.recordings[0] is not None
    check_parents(both)
    statuses = [r.header.exit_status for r in both.recordings if r.is_closed]
    assert 5 in statuses
    # Two programs without, two shells, and one fork.
    assert len(statuses) == 6 or both.losses()

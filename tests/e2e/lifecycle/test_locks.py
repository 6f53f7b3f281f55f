"""Locks: those that are waited for, or all calls; what they answer stays the same."""

import pytest
import support
import waits_runs

MODES = ["contention", "all"]
CONTENDED = {
    ("pthread_mutex_lock", "mutex"): 1,
    ("pthread_rwlock_rdlock", "rwlock"): 1,
    ("pthread_rwlock_wrlock", "rwlock"): 1,
    ("pthread_spin_lock", "spin"): 1,
    ("mtx_lock", "c11_mutex"): 1,
}
JOIN = ("pthread_join", "")


def record(kind, tmp_path, mode, *options, **more):
    return waits_runs.record("waits_locks.c", kind, tmp_path, f"--locks={mode}", *options, **more)


def lengths(recording):
    """{function: [total time of each of its nodes]} of what has an object."""
    found = {}
    for node, _, _ in recording.all_nodes():
        region = recording.regions[node.region]
        if region.kind == waits_runs.KIND_PTHREAD and region.flags & waits_runs.FLAG_OBJECT:
            found.setdefault(recording.string(region.name), []).append(node.sum)
    return found


def test_contention(tmp_path):
    waits, _ = record("contended", tmp_path, "contention")
    assert waits == {**CONTENDED, JOIN: 5}


def test_every_wait_is_seen(tmp_path):
    waits, _ = record("many_waits", tmp_path, "contention")
    assert waits == {("pthread_mutex_lock", "mutex"): 20, JOIN: 20}


def test_nothing_without_contention(tmp_path):
    waits, recording = record("uncontended", tmp_path, "contention")
    assert waits == {}
    names = {recording.string(region.name) for region in recording.regions.values()}
    assert not any("lock" in name and name != "waits_locks" for name in names)


def test_contention_is_the_default(tmp_path):
    program = waits_runs.compile("waits_locks.c")
    _, (recording,) = waits_runs.run_both([program, "contended"], tmp_path, "--locks")
    assert waits_runs.waits(recording, program) == {**CONTENDED, JOIN: 5}


def test_nothing_unless_asked_for(tmp_path):
    program = waits_runs.compile("waits_locks.c")
    _, (recording,) = waits_runs.run_both([program, "contended"], tmp_path)
    assert waits_runs.waits(recording, program) == {JOIN: 5}


def test_all_calls(tmp_path):
    """All are counted; those that did not wait have no length."""
    waits, recording = record("uncontended", tmp_path, "all")
    assert waits == {
        ("pthread_mutex_lock", "mutex"): 100,
        ("pthread_mutex_timedlock", "mutex"): 100,
        ("pthread_mutex_unlock", "mutex"): 200,
        ("pthread_rwlock_rdlock", "rwlock"): 100,
        ("pthread_rwlock_wrlock", "rwlock"): 100,
        ("pthread_rwlock_unlock", "rwlock"): 200,
        ("pthread_spin_lock", "spin"): 100,
        ("pthread_spin_unlock", "spin"): 100,
        ("mtx_lock", "c11_mutex"): 100,
        ("mtx_unlock", "c11_mutex"): 100,
    }
    assert all(times == [0] for times in lengths(recording).values())


def test_all_calls_that_wait(tmp_path):
    waits, recording = record("contended", tmp_path, "all")
    counts = {function: 0 for function, _ in CONTENDED}
    for (function, _), count in waits.items():
        counts[function] = counts.get(function, 0) + count
    assert counts["pthread_mutex_lock"] == counts["pthread_mutex_unlock"] == 2
    assert counts["pthread_spin_lock"] == counts["pthread_spin_unlock"] == 2
    assert counts["mtx_lock"] == counts["mtx_unlock"] == 2
    assert counts["pthread_rwlock_rdlock"] == counts["pthread_rwlock_wrlock"] == 2
    assert counts["pthread_rwlock_unlock"] == 4
    for function in ("pthread_mutex_lock", "pthread_spin_lock", "mtx_lock"):
        assert sum(time > 0 for time in lengths(recording)[function]) == 1


def test_all_calls_in_a_trace(tmp_path):
    waits, recording = record("uncontended", tmp_path, "all", "--trace")
    assert waits_runs.enters(recording) == sum(waits.values()) + 1 == 1201


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["mutexes", "rwlocks"])
def test_answers(tmp_path, kind, mode):
    """Error checking, recursive, robust, priority inheriting: in contention nobody waits for
    what the lock refuses."""
    waits, _ = record(kind, tmp_path, mode)
    if mode == "contention":
        assert not any("unlock" in function or "try" in function for function, _ in waits)
        assert ("pthread_mutex_lock", "") not in waits
        assert ("pthread_rwlock_rdlock", "rwlock") not in waits


def test_timeouts(tmp_path):
    waits, _ = record("timeouts", tmp_path, "contention")
    assert waits == {
        ("pthread_mutex_lock", "other_mutex"): 1,
        ("pthread_mutex_timedlock", "mutex"): 1,
        ("pthread_mutex_clocklock", "mutex"): 1,
        ("pthread_rwlock_timedrdlock", "rwlock"): 1,
        ("pthread_rwlock_timedwrlock", "rwlock"): 1,
        ("pthread_rwlock_clockrdlock", "rwlock"): 1,
        ("pthread_rwlock_clockwrlock", "rwlock"): 1,
        ("mtx_timedlock", "c11_mutex"): 1,
        JOIN: 1,
    }


@pytest.mark.parametrize("mode", MODES)
def test_fork_while_others_hold_locks(tmp_path, mode):
    program = waits_runs.compile("waits_locks.c")
    _, found = waits_runs.run_both([program, "forks"], tmp_path, f"--locks={mode}")
    assert len(found) == 2 and all(waits_runs.is_clean(recording) for recording in found)
    child = waits_runs.waits(found[1], program)
    assert child[("pthread_mutex_timedlock", "mutex")] == 1


@pytest.mark.parametrize("options", [["--locks"], ["--locks=all"], ["--locks=all", "--trace"]])
def test_hammer(tmp_path, options):
    program = waits_runs.compile("waits_locks.c")
    _, (recording,) = waits_runs.run_both([program, "hammer"], tmp_path, *options)
    waits = waits_runs.waits(recording, program)
    assert waits_runs.is_clean(recording)
    if options != ["--locks"]:
        assert waits[("pthread_mutex_lock", "mutex")] == 8 * 20000
        assert waits[("mtx_unlock", "c11_mutex")] == 8 * 20000
        assert waits[("pthread_rwlock_unlock", "rwlock")] == 8 * 20000


@pytest.mark.parametrize(
    "setting, left",
    [
        ("LOCKS", {"pthread_mutex_lock", "mtx_lock"}),
        ("RW_LOCKS", {"pthread_rwlock_rdlock", "pthread_rwlock_wrlock"}),
        ("SPIN_LOCKS", {"pthread_spin_lock"}),
    ],
)
def test_groups(tmp_path, setting, left):
    program = waits_runs.compile("waits_locks.c")
    env = {f"KYMO_TRACE_THREAD_{setting}": "ON"}
    _, (recording,) = waits_runs.run_both([program, "contended"], tmp_path, env=env)
    waits = waits_runs.waits(recording, program)
    assert {function for function, _ in waits} == left | {"pthread_join"}


@pytest.mark.parametrize("mode", MODES)
def test_openmp(tmp_path, mode):
    program = waits_runs.compile("waits_omp.c", "-fopenmp")
    options = [f"--locks={mode}", "--trace"]
    bare, (recording,) = waits_runs.run_both([program], tmp_path, *options)
    assert bare.returncode == 5 and waits_runs.is_clean(recording)
    if mode == "all":
        waits = waits_runs.waits(recording, program)
        assert waits[("pthread_mutex_lock", "mutex")] == 20 * 1000


@pytest.mark.parametrize("library", ["libtcmalloc.so.4", "libjemalloc.so.2"])
@pytest.mark.parametrize("mode", MODES)
def test_other_allocators(tmp_path, library, mode):
    """They lock inside of malloc(), before any constructor and in every thread."""
    folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
    found = [
        f"{folder}/{library}" for folder in folders if waits_runs.Path(folder, library).exists()
    ]
    if not found:
        pytest.skip(f"there is no {library}")
    env = {"LD_PRELOAD": found[0]}
    for kind in "hammer", "forks":
        (tmp_path / kind).mkdir()
        program = waits_runs.compile("waits_locks.c")
        bare, recordings = waits_runs.run_both(
            [program, kind], tmp_path / kind, f"--locks={mode}", env=env
        )
        assert bare.returncode == 5 and all(map(waits_runs.is_clean, recordings))


def test_without_a_recording(tmp_path):
    program = waits_runs.compile("waits_locks.c")
    preload = {
        "LD_PRELOAD": waits_runs.LIBRARIES / "libkymo-locks.so",
        "KYMO_TRACE_THREAD_LOCKS": "ON",
        "KYMO_LOCKS_RECORD": "all",
    }
    for kind in "contended", "mutexes", "timeouts", "rwlocks", "forks":
        bare = support.run([program, kind], cwd=tmp_path)
        alone = support.run([program, kind], cwd=tmp_path, env=preload)
        assert (alone.stdout, alone.stderr, alone.returncode) == (bare.stdout, "", 5)
    assert not support.find_recordings(tmp_path)


@pytest.mark.parametrize("mode", MODES)
def test_locks_while_the_loader_is_busy(tmp_path, mode):
    """A library's constructor that waits; the library's objects have names, too."""
    plugin = waits_runs.compile("waits_plugin.c", "-shared", "-fPIC")
    program = waits_runs.compile("waits_plugins.c", "-ldl")
    _, (recording,) = waits_runs.run_both([program, plugin], tmp_path, f"--locks={mode}")
    waits = waits_runs.waits(recording, plugin)
    assert waits_runs.is_clean(recording)
    assert waits[("pthread_mutex_lock", "plugin_mutex")] == (10 if mode == "contention" else 20)

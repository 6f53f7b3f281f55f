"""Waiting made visible: joins, barriers, conditions and semaphores, with their objects."""

import platform
import re

import pytest
import support
import waits_runs


def record(kind, tmp_path, *options, **more):
    return waits_runs.record("waits_kinds.c", kind, tmp_path, *options, **more)


def test_conditions_and_semaphores(tmp_path):
    waits, _ = record("waits", tmp_path)
    assert waits == {
        ("pthread_cond_wait", "condition"): 1,
        ("sem_wait", "semaphore"): 1,
        ("cnd_wait", "c11_condition"): 1,
        ("pthread_join", ""): 1,
    }


def test_timeouts(tmp_path):
    waits, _ = record("timeouts", tmp_path)
    assert waits == {
        ("pthread_cond_timedwait", "never"): 2,
        ("pthread_cond_clockwait", "never"): 2,
        ("sem_timedwait", "empty"): 1,
        ("sem_clockwait", "empty"): 1,
        ("cnd_timedwait", "c11_condition"): 1,
    }


def test_what_is_had_at_once(tmp_path):
    waits, _ = record("at_once", tmp_path)
    assert waits == {}


def test_joins(tmp_path):
    waits, _ = record("joins", tmp_path)
    assert waits == {
        ("pthread_join", ""): 2,  # one of the thread itself
        ("pthread_timedjoin_np", ""): 1,
        ("pthread_clockjoin_np", ""): 2,
        ("thrd_join", ""): 1,
    }


def test_barriers(tmp_path):
    waits, _ = record("barriers", tmp_path)
    assert waits == {("pthread_barrier_wait", "barrier"): 4 * 7, ("pthread_join", ""): 3}


def test_cancelled_threads(tmp_path):
    """The wait ends where the thread is cancelled: what cleans up is not inside of it."""
    waits, recording = record("cancels", tmp_path)
    assert waits == {
        ("pthread_cond_wait", "never"): 1,
        ("sem_wait", "empty"): 1,
        ("pthread_join", ""): 5,
        ("sem_timedwait", "empty"): 4,
    }
    names = {number: recording.string(x.name) for number, x in recording.regions.items()}
    parents = {reference: node for node, reference, _ in recording.all_nodes()}
    above = [
        names[parents[node.parent].region]
        for node in parents.values()
        if names[node.region] == "sem_timedwait"
    ]
    assert above == ["start_thread"] * 4


def test_signals(tmp_path):
    waits, _ = record("signals", tmp_path)
    assert waits[("sem_wait", "empty")] == 1
    assert waits[("pthread_cond_wait", "condition")] >= 1


def test_forked_child(tmp_path):
    """The child has no thread that waits; its own waits are in its recording."""
    program = waits_runs.compile("waits_kinds.c")
    _, (parent, child) = waits_runs.run_both([program, "forks"], tmp_path)
    join, wait = ("pthread_join", ""), ("sem_wait", "empty")
    assert waits_runs.waits(parent, program) == {join: 1, wait: 1}
    assert waits_runs.waits(child, program) == {join: 1}
    assert waits_runs.is_clean(child)
    assert list(waits_runs.modules(child)) == list(waits_runs.modules(parent))


@pytest.mark.parametrize(
    "setting, gone",
    [
        ("JOIN", {"pthread_join"}),
        ("CONDITIONS", {"pthread_cond_wait", "sem_wait", "cnd_wait"}),
        ("BARRIERS", {"pthread_barrier_wait"}),
    ],
)
def test_groups(tmp_path, setting, gone):
    found = set()
    for kind in "waits", "barriers":
        (tmp_path / kind).mkdir()
        env = {f"KYMO_TRACE_THREAD_{setting}": "OFF"}
        waits, _ = record(kind, tmp_path / kind, env=env)
        found |= {function for function, _ in waits}
    every = {"pthread_join", "pthread_cond_wait", "sem_wait", "cnd_wait", "pthread_barrier_wait"}
    assert found == every - gone


def test_trace(tmp_path):
    """What is in the tree is in the trace, too."""
    waits, recording = record("barriers", tmp_path, "--trace")
    others = 1 + 3 + 3  # the program, pthread_create, start_thread
    assert waits_runs.enters(recording) == sum(waits.values()) + others


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_standard_library(tmp_path, compiler):
    program = waits_runs.compile("waits_std.cc", "-std=c++17", compiler=compiler)
    _, (recording,) = waits_runs.run_both([program], tmp_path, "--locks")
    waits = waits_runs.waits(recording, program)
    assert waits_runs.is_clean(recording)
    mutex, shared, condition = "_ZL5mutex", "_ZL6shared", "_ZL9condition"
    assert waits[("pthread_mutex_lock", mutex)] >= 1
    assert waits[("pthread_rwlock_wrlock", shared)] == 1
    assert waits[("pthread_cond_wait", condition)] >= 2
    assert waits[("pthread_cond_clockwait", condition)] >= 1
    assert waits[("pthread_mutex_clocklock", "_ZL5timed")] == 1
    assert waits[("pthread_join", "")] == 4


def test_without_a_recording(tmp_path):
    """The libraries alone, with nobody who opens the runtime, do nothing."""
    program = waits_runs.compile("waits_kinds.c")
    libraries = ["libkymo-waits.so", "libkymo-locks.so"]
    preload = {"LD_PRELOAD": ":".join(str(waits_runs.LIBRARIES / name) for name in libraries)}
    for kind in "waits", "timeouts", "joins", "barriers", "cancels", "signals", "forks":
        bare = support.run([program, kind], cwd=tmp_path)
        alone = support.run([program, kind], cwd=tmp_path, env=preload)
        assert (alone.stdout, alone.stderr, alone.returncode) == (bare.stdout, "", 5)
    assert not support.find_recordings(tmp_path)


def test_preloaded_names_have_the_versions_of_the_c_library():
    """Programs bound to the older condition variables of x86-64 are left alone."""
    if platform.machine() != "x86_64":
        pytest.skip("there was only ever one sort")
    library = waits_runs.LIBRARIES / "libkymo-waits.so"
    listing = support.run(["nm", "-D", "--with-symbol-versions", library], cwd="/").stdout
    for name in "pthread_cond_wait", "pthread_cond_timedwait":
        assert f"T {name}@@GLIBC_2.3.2\n" in listing


def test_addresses_are_no_rows(tmp_path):
    """Joined threads and conditions without a name are one with their like, in every table."""
    program = waits_runs.compile("waits_many.c")
    settings = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    done = support.run_kymo(["run", "--", program], cwd=tmp_path, env=settings)
    assert done.returncode == 5, done.stderr
    table = (tmp_path / "out" / "trip_count.txt").read_text()
    assert "(0x" not in table and "(0x" not in done.stderr
    labels = re.findall(r"\|_(pthread_(?:join|cond_timedwait))\S* +\| +(\d+) \|", table)
    assert sorted(labels) == [("pthread_cond_timedwait", "6"), ("pthread_join", "6")]
    calls = support.region_calls(tmp_path / "out")
    assert calls["pthread_join"] == calls["pthread_cond_timedwait"] == 6
    waits = support.run_kymo(["report", "--waits", "--format", "csv", "out"], cwd=tmp_path).stdout
    assert waits.count("pthread_join") == 1 and "(0x" not in waits

"""Samples of threads and processes that come and go."""

import lifecycle_runs
import pytest
import sampler_runs
import support


def start(*arguments):
    return [sampler_runs.compile("sampled_life.c"), *map(str, arguments)]


def run(tmp_path, *arguments, **settings):
    """The recordings of a program that does under the sampler what it does without."""
    bare = support.run(start(*arguments), cwd=tmp_path)
    result, found = sampler_runs.run(start(*arguments), tmp_path, **settings)
    assert (result.returncode, result.stdout) == (bare.returncode, bare.stdout)
    assert result.stderr == bare.stderr
    return found


def functions(sampled):
    names = {"in_parent", "in_child", "in_grandchild"}
    return {name for each in sampled.samples for name in names.intersection(each.stack)}


def test_forks(tmp_path):
    """Each process has its own samples, also a child in which nothing else happens."""
    found = run(tmp_path, "forks")
    assert [functions(each) for each in found] == [{"in_parent"}, {"in_child"}, {"in_grandchild"}]
    assert all(len(each.samples) > 15 and each.lost == {} for each in found)
    assert all(each.begins == {0: 1} for each in found)


def test_fork_by_system_call(tmp_path):
    found = run(tmp_path, "forks_by_call")
    assert [functions(each) for each in found] == [{"in_parent"}, {"in_child"}]


def test_exec(tmp_path):
    """One that fails changes nothing; no signal waits for the program that comes."""
    first, second = run(tmp_path, "replaces", SAMPLING_FREQ=2000)
    assert first.recording.header.state == lifecycle_runs.REPLACED
    assert functions(first) == {"in_parent"} and functions(second) == {"in_child"}
    since = first.recording.clock.since_start
    assert max(since(each.ticks) for each in first.samples) > 0.15e9


def test_events_in_children(tmp_path):
    """Descriptors of the parent's events are let go of, and the child gets its own."""
    event = "perf::PERF_COUNT_SW_TASK_CLOCK"
    settings = {"SAMPLING_OVERFLOW": "ON", "SAMPLING_OVERFLOW_EVENT": event}
    found = run(tmp_path, "forks", SAMPLING_OVERFLOW_FREQ=2000000, **settings)
    if not found[0].texts(6):
        assert [functions(each) for each in found] == [
            {"in_parent"},
            {"in_child"},
            {"in_grandchild"},
        ]


def signals_of(sampled):
    (count,) = [value for _, key, value in sampled.recording.notes() if key == b"sampling signals"]
    return int(count)


@pytest.mark.alone
def test_sleepers_are_left_to_sleep(tmp_path):
    """They have the samples of the rate that was asked for, and are woken for few of them."""
    result, (found,) = sampler_runs.run(["sleep", "0.8"], tmp_path, SAMPLING_FREQ=1000)
    assert result.returncode == 0
    assert found.share("kernel:230") > 0.8
    asleep = [each for each in found.samples if "kernel:230" in each.stack]
    assert len(asleep) > 0.5 * 0.8 * 1000
    assert sum(each.gil for each in asleep) == 0
    assert 3 * signals_of(found) < len(found.samples)
    since = found.recording.clock.since_start
    assert max(since(each.ticks) for each in asleep) > 0.79e9


def test_every_one_of_a_low_rate_is_a_signal(tmp_path):
    _, (found,) = sampler_runs.run(["sleep", "0.4"], tmp_path, SAMPLING_FREQ=100)
    assert signals_of(found) >= len(found.samples) > 5


def test_many_threads(tmp_path):
    """Thousands of short threads, one after the other."""
    (sampled,) = run(tmp_path, "threads", 2000, SAMPLING_FREQ=1000)
    assert len(sampled.recording.threads) == 2001
    threads = {each.thread for each in sampled.samples} - {0}
    assert len(threads) > 20
    inside = ["in_child" in each.stack for each in sampled.samples if each.thread]
    assert sum(inside) > 0.5 * len(inside)


def test_many_threads_at_once(tmp_path):
    (sampled,) = run(tmp_path, "many_at_once", 500, SAMPLING_FREQ=50)
    assert {each.thread for each in sampled.samples} > set(range(1, 400))


def test_no_more_timers(tmp_path):
    """Threads that get no timer run on unsampled, and are counted."""
    limited = ["prlimit", "--sigpending=60", *start("many_at_once", 300)]
    result, found = sampler_runs.run(limited, tmp_path, SAMPLING_FREQ=50)
    sampled = found[-1]
    assert result.stdout == "joined\n" and result.returncode == 0
    (loss,) = [text for text in sampled.texts(6) if "threads were not sampled" in text]
    assert 100 < int(loss.split()[0]) <= 300


def test_threads_left_running(tmp_path):
    (sampled,) = run(tmp_path, "left_running")
    assert {each.thread for each in sampled.samples} == {0, 1, 2, 3, 4}
    assert sampled.recording.header.state == lifecycle_runs.CLOSED


def test_signals_given_away(tmp_path):
    """A program that asks for sampling's signals gets them; threads are sampled by others."""
    (sampled,) = run(tmp_path, "wants_signals", SAMPLING_CPUTIME="ON", SAMPLING_REALTIME="ON")
    since = sampled.recording.clock.since_start
    for kind in (sampler_runs.REALTIME, sampler_runs.CPUTIME):
        for thread in (0, 1):
            times = [since(each.ticks) for each in sampled.of(kind, thread)]
            assert min(times) < 0.05e9 and max(times) > 0.2e9


@pytest.mark.parametrize("realtime", ["OFF", "ON"])
def test_all_descriptors_closed(tmp_path, realtime):
    """Those of events, too: what gets their numbers is the program's, and stays open.

    With both clocks the recording has room to give back, and no descriptor to do it by.
    """
    (sampled,) = run(tmp_path, "closes_all", SAMPLING_CPUTIME="ON", SAMPLING_REALTIME=realtime)
    assert "in_child" in functions(sampled)
    if any("events of the kernel" in text for text in sampled.texts(1)):
        (loss,) = [text for text in sampled.texts(6) if "closed descriptors" in text]
        assert loss.startswith("2 threads ")


def test_fork_while_a_thread_begins(tmp_path):
    """What the thread has not got yet the child does not close."""
    program = [sampler_runs.compile("sampled_meanwhile.c", "-rdynamic")]
    bare = support.run(program, cwd=tmp_path)
    kymo = support.replaceable_kymo(tmp_path / "kymo")
    result, _ = sampler_runs.run(program, tmp_path, kymo=kymo, SAMPLING_CPUTIME="ON")
    assert (result.returncode, result.stdout) == (0, bare.stdout) == (0, "3\n")


def test_few_descriptors(tmp_path):
    """Half of them are left to the program; threads that get none are sampled by timers."""
    (sampled,) = run(tmp_path, "few_descriptors", 100, SAMPLING_CPUTIME="ON")
    assert not any("not sampled" in text for text in sampled.texts(6))


def test_jump_off_an_alternate_stack(tmp_path):
    """The mask of the handler, which nobody samples, stays no longer than the program's own."""
    (sampled,) = run(tmp_path, "jumps")
    assert functions(sampled) == {"in_parent", "in_child"}


def test_code_that_is_gone(tmp_path):
    """What was code is not looked at any more where something else stands behind it."""
    run(tmp_path, "code_goes", SAMPLING_FREQ=2000)


def test_no_more_signals(tmp_path):
    """Where the kernel has no room for a signal of an event it sends another, by which programs
    end."""
    (sampled,) = run(tmp_path, "queue_is_full", SAMPLING_CPUTIME="ON")
    assert "in_parent" in functions(sampled)


KINDS = {
    "lifecycle_threads.c": ["all_ends", "keys", "small_stacks", "names", "late_destructors"],
    "hostile_surroundings.c": ["kill", "trap", "refuse", "strict", "work"],
}


@pytest.mark.parametrize(
    "source, kind", [(source, kind) for source, kinds in KINDS.items() for kind in kinds]
)
def test_programs_do_what_they_do(tmp_path, source, kind):
    """Programs of other tests, at a high rate."""
    program = [sampler_runs.compile(source), kind]
    bare = support.run(program, cwd=tmp_path)
    result, _ = sampler_runs.run(program, tmp_path, SAMPLING_FREQ=2000)
    assert (result.returncode, result.stdout) == (bare.returncode, bare.stdout)
    assert result.stderr == bare.stderr


def test_restricted(tmp_path):
    """A program that gives up system calls is sampled up to there, and lives."""
    (sampled,) = run(tmp_path, "restricted")
    assert functions(sampled) == {"in_parent"}


def test_full_recording(tmp_path):
    """The room that may be used is used up; the program runs on."""
    result, (sampled,) = sampler_runs.run(
        start("threads", 800), tmp_path, SAMPLING_FREQ=5000, RECORD_LIMIT_MB=1
    )
    assert result.returncode == 0
    assert len(result.stderr.splitlines()) == 1 and "RECORD_LIMIT_MB" in result.stderr
    assert sampled.samples

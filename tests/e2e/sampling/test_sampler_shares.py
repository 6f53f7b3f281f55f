"""Samples of C programs: how the time is shared out, by which clock, of which threads."""

import pytest
import sampler_runs
from sampler_runs import CPUTIME, CUT, HELD, OVERFLOW, REALTIME


def run(tmp_path, kind, seconds, **settings):
    program = [sampler_runs.compile("sampled_shares.c"), kind, seconds]
    result, (sampled,) = sampler_runs.run(program, tmp_path, **settings)
    assert result.returncode == 0 and result.stderr == ""
    return result, sampled


def check_shares(sampled, kind):
    assert sampled.is_share(2 / 3, "two_units", kind, among="shares")
    assert sampled.is_share(9 / 10, "nine_units", kind, among="nine_to_one")
    # One or two may come before main() begins or after it has ended.
    outside = sum("main" not in each.stack for each in sampled.of(kind))
    assert outside <= 2 + 0.02 * len(list(sampled.of(kind)))
    assert sampled.lost == {}


def test_wall_time(tmp_path):
    _, sampled = run(tmp_path, "shares", 0.8)
    check_shares(sampled, REALTIME)
    assert {each.kind for each in sampled.samples} == {REALTIME}
    assert sampled.begins == {0: 1}
    assert sampled.texts(1) and "500 Hz requested, timers on" in sampled.texts(1)[0]


def test_cpu_time(tmp_path):
    """Whatever engine this machine has for it."""
    _, sampled = run(tmp_path, "shares", 0.8, SAMPLING_CPUTIME="ON")
    check_shares(sampled, CPUTIME)
    cpu_ns = sum(each.cpu_ns for each in sampled.of(CPUTIME))
    assert cpu_ns <= sampled.recording.threads[0].cpu_ns


def test_both_clocks(tmp_path):
    _, sampled = run(tmp_path, "threads", 0.5, SAMPLING_CPUTIME="ON", SAMPLING_REALTIME="ON")
    assert sampled.is_share(9 / 10, "nine_units", CPUTIME, among="nine_to_one")
    assert sampled.is_share(9 / 10, "nine_units", REALTIME, among="nine_to_one")
    # Who sleeps is seen by wall time, in the kernel.
    asleep = [each for each in sampled.of(REALTIME) if "sleeping" in each.stack]
    assert len(asleep) > 20
    assert sum("sleeping" in each.stack for each in sampled.of(CPUTIME)) < 0.1 * len(asleep)
    in_kernel = [each for each in asleep if each.stack[0].startswith("kernel:")]
    assert len(in_kernel) > 0.9 * len(asleep)


def at_best(tmp_path, is_well, *arguments, **settings):
    """The first of some runs that is well, else the last: a busy machine has signals come late."""
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, sampled = run(folder, *arguments, **settings)
        if is_well(sampled):
            break
    return sampled


def test_rate(tmp_path):
    """As many as were asked for, on the average of distances drawn at random."""

    def is_well(sampled):
        assert len(sampled.samples) < 150
        return len(sampled.samples) > 60

    assert is_well(at_best(tmp_path, is_well, "sleeping", 0.6, SAMPLING_FREQ=200))


def test_without_jitter(tmp_path):
    def is_well(sampled):
        weights = sorted(each.weight for each in sampled.samples)
        middle = weights[len(weights) // 2]
        return sum(0.8 * middle < each < 1.2 * middle for each in weights) > 0.5 * len(weights)

    options = {"SAMPLING_FREQ": 200, "SAMPLING_JITTER": "OFF"}
    assert is_well(at_best(tmp_path, is_well, "sleeping", 0.6, **options))


def test_no_step(tmp_path):
    """A program that is in step with a timer of the same rate is seen in both its halves."""

    def is_well(sampled):
        return 0.2 < sampled.share("one_unit") < 0.8

    assert is_well(at_best(tmp_path, is_well, "periodic", 1.2, SAMPLING_FREQ=100))


def test_depth(tmp_path):
    _, sampled = run(tmp_path, "deep", 0.1, SAMPLING_DEPTH=50)
    deep = [each for each in sampled.samples if "descend" in each.stack]
    # One or two may come before the program begins or while it goes down.
    deep = [each for each in deep if each.stack[-1] == CUT]
    assert deep and len(deep) >= 0.8 * len(sampled.samples) - 2
    for each in deep:
        assert len(each.stack) == 51 and each.stack.count("descend") > 40


def test_small_signal_stack(tmp_path):
    _, sampled = run(tmp_path, "small_stack", 0.4, SAMPLING_FREQ=5000)
    assert sampled.is_share(2 / 3, "two_units", among="shares")


def test_program_with_a_timer(tmp_path):
    result, sampled = run(tmp_path, "own_timer", 0.4)
    assert result.stdout == "alarms: many\n"
    assert sampled.is_share(2 / 3, "two_units", among="shares")


def test_overflow(tmp_path):
    event = "perf::PERF_COUNT_SW_PAGE_FAULTS"
    _, sampled = run(
        tmp_path,
        "faults",
        0.1,
        SAMPLING_OVERFLOW="ON",
        SAMPLING_OVERFLOW_EVENT=event,
        SAMPLING_OVERFLOW_FREQ=50,
    )
    if sampled.texts(6):
        pytest.skip(sampled.texts(6)[0])
    assert len(sampled.of(OVERFLOW)) > 10
    assert sum("faults" in each.stack for each in sampled.samples) > 0.8 * len(sampled.samples)
    assert all(each.value >= 25 for each in sampled.samples[1:])


@pytest.mark.parametrize("event", ["perf::NO_SUCH_EVENT", ""])
def test_unknown_event(tmp_path, event):
    """It is spoken of once; the rest goes on."""
    program = [sampler_runs.compile("sampled_shares.c"), "shares", 0.1]
    settings = {"SAMPLING_OVERFLOW": "ON", "SAMPLING_OVERFLOW_EVENT": event}
    result, recorded = sampler_runs.run(program, tmp_path, SAMPLING_REALTIME="ON", **settings)
    assert result.returncode == 0
    lines = result.stderr.splitlines()
    assert event in lines[0] and recorded[0].of(REALTIME)
    # In its place stands the default, which may not be there either.
    assert len(lines) <= 2 and not (event and event in "".join(lines[1:]))


def test_chosen_threads(tmp_path):
    _, sampled = run(tmp_path, "threads", 0.3, SAMPLING_TIDS="0,2-4")
    assert {each.thread for each in sampled.samples} == {0, 2}
    assert {each.thread for each in sampled.samples} < set(sampled.recording.threads)


def test_chosen_threads_of_a_kind(tmp_path):
    _, sampled = run(
        tmp_path,
        "threads",
        0.3,
        SAMPLING_REALTIME="ON",
        SAMPLING_CPUTIME="ON",
        SAMPLING_CPUTIME_TIDS="1,2",
        SAMPLING_REALTIME_TIDS="0",
    )
    assert {each.thread for each in sampled.of(REALTIME)} == {0}
    assert {each.thread for each in sampled.of(CPUTIME)} <= {1, 2}
    assert sampled.share("nine_units", CPUTIME) > 0.6


def test_delay_and_duration(tmp_path):
    _, sampled = run(tmp_path, "shares", 0.9, SAMPLING_DELAY=0.4, SAMPLING_DURATION=0.2)
    since = sampled.recording.clock.since_start
    times = [since(each.ticks) for each in sampled.samples]
    assert min(times) >= 0.4e9 and max(times) < 0.85e9
    assert sampled.samples[0].weight < 0.2 * sum(each.weight for each in sampled.samples)


def test_windows(tmp_path):
    """Samples lie in the windows of the run, and each window begins anew."""
    program = [sampler_runs.compile("sampled_shares.c"), "shares", 0.9]
    options = ["--periods", "0.1:0.15:3:monotonic"]
    result, (sampled,) = sampler_runs.run(program, tmp_path, *options)
    assert result.returncode == 0, result.stderr
    assert sampled.begins[0] == 3
    total = sum(each.weight for each in sampled.samples)
    ticks = sampled.recording.header.end_ticks - sampled.recording.header.start_ticks
    assert 0.2 < total / ticks < 0.7


def test_beside_exact_calls(tmp_path):
    """Samples and regions in one recording."""
    _, sampled = run(tmp_path, "threads", 0.3, PROFILE="ON", TRACE="ON")
    assert sampled.share("nine_units", among="nine_to_one") > 0.6
    assert sum(node.count for node, _, _ in sampled.recording.all_nodes()) > 5
    assert all(each.gil != HELD for each in sampled.samples)

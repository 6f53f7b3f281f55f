"""Programs whose shares are known, because each part measures itself: samples say the same."""

import pytest
import sampled
import support

SECONDS = "0.7"


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["realtime", "cputime"])
@pytest.mark.parametrize("mode", ["two", "ninety", "bursts", "fifty"])
def test_shares_of_functions(mode, kind, tmp_path):
    binary = sampled.compile(tmp_path)
    clock = ["cpu"] if kind == "cputime" else []
    truth = sampled.spent(
        sampled.sample(tmp_path, [binary, mode, SECONDS, *clock], "-f", "1000", "-S", kind)
    )
    sampled.assert_shares(sampled.report(tmp_path)["regions"], truth)


def test_sleeping_thread_is_seen_waiting(tmp_path):
    binary = sampled.compile(tmp_path)
    sampled.sample(tmp_path, [binary, "threads", SECONDS], "-f", "500")
    threads = [each for each in sampled.report(tmp_path, "--threads")["threads"] if each["thread"]]
    sleeper, spinner = sorted(threads, key=lambda each: each["cpu"])
    assert sleeper["waiting_percent"] > 80
    assert sleeper["waits_for"].startswith("sleep")
    assert spinner["native_percent"] + spinner["runnable_percent"] > 90
    assert spinner["cpu"] > 10 * sleeper["cpu"]


@pytest.mark.alone
@pytest.mark.parametrize("mode", ["naps", "winks"])
def test_sleep_and_work_in_turns(mode, tmp_path):
    """Who sleeps is woken seldom; what it does in between is neither lost nor made more of."""
    binary = sampled.compile(tmp_path)
    truth = sampled.spent(
        sampled.sample(tmp_path, [binary, mode, SECONDS, "cpu"], "-f", "1000", "-S", "realtime")
    )
    regions = {each["name"]: each for each in sampled.report(tmp_path)["regions"]}
    assert 0.7 * truth["used"] < regions["part_00"]["self"] < 1.4 * truth["worked"], truth
    (thread,) = sampled.report(tmp_path, "--threads")["threads"]
    assert 0.8 * truth["used"] < thread["cpu"] < 1.3 * truth["used"] + 0.02
    waited = thread["waiting_percent"] / 100 * thread["wall"]
    whole = truth["slept"] + truth["worked"]
    # Who is woken on a busy machine does not sleep any more, but does not run yet.
    asleep = truth["slept"] - truth["delayed"]
    assert 0.8 * asleep < waited < whole - 0.7 * truth["used"] + 0.02


def test_lock_convoy(tmp_path):
    binary = sampled.compile(tmp_path)
    truth = sampled.spent(sampled.sample(tmp_path, [binary, "convoy", SECONDS], "-f", "500"))
    waits = [
        each
        for each in sampled.report(tmp_path, "--waits")["waits"]
        if each["waits_for"] == "lock" and each["function"] == "convoy"
    ]
    found = sum(each["time"] for each in waits)
    assert 0.5 * truth["waited"] < found < 1.5 * truth["waited"], (found, truth)
    assert any("table_lock" in (each["object"] or "") for each in waits)


@pytest.mark.alike_versions("3.11")
def test_python_and_c_called_from_it(python, tmp_path):
    truth = sampled.spent(
        sampled.sample(
            tmp_path, [python.executable, sampled.TRUTH_PYTHON, "c", SECONDS], "-f", "1000"
        )
    )
    report = sampled.report(tmp_path)
    totals = {each["name"]: each["total"] for each in report["regions"]}
    share = totals["in_c"] / (totals["in_c"] + totals["in_python"])
    # Those that come late on a busy machine count for more.
    low, high = sampled.interval(share, report["samples"] / 2)
    assert low <= truth["in_c"] / sum(truth.values()) <= high


@pytest.mark.alike_versions("3.11")
def test_the_hot_line(python, tmp_path):
    sampled.sample(
        tmp_path, [python.executable, sampled.TRUTH_PYTHON, "line", SECONDS], "-f", "1000"
    )
    lines = [
        each
        for each in sampled.report(tmp_path, "--lines")["lines"]
        if (each["file"] or "").endswith("truth.py")
    ]
    text = support.program("truth.py").read_text().splitlines()
    hottest = max(lines, key=lambda each: each["total"] if each["function"] != "<module>" else 0)
    top = max(lines, key=lambda each: each["self"])
    assert "sum(x * x" in text[top["line"] - 1], (top, hottest)

"""SIGKILL at any moment: the recording loads, its counts hold together, what was open is
reported as open, and nothing that was seen before is gone."""

import concurrent.futures
import itertools
import random
import signal
import subprocess
import time

import hostile_support as hostile
import pytest
import support

PROGRAM = support.program("endless_calls.py")
THREADS = 3
KILLS = 8  # of each interpreter and mode
MODES = {
    "profile": {},
    "trace": {"KYMO_TRACE": "ON", "KYMO_PROFILE": "OFF"},
    "both": {"KYMO_TRACE": "ON"},
    "sampled": {"KYMO_PYTHON_TIMING": "sampled"},
}


def start(python, directory, mode):
    directory.mkdir()
    return subprocess.Popen(
        hostile.command(python, [PROGRAM, THREADS]),
        cwd=str(directory),
        env=hostile.environment(directory, MODES[mode]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill_at(python, directory, mode, delay, is_ready):
    """Run and kill, a while after the start or after the program has begun; what a reader
    saw just before, and whether the program had begun."""
    process = start(python, directory, mode)
    seen = {}
    try:
        if is_ready:
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay / 2)
            seen = hostile.calls(directory / "out")
        time.sleep(delay / 2)
        assert process.poll() is None, process.stderr.read()
    finally:
        process.send_signal(signal.SIGKILL)
        _, stderr = process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert stderr == ""
    return seen


def check_proportions(counts):
    """Each thread may be inside one outer(), one middle() and one leaf()."""
    outer, middle, leaf = (counts.get(name, 0) for name in ("outer", "middle", "leaf"))
    assert 3 * (outer - THREADS) <= middle <= 3 * outer
    assert 5 * (middle - THREADS) <= leaf <= 5 * middle


def check_losses(report, is_ready):
    """What is lost is what was open, and nothing else."""
    losses = report["losses"]
    assert hostile.NOT_CLOSED in losses[0]
    if is_ready:
        count, rest = losses[1].split(" ", 1)
        # <module>, work, outer and, at most, middle and leaf; and thread start-up.
        assert rest.startswith(hostile.WERE_OPEN) and 2 <= int(count) <= 7 * THREADS
        assert len(losses) == 2
    else:
        assert all(hostile.WERE_OPEN in each for each in losses[1:])


def check_threads(path):
    """In each thread the open path is one path, and its counts are exact but for the last
    visit: an enter is counted a moment before it is open."""
    for tree in hostile.trees(hostile.read(path)).values():
        open_paths = sorted((each for each, node in tree.items() if node.is_open), key=len)
        for shorter, longer in zip(open_paths, open_paths[1:]):
            assert longer[: len(shorter)] == shorter and len(longer) == len(shorter) + 1
        for name, below, times in (("outer", "middle", 3), ("middle", "leaf", 5)):
            for path, node in tree.items():
                if path[-1:] == (name,) and (*path, below) in tree:
                    inside = tree[(*path, below)].count
                    assert times * (node.count - 1) <= inside <= times * node.count


def check(directory, mode, seen, is_ready):
    recordings = support.find_recordings(directory)
    if not recordings:
        assert not is_ready
        return
    assert len(recordings) == 1
    report = hostile.report(directory / "out")
    check_losses(report, is_ready)
    if is_ready:
        assert report["measuring"]["is_calibrated"] and report["measuring"]["calls"] > 0
    counts = hostile.calls(directory / "out")
    check_proportions(counts)
    for name, count in seen.items():
        assert counts[name] >= count
    if mode == "profile":
        check_threads(recordings[0])


def kill_and_check(python, directory, mode, chance):
    is_ready = chance.random() < 0.75
    delay = chance.uniform(0, 0.1 if is_ready else 0.2)
    seen = kill_at(python, directory, mode, delay, is_ready)
    check(directory, mode, seen, is_ready)


@pytest.mark.slow
@pytest.mark.newest_version
def test_killed_at_random(python, tmp_path):
    chance = random.Random(str(python))
    runs = list(itertools.product(MODES, range(KILLS)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = [
            pool.submit(
                kill_and_check,
                python,
                tmp_path / f"{mode}-{number}",
                mode,
                random.Random(chance.random()),
            )
            for mode, number in runs
        ]
        for result in results:
            result.result()


def test_counts_only_grow(python, tmp_path):
    """A reader that looks again and again at a running program never sees less."""
    directory = tmp_path / "run"
    process = start(python, directory, "profile")
    try:
        assert process.stdout.readline() == "ready\n"
        before = {}
        for _ in range(10):
            now = hostile.calls(directory / "out")
            assert all(now[name] >= count for name, count in before.items())
            before = now
    finally:
        process.kill()
        process.communicate()
    assert before["outer"] > 100

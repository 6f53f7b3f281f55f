"""Percentages of a process that is recorded from its middle on are of the time that was recorded,
not of its life: regions, what is in none of them and what measuring took add up to that."""

import lifecycle_runs
import pytest
import support
from attached_runs import Target, attach, wait_for_cpu
from base_sums import check_sums, report
from cases import long_except

BUSY = """
import sys, threading
def work():
    while True:
        sum(range(10000))
threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
"""
LIFE_S = 0.5  # of CPU time, before anything is recorded
RECORDED_S = 0.2
BRIEF_S = 0.05  # in which functions are called often enough


def check_base(run, threads):
    """What was before is not in it, however long it was."""
    base = check_sums(run)
    duration = report(run, "--flat")["duration"]
    assert 0 < base["time"] <= threads * duration * 1.001
    return base


@pytest.mark.newest_version
@pytest.mark.parametrize("command", ["sample", "attach"])
def test_samples_from_the_middle(tmp_path, command, python):
    with Target(python.executable, "-c", BUSY) as target:
        wait_for_cpu(target.pid, LIFE_S)
        words = [command, "-q", "-p", target.pid, "-d", RECORDED_S, "-o", tmp_path / "out"]
        done = support.run_kymo(words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    check_base(tmp_path / "out", 2)


@pytest.mark.parametrize("cost", long_except(["counts", "coarse", "full"], "counts", "coarse"))
def test_functions_from_the_middle(tmp_path, cost):
    program = lifecycle_runs.compile("attach_functions.cc", "-O2", compiler="g++")
    with Target(program) as target:
        wait_for_cpu(target.pid, LIFE_S)
        options = ("--cost", cost, "-d", str(BRIEF_S))
        done = attach(target, tmp_path, *options, env={"KYMO_FINISH": "OFF"})
        assert done.returncode == 0, done.stderr
    check_base(tmp_path / "out", report(tmp_path / "out", "--flat")["threads"])

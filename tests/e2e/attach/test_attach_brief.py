"""kymo attach: threads that live for moments are seen, and what ends is not called lost."""

import os
from pathlib import Path

import pytest
from attach_runs import Target, sampled

RATE = 200
ENOUGH_S = 0.1  # of CPU time, in which twenty threads and more have lived
MOST = 20


def cpu_seconds(pid):
    """What a process and all threads that it had have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(target, folder, how):
    """(CPU time meanwhile, samples of brief threads, lost stacks for each sample)"""
    before = cpu_seconds(target.pid)
    found = sampled(target, folder, "-d", "0.7", "-r", str(RATE), how)
    used = cpu_seconds(target.pid) - before
    briefs = [sample for sample in found.samples if "brief" in sample.functions]
    assert all(sample.functions[-1] in ("leaf", "brief") for sample in briefs)
    return used, len(briefs), found.lost / len(found.samples)


@pytest.mark.newest_version
@pytest.mark.parametrize("how", ["--native", "--blocking", "--steady"])
def test_brief_threads(python, tmp_path, how):
    """They live while the program is on a processor, which others may have for most of the time:
    what is seen of them is held against its CPU time."""
    used, seen, lost = 0.0, 0, []
    with Target(python.executable, script="attach_brief.py") as target:
        while len(lost) < MOST and not (used >= ENOUGH_S and min(lost) <= 0.03):
            found = measured(target, tmp_path / str(len(lost)), how)
            used, seen, lost = used + found[0], seen + found[1], [*lost, found[2]]
        assert target.status("TracerPid") == "0"
    assert used >= ENOUGH_S
    assert seen > 0.2 * used * RATE, (used, seen)
    assert min(lost) <= 0.03, lost

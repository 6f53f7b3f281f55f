"""kymo attach: threads that live for moments are seen, and what ends is not called lost."""

import pytest
from attach_runs import Target, sampled


def measured(target, folder, how):
    """(samples of brief threads for each look, lost stacks for each sample)"""
    found = sampled(target, folder, "-d", "0.7", "-r", "200", how)
    (main,) = [key for key, each in found.threads.items() if each["id"] == found.pid]
    looks = sum(sample.thread == main for sample in found.samples)
    briefs = [sample for sample in found.samples if "brief" in sample.functions]
    assert all(sample.functions[-1] in ("leaf", "brief") for sample in briefs)
    return len(briefs) / looks, found.lost / len(found.samples)


@pytest.mark.parametrize("how", ["--native", "--blocking", "--steady"])
def test_brief_threads(python, tmp_path, how):
    """Other programs may take all processors for most of a measurement, hardly of several."""
    results = []
    with Target(python.executable, script="attach_brief.py") as target:
        while len(results) < 4 and not any(seen > 0.2 and lost <= 0.03 for seen, lost in results):
            results.append(measured(target, tmp_path / str(len(results)), how))
        assert target.status("TracerPid") == "0"
    assert any(seen > 0.2 and lost <= 0.03 for seen, lost in results), results

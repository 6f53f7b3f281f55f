"""kymo attach: threads that live for moments are seen, and what ends is not called lost."""

import pytest
from attach_runs import Target, sampled


@pytest.mark.parametrize("how", ["--native", "--blocking", "--steady"])
def test_brief_threads(python, tmp_path, how):
    with Target(python.executable, script="attach_brief.py") as target:
        found = sampled(target, tmp_path, "-d", "0.7", "-r", "200", how)
        assert target.status("TracerPid") == "0"
    (main,) = [key for key, each in found.threads.items() if each["id"] == found.pid]
    looks = sum(sample.thread == main for sample in found.samples)
    briefs = [sample for sample in found.samples if "brief" in sample.functions]
    assert len(briefs) > 0.18 * looks, (len(briefs), looks, len(found.threads))
    assert all(sample.functions[-1] in ("leaf", "brief") for sample in briefs)
    assert found.lost <= 0.03 * len(found.samples), (found.lost, len(found.samples))

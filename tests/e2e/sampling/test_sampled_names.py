"""Samples have the names that Python has for its threads, on every interpreter."""

import json

import pytest
import sampled
import support

PROGRAM = support.program("sampled_names.py")
NAMES = {"the one that computes", "sleeper", "named anew", "näm"}


def names(folder):
    result = support.run_kymo(
        ["report", folder / "out", "--threads", "--format", "json"], cwd=folder
    )
    assert result.returncode == 0, result.stderr
    return [each["name"] for each in json.loads(result.stdout)["threads"]]


@pytest.mark.alike_versions
def test_names_of_threads(python, tmp_path):
    sampled.sample(tmp_path, [python.executable, PROGRAM])
    found = names(tmp_path)
    assert set(found) >= NAMES
    assert len(found) == 6
    # What threading did not start has no name but the one that its kernel may have.
    assert sum(each in NAMES for each in found) == len(NAMES)


@pytest.mark.alike_versions
def test_names_with_calls(python, tmp_path):
    """Whoever records calls has named them already; that is the same name."""
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    result = support.run(
        [support.KYMO, "run", "-P", "-S", "--", python.executable, PROGRAM],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, {**environment, "KYMO_QUIET": "ON"}),
    )
    assert result.returncode == 0, result.stderr
    assert {"the one that computes", "sleeper"} <= set(names(tmp_path))

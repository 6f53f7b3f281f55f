"""No time of a function is above what is known: its thread's, its caller's. What functions waited,
which another collector records, is within their time."""

import json
import subprocess

import pytest
import support
from functions_runs import KYMO, compile_c, run

SOURCE = support.program("functions_waiting.c")
ROUNDING = 1.001


def shown(path, *view):
    command = [KYMO, "report", "--format", "json", "--top", "0", *view, path]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["counts", "coarse", "full"])
def recorded(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return run(folder, compile_c(folder, SOURCE.read_text()), request.param)[1][0].path


def threads(path):
    return shown(path, "--threads")["threads"]


def test_nothing_is_longer_than_its_thread(recorded):
    for thread in threads(recorded):
        rows = shown(recorded, "--flat", "--thread", thread["thread"])["regions"]
        most = thread["duration"] * ROUNDING + 1e-6
        assert rows
        for row in rows:
            ends = ("self", "total", "self_high", "total_high")
            assert all((row.get(key) or 0) <= most for key in ends), (thread, row)
        assert sum(row["self"] for row in rows) <= most


def test_nothing_is_longer_than_its_caller(recorded):
    for thread in threads(recorded):
        above = []
        for row in shown(recorded, "--tree", "--thread", thread["thread"])["paths"]:
            above = above[: row["depth"]]
            assert not above or row["total"] <= above[-1]["total"] * ROUNDING + 1e-6, row
            above.append(row)


def test_waits_are_in_the_functions_that_waited(recorded):
    """But not beside the function that is the whole thread."""
    for thread in threads(recorded)[1:]:
        waits, above = [], []
        for row in shown(recorded, "--tree", "--thread", thread["thread"])["paths"]:
            above = [*above[: row["depth"]], row["name"]]
            if row["name"].startswith("pthread_cond_wait"):
                waits.append(above)
        assert waits
        assert all("works" in path for path in waits), waits

"""What is estimated of counted functions obeys what is known exactly: no caller made more calls
than there were, nothing took longer than what called it or than the run, and what is an estimate
says so, in every view and export."""

import json
import re
import subprocess

import pytest
import support

KYMO = support.BUILD / "bin" / "kymo"
SOURCE = support.program("counted_bounds.c")
OFTEN, RARE, DEPTH_CALLS = 100_000, 1_000, 20 * 100
RUNS = 4


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bounds")
    program = folder / "counted_bounds"
    subprocess.run(["cc", "-O1", "-g", "-o", program, SOURCE], check=True)
    found = []
    for run in range(RUNS):
        out = folder / f"run{run}"
        environment = {
            **support.clean_environment(folder),
            "KYMO_OUTPUT_PATH": str(out),
            "KYMO_TIME_OUTPUT": "OFF",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        command = [KYMO, "run", "-q", "--functions", "--", program]
        subprocess.run(list(map(str, command)), env=environment, check=True, capture_output=True)
        found.append(out)
    return found


def text_of(run, *view):
    command = [KYMO, "report", run, *view, "--top", "0"]
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stdout


def json_of(run, *view):
    return json.loads(text_of(run, *view, "--format", "json"))


def test_callers_have_intervals(runs):
    held = 0
    for run in runs:
        rows = {row["caller"]: row for row in json_of(run, "--callers", "leaf")["callers"]}
        assert "often" in rows
        assert sum(row["calls"] for row in rows.values()) == OFTEN + RARE
        for row in rows.values():
            assert row["calls_low"] <= row["calls"] <= row["calls_high"] <= OFTEN + RARE
            assert row["calls_low"] < row["calls_high"]
        held += rows["often"]["calls_low"] <= OFTEN <= rows["often"]["calls_high"]
    # One of 100,000 does not hold less than half of the time.
    assert held >= RUNS / 2


def test_calls_that_are_known_are_exact(runs):
    for run in runs:
        rows = json_of(run, "--callers", "few")["callers"]
        assert [(row["caller"], row["calls"]) for row in rows] == [("main", 8)]
        assert (rows[0].get("calls_low", 8), rows[0].get("calls_high", 8)) == (8, 8)
        flat = {row["name"]: row for row in json_of(run, "--flat")["regions"]}
        assert flat["leaf"]["calls"] == OFTEN + RARE and flat["down"]["calls"] == DEPTH_CALLS
        for name in ("few", "once", "sort", "deep"):
            assert flat[name]["total_low"] == flat[name]["total_high"] == flat[name]["total"], name
        # How many calls came from within itself is not known.
        assert flat["down"]["primitive_calls"] is None


def test_nothing_takes_longer_than_what_called_it(runs):
    for run in runs:
        rows = json_of(run, "--flat")["regions"]
        flat = {row["name"]: row for row in rows if row["calls"]}
        whole = flat["counted_bounds"]["total"]
        for name, row in flat.items():
            assert row["total"] <= whole * 1.000001, name
            for end in ("self_high", "total_high"):
                assert row[end] is None or row[end] <= whole * 1.000001, (name, end)
        assert sum(row["self"] for row in flat.values()) <= whole * 1.000001
        for name in ("once", "sort", "deep", "often"):
            below = [
                row["total"]
                for row in json_of(run, "--callees", name)["callees"]
                if row["caller"] != row["callee"]
            ]
            assert sum(below) <= flat[name]["total"] * 1.000001, name


def test_every_view_marks_estimates(runs):
    run = runs[0]
    text = text_of(run, "--callers", "leaf")
    assert "\\n" not in text and "(how often it was called is exact" in text, text
    assert re.search(r"~\d[\d,]*  +\d[\d,]*  +\d[\d,]*  often .*leaf", text), text
    for view in (["--tree"], ["--butterfly", "leaf"], ["--callees", "often"]):
        text = text_of(run, *view)
        assert re.search(r" ~\d", text) and "estimate" in text, (view, text)
    paths = json_of(run, "--tree")["paths"]
    assert any(path["calls_low"] < path["calls_high"] for path in paths if path["name"] == "leaf")
    assert re.search(r"\| *~\d", (run / "trip_count.txt").read_text())
    assert "laps_low" in (run / "trip_count.json").read_text()


def export(run, name, out):
    command = [KYMO, "export", run, "--format", name, "--output", out]
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stderr


@pytest.mark.parametrize("name", ["callgrind", "dot", "pstats", "pprof"])
def test_exports_say_it(runs, name, tmp_path):
    out = tmp_path / "out"
    assert "are estimates from those that were timed" in export(runs[0], name, out)
    if name == "callgrind":
        assert "desc: Estimates: how often" in out.read_text()
    if name == "dot":
        assert re.search(r"\\n~\d", out.read_text())

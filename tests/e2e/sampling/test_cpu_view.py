"""Samples by CPU time, what was waited beside it, idle threads as one row."""

import json
import re

import pytest
import sampled
import support

POOL = support.program("idle_pool.c")
IDLE = 9


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pool")
    sampled.sample(folder, [sampled.compile(folder, POOL), str(IDLE), "0.5"], "-f", "200")
    return folder


@pytest.fixture(scope="module")
def sleeper(tmp_path_factory):
    """Of three threads none computes."""
    folder = tmp_path_factory.mktemp("sleeper")
    sampled.sample(folder, [sampled.compile(folder, POOL), "1", "0"])
    return folder


def text(folder, *options):
    result = support.run_kymo(["report", folder / "out", *options], cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def regions(report):
    return {each["name"]: each for each in report["regions"]}


def test_what_computes_comes_first(pool):
    report = sampled.report(pool)
    first, found = report["regions"][0], regions(report)
    assert report["weighed_by"] == "cpu"
    assert first["name"] == "heavy" and first["self_percent"] > 30
    assert sum(each["self"] for each in report["regions"]) == pytest.approx(
        report["on_processors"], rel=1e-6
    )
    sleep = found["clock_nanosleep (kernel)"]
    assert sleep["waited"] > 0.2 and sleep["self"] < first["self"]
    assert sum(each["waited"] for each in report["regions"]) == pytest.approx(
        report["waited"], rel=1e-6
    )


def test_idle_threads_are_one_row(pool):
    report = sampled.report(pool)
    idle = regions(report)["[idle threads]"]
    assert report["idle_threads"] == IDLE
    assert idle["waited"] > 0.8 * IDLE / (IDLE + 2) * report["waited"]
    assert "idle" not in regions(report)  # the function that they are in
    assert f"[{IDLE} idle threads]" in text(pool)
    assert "[idle threads]" in text(pool, "--tree")
    # By the clock each is what it is.
    wall = sampled.report(pool, "--by", "wall")
    assert "idle" in regions(wall) and "[idle threads]" not in regions(wall)
    assert wall["idle_threads"] == 0


def test_idle_threads_of_a_merged_run_are_one_row(pool, tmp_path):
    """Also when that is merged again, and beside threads of their name that worked."""
    other = tmp_path / "other"
    other.mkdir()
    sampled.sample(other, [sampled.compile(pool, POOL), str(IDLE), "0.5"], "-f", "200")
    for name, given in (("one", [pool]), ("two", [tmp_path / "one", other])):
        (tmp_path / name).mkdir()
        given = [folder / "out" for folder in given]
        words = ["merge", "-o", tmp_path / name / "out", *given]
        result = support.run_kymo(words, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    report = sampled.report(tmp_path / "two")
    found, alone = regions(report), [sampled.report(pool), sampled.report(other)]
    assert report["idle_threads"] == 2 * IDLE and "idle" not in found
    assert f"[{2 * IDLE} idle threads]" in text(tmp_path / "two")
    assert report["base"]["time"] == pytest.approx(sum(each["base"]["time"] for each in alone))
    for name in ("[idle threads]", "heavy"):
        for column in ("self", "total", "waited"):
            expected = sum(regions(each)[name][column] for each in alone)
            assert found[name][column] == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert sum(each["self"] for each in report["regions"]) == pytest.approx(
        report["on_processors"], rel=1e-6
    )
    wall = sampled.report(tmp_path / "two", "--by", "wall")
    assert "idle" in regions(wall) and "[idle threads]" not in regions(wall)


def test_percentages_say_of_what(pool):
    shown = " ".join(text(pool).split())
    assert re.search(r"shares of the [\d.]+ m?s that threads were on a processor; ", shown)
    assert re.search(rf"they also waited [\d.]+ s, [\d.]+ s of it {IDLE} threads that", shown)
    assert re.search(r"% CPU +95 % SURE +CPU +TOTAL +% TOTAL +WAITED +REGION", text(pool))
    wall = " ".join(text(pool, "--by", "wall").split())
    assert re.search(r"shares of the [\d.]+ s of all threads, which were on a processor", wall)
    assert "too little" not in wall
    assert "of all threads" in text(pool, "--waits")


def test_findings_and_lines(pool):
    findings = text(pool, "--findings")
    assert re.search(r"`heavy` spends \d+ % of its CPU\s+time in its own lines", findings)
    lines = json.loads(text(pool, "--lines", "--format", "json"))["lines"]
    assert lines[0]["function"] == "heavy"
    slept = [each for each in lines if each["function"] == "worker"]
    assert sum(each["waiting"] for each in slept) > 0.2
    assert all(each["self"] < lines[0]["self"] for each in slept)


def test_hardly_any_cpu_time(sleeper):
    report = sampled.report(sleeper)
    assert report["weighed_by"] == "wall" and report["idle_threads"] == 0
    assert report["regions"][0]["self_percent"] > 50
    shown = " ".join(text(sleeper).split())
    assert re.search(r"on a processor for [\d.]+ m?s of it: too little to go by", shown)
    assert "% SELF" in text(sleeper) and "% CPU" in text(sleeper, "--by", "cpu")


def test_summary_and_files(tmp_path):
    """What is printed at the end goes by CPU time, what is in files by all time."""
    binary = sampled.compile(tmp_path, POOL)
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    result = support.run(
        [support.KYMO, "sample", "--", binary, str(IDLE), "0.3"],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, environment),
    )
    assert f"[{IDLE} idle threads]" in result.stderr and "% CPU" in result.stderr
    rows = json.loads((tmp_path / "out" / "sampling_wall_clock.json").read_text())
    graph = rows["timemory"]["sampling_wall_clock"]["ranks"][0]["graph"]
    names = [row["prefix"] for row in graph]
    assert any("idle" in name for name in names)
    assert not any("[idle threads]" in name for name in names)


def test_merged(pool, tmp_path):
    result = support.run_kymo(["merge", pool / "out", "-o", tmp_path / "out"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    report, alone = sampled.report(tmp_path), sampled.report(pool)
    assert report["weighed_by"] == "cpu"
    assert report["regions"][0]["name"] == "heavy"
    assert report["on_processors"] == pytest.approx(alone["on_processors"], rel=1e-6)
    assert report["waited"] == pytest.approx(alone["waited"], rel=1e-6)
    assert regions(report)["heavy"]["self"] == pytest.approx(
        regions(alone)["heavy"]["self"], rel=1e-6
    )


def test_page(pool, tmp_path):
    page = tmp_path / "page.html"
    result = support.run_kymo(["view", "--no-open", "-o", page, pool / "out"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    pattern = r'<script type="application/json" id="kymo-([^"]*)">([^<]*)</script>'
    parts = {name: json.loads(part) for name, part in re.findall(pattern, page.read_text())}
    assert parts["run"]["is_of_cpu"] and parts["run"]["shares"].startswith("of the ")
    assert "sampling_waiting" in [each["name"] for each in parts["metrics"]]
    assert "[idle threads]" in json.dumps(parts["regions"])

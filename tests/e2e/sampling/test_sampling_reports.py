"""What reports and output files say of sampled runs."""

import json
import re

import pytest
import sampled
import support

GIL = support.program("gil_convoy.py")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A sampled C program whose shares are known, with all its outputs."""
    folder = tmp_path_factory.mktemp("sampled")
    binary = sampled.compile(folder)
    truth = sampled.spent(sampled.sample(folder, [binary, "two", "0.5"], "-f", "1000"))
    return folder, truth


def table(folder, metric):
    return json.loads((folder / "out" / f"{metric}.json").read_text())["timemory"][metric]


def test_output_files_of_samples(run):
    folder, truth = run
    rows = table(folder, "sampling_wall_clock")["ranks"][0]["graph"]
    by_name = {row["prefix"].split("_", 1)[-1].strip("|_> "): row for row in rows}
    parts = {name: row for name, row in by_name.items() if name.startswith("part_0")}
    assert set(parts) == set(truth)
    for name, seconds in truth.items():
        assert parts[name]["entry"]["repr_data"] == pytest.approx(seconds, rel=0.3)
    text = (folder / "out" / "sampling_percent.txt").read_text()
    assert "FRACTION OF WALL-CLOCK TIME SPENT IN FUNCTIONS" in text
    assert re.search(r"part_00 .*sampling_percent \| % +\| +\d+\.\d{3} \|", text)
    assert not (folder / "out" / "wall_clock.txt").exists()


def test_percent_of_outermost_rows_is_all(run):
    folder, _ = run
    rows = table(folder, "sampling_percent")["ranks"][0]["graph"]
    assert sum(row["entry"]["accum"] for row in rows if row["depth"] == 0) == pytest.approx(100)


def test_intervals_hold_their_shares(run):
    report = sampled.report(run[0])
    # A region counts the samples that it is anywhere in: main is in nearly all.
    main = next(each for each in report["regions"] if each["name"] == "main")
    assert 0.9 * report["samples"] < main["samples"] <= report["samples"]
    for each in report["regions"]:
        assert each["self_low_percent"] <= each["self_percent"] <= each["self_high_percent"]
        assert each["total"] >= each["self"] * 0.999
    assert sum(each["self_percent"] for each in report["regions"]) == pytest.approx(100)


def test_cost_and_rate_are_told(run):
    folder, _ = run
    text = support.run_kymo(["report", folder / "out"], cwd=folder).stdout
    assert re.search(r"samples +[\d,]+ by wall time, [\d.]+ a second of each thread", text)
    assert re.search(r"measuring +cost .* of the run \(samples ", text)
    report = sampled.report(folder)
    assert 0 < report["measuring"]["samples"] < report["duration"]


def test_by_cpu_time(run):
    folder, truth = run
    sampled.assert_shares(sampled.report(folder, "--by", "cpu")["regions"], truth)


def test_lines_of_native_code(run):
    lines = sampled.report(run[0], "--lines")["lines"]
    hot = {each["function"] for each in lines if each["self_percent"] > 10}
    assert hot and hot <= {"part_00", "part_01"}
    assert all(each["file"].endswith("truth.c") for each in lines if each["self_percent"] > 10)


FORKED = """
import os, time
def work():
    end = time.process_time() + 0.15
    while time.process_time() < end: pass
child = os.fork()
work()
if child: os.waitpid(child, 0)
"""


def test_lines_of_processes_add_up(newest_python, tmp_path):
    """In the table each line is one row, and in the page it has one number."""
    (tmp_path / "p.py").write_text(FORKED)
    sampled.sample(tmp_path, [newest_python.executable, tmp_path / "p.py"])
    found = sampled.report(tmp_path, "--lines")
    lines = [(each["file"], each["line"], each["function"]) for each in found["lines"]]
    assert found["processes"] == 2 and len(set(lines)) == len(lines)
    assert sum(each["self"] for each in found["lines"] if each["function"] == "work") > 0.2
    page = support.run_kymo(["view", "--no-open", tmp_path / "out"], cwd=tmp_path)
    assert page.returncode == 0, page.stderr


def test_tree_counts_samples(run):
    rows = sampled.report(run[0], "--tree")["paths"]
    assert all("samples" in row and "calls" not in row for row in rows)


def test_no_samples_to_show(tmp_path):
    process = support.run(
        [support.KYMO, "run", "-q", "-o", tmp_path / "out", "--time-output", "off", "--", "true"],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, {}),
    )
    assert process.returncode == 0, process.stderr
    refused = support.run_kymo(["report", "--lines", tmp_path / "out"], cwd=tmp_path)
    assert refused.returncode == 2
    assert "there are no samples in" in refused.stderr


@pytest.mark.alike_versions
def test_samples_beside_calls(python, tmp_path):
    """Both at once: each report from its own source."""
    sampled.sample(
        tmp_path,
        [python.executable, sampled.TRUTH_PYTHON, "c", "0.3"],
        "-P",
        "-f",
        "500",
    )
    calls = {each["name"]: each for each in sampled.report(tmp_path)["regions"]}
    samples = sampled.report(tmp_path, "--samples", "--by", "wall")["regions"]
    samples = {each["name"]: each for each in samples}
    assert calls["in_python"]["calls"] > 0 and "samples" in samples["in_python"]
    assert samples["in_python"]["total"] == pytest.approx(calls["in_python"]["total"], rel=0.4)
    assert (tmp_path / "out" / "wall_clock.txt").exists()
    assert (tmp_path / "out" / "sampling_wall_clock.txt").exists()


def gil_report(python, folder):
    folder.mkdir()
    sampled.sample(folder, [python.executable, GIL, "0.5"], "-f", "500")
    return sampled.report(folder, "--gil")


def is_shared_evenly(report):
    """Of three hogs one holds the GIL and two wait, all the time but for Python's start."""
    threads = {each["thread"]: each for each in report["gil"]}
    hogs, sleeper = [threads[i] for i in (1, 2, 3)], threads[4]
    held = sum(each["held"] for each in threads.values())
    return (
        held > 0.6 * report["duration"]
        and all(each["held"] > 0.02 and each["waited"] > each["held"] for each in hogs)
        and all(each["handed_over"] > 2 for each in hogs)
        and sleeper["held"] < 0.1 * hogs[0]["held"] + 0.02
    )


@pytest.mark.alike_versions("3.11")
def test_the_gil(python, tmp_path):
    # A busy machine lets whom it likes wait: the first run of some that it leaves alone.
    for number in range(8):
        report = gil_report(python, tmp_path / str(number))
        # One at a time has it, however busy the machine is.
        assert sum(each["held"] for each in report["gil"]) < 1.05 * report["duration"]
        assert all(each["taken"] >= each["handed_over"] for each in report["gil"])
        worst = report["lines"][0]
        assert worst["function"] == "hog" and worst["waited"] > worst["blocking"] > 0
        if is_shared_evenly(report):
            return
    raise AssertionError(report["gil"])


@pytest.mark.alike_versions
def test_the_gil_as_a_region(python, tmp_path):
    """With a profile the wait stands where the thread waited."""
    process = support.run(
        [support.KYMO, "run", "--gil", "-q", "--", python.executable, GIL, "0.3"],
        cwd=tmp_path,
        env=support.clean_environment(
            tmp_path, {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
        ),
    )
    assert process.returncode == 0, process.stderr
    regions = {each["name"]: each for each in sampled.report(tmp_path)["regions"]}
    assert regions["waiting for the GIL"]["self"] > 0.2
    gil = sampled.report(tmp_path, "--gil")["gil"]
    waited = sum(each["waited"] for each in gil)
    assert regions["waiting for the GIL"]["total"] == pytest.approx(waited, rel=0.1, abs=0.02)

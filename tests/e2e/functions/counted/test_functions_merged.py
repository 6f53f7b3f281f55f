"""Estimates stay estimates: what is counted of several processes keeps its intervals when it is
merged, exported and compared."""

import json
import subprocess

import pytest
from functions_runs import KYMO, compile_c, run

RUNS = 3
PROGRAM = """
#define APART __attribute__((noinline))
static volatile long sink;
APART void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
APART void often(void) { for (int i = 0; i < 100000; i++) leaf(3); }
APART void rare(void) { for (int i = 0; i < 20000; i++) leaf(4); }
APART void twice(int n) { if (n) { twice(n - 1); leaf(5); } }
int main(void) { often(); rare(); for (int i = 0; i < 300; i++) twice(3); return 0; }
"""
LEAF = 100000 + 20000 + 900


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counted")
    program = compile_c(folder, PROGRAM)
    paths = []
    for number in range(RUNS):
        (folder / str(number)).mkdir()
        paths.append(run(folder / str(number), program, "counts")[1][0].path)
    return paths


@pytest.fixture(scope="module")
def merged(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("merged") / "all"
    kymo("merge", "-o", folder, *runs)
    return folder


def kymo(*arguments):
    command = [str(KYMO), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(*arguments):
    return json.loads(kymo("report", "--format", "json", *arguments))


def flat(path):
    return {row["name"]: row for row in shown("--flat", path)["regions"]}


def callers(path):
    return {row["caller"]: row for row in shown("--callers", "leaf", path)["callers"]}


def error(row, key):
    return max(row[f"{key}_high"] - row[key], row[key] - row[f"{key}_low"])


def test_calls_by_a_caller_keep_their_intervals(runs, merged):
    singles, all_of_them = [callers(path) for path in runs], callers(merged)
    for name, times in {"often": 100000, "rare": 20000}.items():
        row = all_of_them[name]
        # Three times what holds in 95 of 100 runs holds in all.
        assert abs(row["calls"] - RUNS * times) <= 3 * error(row, "calls"), row
        # Errors that have nothing to do with each other: less than all of them added up.
        seen = [error(single[name], "calls") for single in singles if name in single]
        assert error(row, "calls") > 0
        assert len(seen) < RUNS or error(row, "calls") <= sum(seen) + RUNS
    assert sum(row["calls"] for row in all_of_them.values()) == RUNS * LEAF


def test_times_keep_their_intervals(runs, merged):
    singles, rows = [flat(path) for path in runs], flat(merged)
    for name in ("leaf", "often", "rare", "main"):
        for key in ("self", "total"):
            ends = sum(error(single[name], key) for single in singles)
            largest = max(error(single[name], key) for single in singles)
            assert 0 <= error(rows[name], key) <= ends * 1.001 + 1e-8
            assert error(rows[name], key) >= largest * 0.5
    assert rows["leaf"]["calls"] == RUNS * LEAF


def test_merging_again_changes_nothing(runs, merged, tmp_path):
    kymo("merge", "-o", tmp_path / "two", *runs[:2])
    kymo("merge", "-o", tmp_path / "all", tmp_path / "two", runs[2])
    content = [(folder / "merged.kymo").read_bytes() for folder in (merged, tmp_path / "all")]
    assert content[0] == content[1]


def test_every_report_marks_them(merged):
    assert "estimates" in kymo("report", "--flat", merged)
    assert "~" in kymo("report", "--callers", "leaf", merged)
    assert "~" in kymo("report", "--tree", merged)
    paths = shown("--tree", merged)["paths"]
    leaves = [row for row in paths if row["name"] == "leaf"]
    assert leaves and all(row["calls_low"] < row["calls_high"] for row in leaves)
    assert "calls_low" in kymo("report", "--tree", "--format", "csv", merged).splitlines()[0]
    assert "estimate" in kymo("report", merged)


@pytest.mark.parametrize("form", ["callgrind", "pprof"])
def test_exports_say_so(merged, form, tmp_path):
    kymo("export", "--format", form, "-o", tmp_path / form, merged)
    content = (tmp_path / form).read_bytes()
    if form == "pprof":
        content = __import__("gzip").decompress(content)
    assert b"are estimates from those that were timed" in content


def test_what_is_extracted_keeps_them(runs, merged, tmp_path):
    for number, whole in enumerate([runs[0], merged]):
        part = tmp_path / str(number)
        kymo("extract", "--region", "often", "-o", part, whole)
        rows, of_whole = flat(part), flat(whole)
        assert rows["often"]["self_low"] < rows["often"]["self_high"]
        for key in ("self", "total"):
            assert error(rows["often"], key) <= error(of_whole["often"], key) * 1.001 + 1e-8
        assert rows["leaf"]["self_low"] < rows["leaf"]["self_high"]
        assert {name for name in callers(part)} == {"often"}
        seen = callers(part)["often"]
        assert seen["calls_low"] < seen["calls_high"]
        assert "~" in kymo("report", "--callers", "leaf", part)
        assert "estimates" in kymo("report", "--flat", part)


def test_the_page_says_so(merged, tmp_path):
    kymo("view", "--output", tmp_path / "page.html", merged)
    assert '"estimated_functions":' in (tmp_path / "page.html").read_text()


def test_a_difference_has_its_error(runs):
    compared = json.loads(kymo("diff", "--format", "json", "--top", "0", runs[0], runs[1]))
    rows = {row["name"]: row for row in compared["regions"]}
    leaf = rows["leaf"]
    assert leaf["self_difference_low"] < leaf["self_difference"] < leaf["self_difference_high"]
    assert leaf["status"] == "undecided"
    text = kymo("diff", runs[0], runs[1])
    assert "+-" in text and "estimates" in text


def test_calls_of_a_path_are_compared_as_estimates(runs):
    compared = json.loads(
        kymo("diff", "--tree", "--format", "json", "--top", "0", runs[0], runs[1])
    )
    leaves = [row for row in compared["paths"] if row["name"] == "leaf"]
    assert leaves
    for row in leaves:
        assert row["calls_before_low"] <= row["calls_before"] <= row["calls_before_high"]
    assert any(row["calls_after_low"] < row["calls_after_high"] for row in leaves)


def test_a_merged_side_is_compared_by_run(runs, merged):
    compared = json.loads(kymo("diff", "--format", "json", "--top", "0", merged, runs[0]))
    assert compared["before"]["runs"] == RUNS
    leaf = {row["name"]: row for row in compared["regions"]}["leaf"]
    assert leaf["self_difference_low"] <= leaf["self_difference"] <= leaf["self_difference_high"]


def test_what_measuring_cost_adds_up(runs, merged):
    cost = [shown("--flat", path)["measuring"]["calls"] for path in (*runs, merged)]
    assert cost[-1] == pytest.approx(sum(cost[:-1]), rel=1e-3, abs=1e-9)

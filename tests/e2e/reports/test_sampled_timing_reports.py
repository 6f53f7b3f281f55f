"""What is made of a run with `--timing sampled`: tables, merges, diffs, parts and other tools'
formats have its exact calls, and say of its times that they are estimates."""

import json

import pytest
import support

PROGRAM = """
import time
def leaf(n):
    end = time.perf_counter() + n * 1e-4
    while time.perf_counter() < end:
        pass
def often():
    for _ in range(300):
        leaf(5)
def rare():
    for _ in range(20):
        leaf(20)
def never_seen():
    pass
often()
rare()
never_seen()
"""
CALLS = {"leaf": 320, "often": 1, "rare": 1, "never_seen": 1}
TEXT = "are estimates from where the threads were seen"
FORMATS = ("speedscope", "collapsed", "pstats", "pprof", "dot", "callgrind", "firefox")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two sampled runs, "one" and "two", and one that was timed in full."""
    folder = tmp_path_factory.mktemp("sampled")
    (folder / "p.py").write_text(PROGRAM)
    newest = support.interpreters()[-1]
    for name, timing in (("one", "sampled"), ("two", "sampled"), ("full", "full")):
        words = ["-q", "--timing", timing, "-o", folder / name, "--", "p.py"]
        environment = {"KYMO_OUTPUT_PATH": None}
        done = support.run_kymo_python(newest, words, cwd=folder, env=environment)
        assert (done.returncode, done.stderr) == (0, "")
    return folder


def kymo(folder, *words):
    done = support.run_kymo(words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def flat(folder, run):
    text = kymo(folder, "report", run, "--format", "json", "--top", "0").stdout
    return {row["name"]: row for row in json.loads(text)["regions"]}


def assert_estimated(row):
    assert row["self_low"] <= row["self"] <= row["self_high"]
    assert row["total_low"] <= row["total"] <= row["total_high"]
    assert row["total_high"] > row["total_low"]
    assert row["min"] is None and row["max"] is None


def test_flat_tables_have_exact_calls_and_intervals(folder):
    rows = flat(folder, "one")
    for name, calls in CALLS.items():
        assert rows[name]["calls"] == calls
        assert_estimated(rows[name])
    assert rows["never_seen"]["self_high"] > 0
    assert rows["leaf"]["self"] > 0.15
    timed = flat(folder, "full")["leaf"]
    assert "self_low" not in timed and timed["min"] > 0


@pytest.mark.parametrize("view", ["tree", "hot-path"])
def test_call_paths_have_intervals(folder, view):
    """Of a region with one path they are the region's."""

    def paths(run):
        text = kymo(folder, "report", run, f"--{view}", "--format", "json", "--top", "0").stdout
        found = json.loads(text)
        return [row for row in found.get("paths") or found["hot_path"] if row["name"][0] != "["]

    rows, regions = paths("one"), flat(folder, "one")
    assert len(rows) > 1
    for row in rows:
        assert row["self_low"] <= row["self"] <= row["self_high"]
        assert row["total_low"] <= row["total"] <= row["total_high"]
        assert row["total_high"] > row["total_low"]
    for row in rows:
        if row["name"] in ("often", "rare"):
            for word in ("total_low", "total_high", "self_high"):
                assert row[word] == pytest.approx(regions[row["name"]][word], rel=1e-6)
    text = kymo(folder, "report", "one", f"--{view}").stdout
    assert TEXT in " ".join(text.split()) and "+-" in text
    assert "total_low" not in paths("full")[0]
    assert "+-" not in kymo(folder, "report", "full", f"--{view}").stdout


def test_the_head_says_how_times_were_found(folder):
    head = kymo(folder, "report", "one").stdout
    (line,) = [line for line in head.splitlines() if line.startswith("  timing ")]
    assert "sampled: calls are counted exactly" in line
    assert "a second of each thread" in head and TEXT[4:20] in " ".join(head.split())
    assert "  timing " not in kymo(folder, "report", "full").stdout


def test_callers_have_intervals(folder):
    text = kymo(folder, "report", "one", "--callers", "leaf", "--format", "json").stdout
    rows = json.loads(text)[next(iter(json.loads(text)))]
    assert sorted(row["calls"] for row in rows) == [20, 300]
    assert "~" not in kymo(folder, "report", "one", "--callers", "leaf").stdout


def test_outputs_have_nothing_of_single_calls(folder):
    (table,) = (folder / "one").rglob("wall_clock.txt")
    head, headings = table.read_text().splitlines()[1], table.read_text().splitlines()[3]
    assert "SAMPLED" in head
    assert "SUM" in headings and "COUNT" in headings
    assert not {"MIN", "MAX", "VAR", "STDDEV"} & set(headings.replace("|", " ").split())
    (document,) = (folder / "one").rglob("wall_clock.json")
    clock = json.loads(document.read_text())["timemory"]["wall_clock"]
    assert clock["timing"] == "sampled"
    assert '"stddev"' not in document.read_text() and '"min"' not in document.read_text()
    (full,) = (folder / "full").rglob("wall_clock.txt")
    assert "STDDEV" in full.read_text() and "SAMPLED" not in full.read_text()


def test_merged_runs_add_calls_and_errors(folder):
    kymo(folder, "merge", "-o", "merged", "one", "two")
    merged, one, two = (flat(folder, name) for name in ("merged", "one", "two"))
    for name, calls in CALLS.items():
        assert merged[name]["calls"] == 2 * calls
        assert_estimated(merged[name])
        own = merged[name]["total_high"] - merged[name]["total"]
        both = [run[name]["total_high"] - run[name]["total"] for run in (one, two)]
        assert own <= 1.01 * sum(both) + 1e-9
    # Calls by a path are as exact as before: none is marked.
    tree = kymo(folder, "report", "merged", "--tree").stdout
    assert "~" not in tree.partition("REGION")[2]
    assert "sampled" in tree


def test_a_part_of_a_run_keeps_them(folder):
    kymo(folder, "extract", "one", "--region", "often", "-o", "part")
    rows = flat(folder, "part")
    assert rows["leaf"]["calls"] == 300 and "rare" not in rows
    assert_estimated(rows["leaf"])


def test_a_difference_is_no_finding_when_it_may_be_none(folder):
    text = kymo(folder, "diff", "one", "two").stdout
    assert "+-" in text and "estimates" in text
    kymo(folder, "diff", "one", "full")


@pytest.mark.parametrize("form", FORMATS)
def test_exports_say_so(folder, form, tmp_path):
    done = kymo(folder, "export", "--format", form, "-o", tmp_path / "out", "one")
    assert TEXT in done.stderr
    assert (tmp_path / "out").stat().st_size > 0
    assert TEXT not in kymo(folder, "export", "--format", form, "-o", tmp_path / "f", "full").stderr


def test_the_page_says_so(folder, tmp_path):
    page = tmp_path / "page.html"
    kymo(folder, "view", "--no-open", "-o", page, "one")
    assert '"has_positions":true' in page.read_text().replace(" ", "")

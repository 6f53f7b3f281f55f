"""kymo diff on recorded runs: repeats, merged runs, samples, other metrics, moved code."""

import csv
import io
import json
import re
import textwrap

import pytest
import support

PROGRAM = """
def work(n):
    return sum(range(n))

def load(n):
    return [work(20000) for _ in range(n)]

def main():
    load({count})

main()
"""


REST = ("[outside any recorded region]", "[measuring]")


@pytest.fixture
def record(newest_python, tmp_path):
    """record(run, count, folder): record the program with that many calls of work()."""

    def run(name, count=10, folder="program", env=None, options=()):
        (tmp_path / folder).mkdir(exist_ok=True)
        source = textwrap.dedent(PROGRAM).replace("{count}", str(count))
        (tmp_path / folder / "program.py").write_text(source)
        environment = {"KYMO_OUTPUT_PATH": tmp_path / name, "KYMO_QUIET": "ON", **(env or {})}
        result = support.run_kymo_python(
            newest_python,
            [*options, "--", f"{folder}/program.py"],
            cwd=tmp_path,
            env=environment,
        )
        assert result.returncode == 0, result.stderr
        return name

    return run


def diff(folder, *options, status=0):
    result = support.run_kymo(["diff", *options], cwd=folder)
    assert result.returncode == status, result.stdout + result.stderr
    return result


def document(folder, *options, status=0):
    return json.loads(diff(folder, "--format", "json", *options, status=status).stdout)


def by_name(document):
    return {each["name"]: each for each in document["regions"]}


def test_values_are_those_of_the_reports(record, tmp_path):
    record("a", 10)
    record("b", 30)
    regions = by_name(document(tmp_path, "a", "b"))
    for run, side in (("a", "before"), ("b", "after")):
        result = support.run_kymo(["report", run, "--flat", "--format", "json"], cwd=tmp_path)
        said = json.loads(result.stdout)
        assert document(tmp_path, "a", "b")[side]["outside"] == pytest.approx(
            said["base"]["outside"]
        )
        for each in said["regions"]:
            if each["name"][0] == "[":  # what is in no region
                continue
            region = regions[each["name"]]
            assert region[f"calls_{side}"] == each["calls"]
            assert region[f"self_{side}"] == pytest.approx(each["self"])
            assert region[f"total_{side}"] == pytest.approx(each["total"])


def test_mirrored(record, tmp_path):
    record("a", 10)
    record("b", 30)
    there, back = (by_name(document(tmp_path, *order)) for order in (("a", "b"), ("b", "a")))
    assert set(there) == set(back)
    for name, region in there.items():
        assert region["self_difference"] == pytest.approx(-back[name]["self_difference"])
        assert region["calls_difference"] == -back[name]["calls_difference"]


def test_repeated_runs_tell_change_from_chance(record, tmp_path):
    base = [record(f"a{i}", 10) for i in range(4)]
    new = [record(f"b{i}", 40) for i in range(4)]
    found = document(tmp_path, "--base", *base, "--new", *new)
    assert found["has_tests"]
    assert (found["before"]["runs"], found["after"]["runs"]) == (4, 4)
    assert by_name(found)["work"]["calls_after"] == 40
    assert all(region["p"] is not None for region in found["regions"])
    # Counts do not vary: their difference is certain.
    conditions = ["--fail-if=calls:work>=4x", "--fail-if=calls:main>0"]
    result = diff(tmp_path, ",".join(base), ",".join(new), *conditions, status=3)
    assert "failed calls:work>=4x: work 40, before 10, +300.0 %, p < 0.001" in result.stdout
    assert "passed calls:main>0: main 1, before 1, +0.0 %, p = 1.000" in result.stdout


def test_equal_programs_never_differ_for_sure(record, tmp_path):
    """A single pair of runs tells nothing about chance: of times nothing is flagged or fails."""
    for name in ("a", "b"):
        record(name, 10)
    found = document(tmp_path, "a", "b")
    assert {region["status"] for region in found["regions"]} <= {"same", "undecided"}
    times = ["--fail-if=total:run>-100%", "--fail-if=self:work>-100%"]
    result = diff(tmp_path, "a", "b", *times, "--fail-if=calls:work>0")
    assert "undecided total:run>-100%: the run" in result.stdout
    assert "undecided self:work>-100%: work" in result.stdout
    assert "passed calls:work>0" in result.stdout
    assert re.search(r"difference .*, undecided \([-+]\d+\.\d %\)", result.stdout)
    diff(tmp_path, "a", "b", *times, "--any", status=3)


def test_the_run_has_one_p(record, tmp_path):
    base = [record(f"a{i}", 10) for i in range(2)]
    new = [record(f"b{i}", 11) for i in range(2)]
    conditions = [f"--fail-if=total:run>-{i}%" for i in (97, 98, 99)]
    found = document(tmp_path, "--base", *base, "--new", *new, *conditions, "--any", status=3)
    for finding in found["conditions"]:
        assert finding["p"] == found["difference"]["p"]
        assert finding["p_corrected"] == pytest.approx(min(1, 3 * finding["p"]))


def test_merged_runs_count_as_their_repeats(record, tmp_path):
    base = [record(f"a{i}", 10 + i) for i in range(3)]
    new = [record(f"b{i}", 20) for i in range(2)]
    for name, runs in (("base", base), ("new", new)):
        result = support.run_kymo(["merge", "-o", name, *runs], cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    apart = document(tmp_path, "--base", *base, "--new", *new)
    merged = document(tmp_path, "base", "new")
    assert (merged["before"]["runs"], merged["after"]["runs"]) == (3, 2)
    assert merged["has_tests"]
    first, second = by_name(apart), by_name(merged)
    assert set(first) == set(second)
    # A merged run has whole nanoseconds, at each of a region's call paths.
    whole_ns = 5e-9
    for name, region in first.items():
        for key in ("self_before", "self_after", "total_before", "total_after", "calls_before"):
            expected = pytest.approx(region[key], rel=1e-6, abs=whole_ns)
            assert second[name][key] == expected, (name, key)
    assert second["work"]["calls_before"] == 11


def test_moved_checkout(record, tmp_path):
    record("a", 10, folder="old")
    record("b", 10, folder="new")
    regions = document(tmp_path, "a", "b")["regions"]
    matches = {region["match"] for region in regions if region["name"] not in REST}
    assert matches == {"file moved"}


def test_recorded_metrics(record, tmp_path):
    for name, count in (("a", 5), ("b", 50)):
        record(name, count, env={"KYMO_TIMEMORY_COMPONENTS": "wall_clock,cpu_clock,peak_rss"})
    result = diff(
        tmp_path, "a", "b", "--fail-if=cpu_clock:work>50%", "--fail-if=peak_rss:run>10GB", "--any",
        status=3,
    )  # fmt: skip
    assert "failed cpu_clock:work>50%" in result.stdout
    assert "passed peak_rss:run>10GB" in result.stdout


def test_says_what_was_not_measured_alike(record, tmp_path):
    record("a", options=["--instrumenter-type", "profile"])
    record("b", options=["--instrumenter-type", "trace"])
    warning = document(tmp_path, "a", "b")["warning"]
    assert "PYTHON_INSTRUMENTER profile and trace" in warning
    assert document(tmp_path, "a", "a")["warning"] is None


def test_sampled_runs_are_tested_by_their_samples(newest_python, tmp_path):
    for name, n in (("a", 1), ("b", 12)):
        program = tmp_path / f"{name}.py"
        program.write_text(
            "def steady():\n  return sum(i * i for i in range(1500000))\n"
            "def changed():\n  return sum(i * i for i in range(400000))\n"
            f"for _ in range(3):\n  steady()\n  for _ in range({n}): changed()\n"
        )
        result = support.run_kymo(
            ["sample", "-f", "500", "-o", name, "--", newest_python.executable, program],
            cwd=tmp_path,
            env={"KYMO_TIME_OUTPUT": "OFF", "KYMO_QUIET": "ON"},
        )
        assert result.returncode == 0, result.stderr
    found = document(tmp_path, "a", "b", "--sort", "total", "--filter", "^(steady|changed)$")
    assert found["before"]["is_sampled"] and found["has_tests"]
    # More than samples can be wrong; what varies from run to run they do not tell.
    assert by_name(found)["changed"]["status"] == "undecided"
    assert by_name(found)["changed"]["p"] < 0.05


def test_all_forms_have_the_same_rows(record, tmp_path):
    record("a", 10)
    record("b", 30)
    names = [region["name"] for region in document(tmp_path, "a", "b", "--sort", "name")["regions"]]
    assert names[-2:] == list(REST)
    table = diff(tmp_path, "a", "b", "--sort", "name", "--format", "csv").stdout
    assert [row["name"] for row in csv.DictReader(io.StringIO(table))] == names
    for form in ("text", "markdown"):
        text = diff(tmp_path, "a", "b", "--sort", "name", "--format", form).stdout
        shown = [name.replace("<", "\\<").replace(">", "\\>") for name in names]
        places = [
            text.index(f"{name}  program.py")
            for name in (shown if form == "markdown" else names)[:-2]
        ]
        places += [text.rindex(name) for name in ("outside any", "measuring")]
        assert places == sorted(places)


def values(rows, side):
    return [row[f"self_{side}"] for row in rows]


@pytest.mark.parametrize("view", ["--regions", "--tree"])
def test_what_is_in_no_region_has_rows(record, tmp_path, view):
    """The last ones, however few are shown; all rows come to the time of the threads."""
    for name, count in (("a", 10), ("b", 30), ("c", 20)):
        record(name, count)
    options = ["--tree"] if view == "--tree" else []
    said = document(tmp_path, "a", "b", "--top", "0", *options)
    rows = said["paths" if options else "regions"]
    assert [row["name"] for row in rows[-2:]] == list(REST)
    for side in ("before", "after"):
        # What is exactly equal, as next to nothing of it is, has no row.
        assert sum(values(rows, side)) == pytest.approx(said[side]["base"], rel=1e-3)
        assert values(rows, side)[-2] == pytest.approx(said[side]["outside"])
    few = document(tmp_path, "a", "b", "--top", "1", *options)
    shown = [row["name"] for row in few["paths" if options else "regions"]]
    assert shown[-2:] == list(REST)
    # A path is shown with those above it, which may be all that there are.
    assert len(shown) < len(rows) or options
    text = diff(tmp_path, "a", "b", "--top", "1", *options).stdout
    assert "[outside any recorded" in text and "[measuring]" in text
    # They are no findings, and repeats are compared as means.
    gate = ["--fail-if=self:/outside|measuring/>-99%", "--any"]
    assert "failed" not in support.run_kymo(["diff", "a", "b", *gate], cwd=tmp_path).stdout
    words = ["--base", "a", "b", "--new", "b", "c", "--top", "0", *options]
    repeated = document(tmp_path, *words)
    for side in ("before", "after"):
        rows = repeated["paths" if options else "regions"]
        assert sum(values(rows, side)) == pytest.approx(repeated[side]["base"], rel=1e-3)


def rest_of(said):
    """{name: (before, after)} of the rows for what is in no region; what is equal has none."""
    return {
        row["name"]: (row["self_before"], row["self_after"])
        for row in said["regions"]
        if row["name"] in REST
    }


def test_what_is_in_no_region_of_merged_runs(record, tmp_path):
    for name in ("a", "b", "c"):
        record(name, 10)
    for output, runs in (("one", ["a", "b"]), ("two", ["b", "c"])):
        assert support.run_kymo(["merge", *runs, "-o", output], cwd=tmp_path).returncode == 0
    said = document(tmp_path, "one", "two", "--top", "0")
    again = document(tmp_path, "--base", "a", "b", "--new", "b", "c", "--top", "0")
    for side in ("before", "after"):
        assert said[side]["base"] == pytest.approx(again[side]["base"], abs=1e-6)
        assert said[side]["outside"] == pytest.approx(again[side]["outside"], abs=1e-6)
    rows, same = rest_of(said), rest_of(again)
    for name in rows.keys() & same.keys():
        assert rows[name] == pytest.approx(same[name], abs=1e-7)
    for name in rows.keys() ^ same.keys():  # equal to the last digit in one of the two
        before, after = {**rows, **same}[name]
        assert before == pytest.approx(after, abs=1e-7)


def test_no_line_is_wider_than_80_columns(record, tmp_path):
    record("a_rather_long_name_of_a_run" * 3, 10)
    record("b", 30)
    for options in ((), ("--tree",)):
        text = diff(tmp_path, "a_rather_long_name_of_a_run" * 3, "b", *options).stdout
        wide = [line for line in text.splitlines() if len(line) > 80 and " " in line.strip()]
        assert [line for line in wide if "a_rather_long" not in line] == []
    assert "\033[" not in text

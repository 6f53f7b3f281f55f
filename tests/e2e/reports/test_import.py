"""kymo import: what other tools' own programs write, and Kymo's exports, there and back."""

import gzip
import json
import re
import subprocess
import textwrap
from collections import Counter

import pytest
import support
from import_runs import by_name, export, flat, import_text, imported, pstats_of, timeline

PROGRAM = support.program("calls_of_all_kinds.py")

# Callers by different ways, recursion, built-in functions.
CALLERS = textwrap.dedent("""
    def leaf(n):
        return sum(range(n))

    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def one():
        return leaf(5000) + fib(8)

    def two():
        return leaf(100) + one() + one()

    def main():
        for _ in range(3):
            one()
            two()
        sorted([3, 1, 2], key=lambda value: leaf(value))
        [].append(1)

    main()
""")

# Functions that call each other: of these no call paths come to the same times with callees.
CIRCLES = textwrap.dedent("""
    import asyncio, decimal, json, xml.dom.minidom

    def even(n):
        return odd(n - 1) if n else sum(range(50))

    def odd(n):
        return even(n - 1) if n else sum(range(90))

    for i in range(200):
        even(i % 7)
        odd(i % 5)
""")

NS = 1e-9  # what the files of other tools can tell apart; a tick is a part of it


def calls_below(table):
    """{function: how many calls it makes}."""
    made = Counter()
    for row in table.values():
        for caller, numbers in row[4].items():
            made[caller] += numbers[0]
    return made


def same_numbers(expected, found):
    """The functions of two tables of pstats have the same calls and times, and callers.

    A call's beginning and end are whole nanoseconds in a file, so each duration may be one off:
    those of a function's calls, and in its own time those of the calls it makes."""
    made = calls_below(expected)
    assert set(expected) <= set(found)
    for key, (_, count, own, total, callers) in expected.items():
        row = found[key]
        own_error = max(2, count + made[key]) * NS
        total_error = max(10, count) * NS
        assert row[1] == count, key
        assert row[2] == pytest.approx(own, abs=own_error, rel=1e-9), key
        assert row[3] == pytest.approx(total, abs=total_error, rel=1e-6), key
        for caller, numbers in callers.items():
            assert row[4][caller][0] == numbers[0], (key, caller)
            assert row[4][caller][2] == pytest.approx(numbers[2], abs=own_error, rel=1e-9)
            assert row[4][caller][3] == pytest.approx(numbers[3], abs=total_error, rel=1e-6)


def cprofile(python, folder, program, module="cProfile"):
    target = folder / f"{module}.prof"
    command = [python.executable, "-m", module, "-o", str(target), str(program)]
    process = support.run(command, cwd=folder)
    assert process.returncode == 0, process.stderr
    return target


def test_cprofile_keeps_every_number(python, tmp_path):
    program = tmp_path / "callers.py"
    program.write_text(CALLERS)
    profile = cprofile(python, tmp_path, program)
    found = flat(imported([profile], cwd=tmp_path))
    expected = pstats_of(profile, python)

    assert set(found) == set(expected)
    same_numbers(expected, found)
    for key, row in expected.items():
        assert found[key][0] == row[0], key


def digits(row):
    """A row as whole nanoseconds, which is all that a .prof has."""
    return (*row[:2], round(row[2] / NS), round(row[3] / NS))


@pytest.mark.alike_versions
@pytest.mark.parametrize("program", [PROGRAM, CIRCLES], ids=["calls", "circles"])
def test_cprofile_keeps_every_digit(python, tmp_path, program):
    """Also where functions call each other in circles, as the machinery of imports does."""
    if program is CIRCLES:
        program = tmp_path / "circles.py"
        program.write_text(CIRCLES)
    profile = cprofile(python, tmp_path, program)
    found = flat(imported([profile], cwd=tmp_path))
    expected = pstats_of(profile, python)

    assert set(found) == set(expected)
    for key, row in expected.items():
        assert digits(found[key]) == digits(row), key
        for caller, numbers in row[4].items():
            assert digits(found[key][4][caller]) == digits(numbers), (key, caller)


def test_a_table_of_cprofile_shows_its_totals(newest_python, tmp_path):
    program = tmp_path / "circles.py"
    program.write_text(CIRCLES)
    profile = cprofile(newest_python, tmp_path, program)
    expected = pstats_of(profile, newest_python)
    run = imported([profile], cwd=tmp_path)
    shown = support.run_kymo(
        ["report", "--flat", "--top", "0", "--format", "json", str(run)], cwd=tmp_path
    )
    rows = {row["name"]: row for row in json.loads(shown.stdout)["regions"]}
    for name in ("even", "odd", "_find_and_load"):
        (wanted,) = [row for key, row in expected.items() if key[2] == name]
        assert rows[name]["calls"] == wanted[1]
        assert round(rows[name]["total"] / NS) == round(wanted[3] / NS)


def test_profile_in_python_has_calls_and_times(python, tmp_path):
    program = tmp_path / "callers.py"
    program.write_text(CALLERS)
    run = imported([cprofile(python, tmp_path, program, "profile")], cwd=tmp_path)
    rows = by_name(run)
    assert rows["fib"][0] == 9 * 67
    assert rows["leaf"][0] == 9 + 3 + 3
    assert rows["one"][2] >= rows["one"][1] > 0


def test_call_paths_say_that_they_are_estimates(newest_python, tmp_path):
    profile = cprofile(newest_python, tmp_path, PROGRAM)
    run = imported([profile], cwd=tmp_path)
    process = support.run_kymo(["report", str(run)], cwd=tmp_path)
    assert "call paths are estimated: a .prof keeps callers only" in process.stdout


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced")
    process = support.run_kymo_python(
        support.interpreters()[-1],
        ["-T", "--", str(PROGRAM)],
        cwd=folder,
        env={"KYMO_FINISH": "OFF"},
    )
    assert process.returncode == 0, process.stderr
    return folder / "out"


def calls_and_times(run, *, name=lambda key: key):
    rows = Counter()
    times = Counter()
    for key, row in flat(run).items():
        rows[name(key)] += row[1]
        times[name(key)] += row[2]
    return rows, times


@pytest.mark.parametrize("form", ["chrome", "speedscope", "pstats"])
def test_round_trip_keeps_every_number(traced, tmp_path, form):
    run = imported([export(traced, form)], cwd=tmp_path)
    as_exported = [] if form == "pstats" else ["--raw-times"]  # as time lines always are
    same_numbers(flat(traced, *as_exported), flat(run))


@pytest.mark.parametrize("form", ["chrome", "speedscope"])
def test_round_trip_keeps_the_timeline(traced, tmp_path, form):
    run = imported([export(traced, form)], cwd=tmp_path)

    def slices(events):
        origin = min(event["ts"] for event in events if "ts" in event)
        return [
            (event["ph"], event.get("name"), round((event["ts"] - origin) * 1000))
            for event in events
            if event["ph"] in "BE"
        ]

    assert slices(timeline(run)) == slices(timeline(traced))


def test_round_trip_of_callgrind(traced, tmp_path):
    run = imported([export(traced, "callgrind")], cwd=tmp_path)

    def bare(key):  # callgrind's names have classes
        return key[0], key[1], key[2].rsplit(".", 1)[-1]

    calls, times = calls_and_times(traced, name=bare)
    found_calls, found_times = calls_and_times(run, name=bare)
    assert found_calls == calls
    for key, own in times.items():
        assert found_times[key] == pytest.approx(own, abs=1e-8), key


def test_round_trip_of_collapsed_stacks(traced, tmp_path):
    stacks = export(traced, "collapsed")
    run = imported([stacks], "--unit", "us", cwd=tmp_path)
    before = stacks.read_text()
    assert sorted(export(run, "collapsed").read_text().splitlines()) == sorted(before.splitlines())


def test_viztracer_has_every_call(tmp_path):
    viztracer = support.BUILD / "venv" / "bin" / "viztracer"
    if not viztracer.exists():
        viztracer = support.REPOSITORY / "build" / "venv" / "bin" / "viztracer"
    if not viztracer.exists():
        pytest.skip("viztracer is not installed")
    program = tmp_path / "callers.py"
    program.write_text(CALLERS)
    trace = tmp_path / "trace.json"
    process = support.run([viztracer, "--quiet", "-o", str(trace), str(program)], cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    events = json.loads(trace.read_text())["traceEvents"]
    calls = Counter(event["name"] for event in events if event["ph"] == "X")
    times = Counter()
    for event in events:
        if event["ph"] == "X":
            times[event["name"]] += event["dur"]

    run = imported([trace], cwd=tmp_path)
    found = flat(run)
    assert sum(row[1] for row in found.values()) == sum(calls.values())
    leaf = next(name for name in calls if name.startswith("leaf "))
    line = CALLERS.splitlines().index("def leaf(n):") + 1
    row = found[(str(program), line, "leaf")]
    assert row[1] == calls[leaf]
    assert row[3] == pytest.approx(times[leaf] / 1e6, abs=1e-8)


def test_compressed_files_and_pipes(tmp_path):
    text = b"main;leaf 3\n"
    packed = gzip.compress(text[:5]) + gzip.compress(text[5:])
    assert by_name(import_text(packed, cwd=tmp_path))["leaf"][0] == 3
    command = ["import", "-o", "piped", "-"]
    process = subprocess.run(
        [support.KYMO, *command], input=packed, cwd=tmp_path, capture_output=True
    )
    assert process.returncode == 0, process.stderr
    assert by_name(tmp_path / "piped")["leaf"][0] == 3


def test_several_files_are_one_run(tmp_path):
    for number in range(3):
        (tmp_path / f"part{number}.txt").write_text("main;leaf 2\n")
    run = imported(sorted(tmp_path.glob("part*.txt")), cwd=tmp_path)
    assert len(list(run.glob("*.kymo"))) == 3
    assert by_name(run)["leaf"][0] == 6


def test_processes_are_recordings(tmp_path):
    events = [
        {"ph": "X", "pid": pid, "tid": pid, "ts": pid, "dur": 2, "name": "f"} for pid in (5, 6)
    ]
    run = import_text(json.dumps(events), cwd=tmp_path)
    assert sorted(each.name for each in run.glob("*.kymo")) == ["file-5.kymo", "file-6.kymo"]


def test_a_long_line_takes_no_more_memory_than_it_is(tmp_path):
    import resource

    megabytes = 64
    line = b"f" * (megabytes << 20) + b";g 1\n"
    (tmp_path / "long.txt").write_bytes(line)
    limit = 1 << 30
    process = subprocess.run(
        [support.KYMO, "import", "-o", "imported", "long.txt"],
        cwd=tmp_path,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert process.returncode == 0, process.stderr
    assert by_name(tmp_path / "imported")["g"][0] == 1


def facts(run):
    process = support.run_kymo(["report", run], cwd=run.parent)
    assert process.returncode == 0, process.stderr
    return process.stdout.split("\n\n")[0]


def test_nothing_is_known_of_what_it_cost(tmp_path):
    """Neither of calls nor of samples, and not of both merged with each other."""
    for text in ("main;work 5\n", json.dumps(SPANS)):
        run = import_text(text, cwd=tmp_path, name="spans")
        assert re.search(r"\n  imported   from spans\n", facts(run))
        assert "\n  measuring  the overhead is unknown\n" in facts(run)
    report = json.loads(support.run_kymo(["report", "--format", "json", run], cwd=tmp_path).stdout)
    assert report["imported_from"] == str(tmp_path / "spans")


def test_several_files_are_counted(tmp_path):
    names = ["a", "b", "c"]
    for name in names:
        (tmp_path / name).write_text("main 1\n")
    run = imported([tmp_path / name for name in names], cwd=tmp_path)
    assert re.search(r"imported   from a and 2 more files\n", facts(run))
    support.run_kymo(["merge", "-o", "merged", run], cwd=tmp_path)
    assert "imported   from files of other tools\n" in facts(tmp_path / "merged")


SPANS = [{"name": "main", "ph": "X", "ts": 0, "dur": 900, "pid": 1, "tid": 1}]

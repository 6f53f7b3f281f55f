"""kymo import: what other tools' own programs write, and Kymo's exports, there and back."""

import gzip
import json
import re
import shutil
import subprocess
import textwrap
from collections import Counter

import pytest
import support
from import_runs import by_name, export, flat, import_text, imported, paths, pstats_of, timeline

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


# ---- cProfile ----------------------------------------------------------------------


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


# ---- there and back ------------------------------------------------------------------


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


# ---- viztracer -----------------------------------------------------------------------


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


# ---- callgrind ------------------------------------------------------------------------

NATIVE = """
static volatile long sum;
__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static void work(void) { leaf(1000); sum += fib(10); }
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < (argc > 1 ? 100000 : 30); i++) { work(); leaf(50); }
    return 0;
}
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    (folder / "work.c").write_text(NATIVE)
    command = ["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "work", "work.c"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "work"


def test_callgrind_costs_are_exact(native, tmp_path):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    output = tmp_path / "callgrind.out.1"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", native]
    process = support.run(command, cwd=tmp_path)
    if process.returncode != 0 or not output.exists():
        pytest.skip("valgrind does not run here: " + process.stderr.strip().splitlines()[-1])
    total = int(re.search(r"^(?:summary|totals): (\d+)", output.read_text(), re.M).group(1))

    run = imported([output], cwd=tmp_path)
    rows = by_name(run)
    assert sum(own for _, own, _ in rows.values()) * 1e9 == pytest.approx(total, abs=50)
    assert rows["leaf"][0] == 60
    assert rows["work"][0] == 30
    assert rows["fib"][0] == 30 * 177
    edges = flat(run)
    work = next(row for key, row in edges.items() if key[2] == "work")
    assert {caller[2] for caller in work[4]} == {"main"}
    leaf = next(row for key, row in edges.items() if key[2] == "leaf")
    assert {caller[2]: each[0] for caller, each in leaf[4].items()} == {"work": 30, "main": 30}


# ---- perf ---------------------------------------------------------------------------------


def test_perf_script_has_every_sample(native, tmp_path):
    if not shutil.which("perf"):
        pytest.skip("perf is not installed")
    data = tmp_path / "perf.data"
    command = [
        "perf",
        "record",
        "-q",
        "-g",
        "-e",
        "cpu-clock",
        "-F",
        "1000",
        "-o",
        data,
        native,
        "long",
    ]
    process = support.run(command, cwd=tmp_path)
    script = support.run(["perf", "script", "-i", data], cwd=tmp_path)
    samples = re.findall(r"^\S.*?(\d+) cpu-clock:", script.stdout, re.M)
    if process.returncode != 0 or not samples:
        pytest.skip("perf does not record here")
    run = import_text(script.stdout, cwd=tmp_path)
    report = support.run_kymo(["report", str(run)], cwd=tmp_path).stdout
    assert re.search(rf"samples +{len(samples)}\b", report)
    seconds = sum(int(period) for period in samples) / 1e9
    own = sum(row[2] for row in flat(run).values())
    assert own == pytest.approx(seconds, rel=1e-6)


PERF = """\
# cmdline : /usr/bin/perf record -g ./my app
my app 7/8 [001] 10.000100:     100000 cpu-clock:pppH:
\t          114f leaf+0x16 (/tmp/my (x) lib.so)
\t          11ce main+0x13 (/tmp/app (deleted))

my app 7/8 [001] 10.000200:     100000 cpu-clock:pppH:
\t          1150 leaf+0x17 (/tmp/my (x) lib.so)
\t          11ce main+0x13 (/tmp/app (deleted))

my app 7/9 [000] 10.000200:          3 page-faults:
\tffffffff8175 [unknown] ([kernel.kallsyms])
\t          11ce main+0x13 (/tmp/app (deleted))

my app 7/9 [000] 10.000300:      50000 cpu-clock:pppH:
\t          2000 py::spin:/home/a b/spin.py+0x9 (/tmp/perf-7.map)
\t          3000 operator()(int) const+0x5 (inlined)
"""


def test_perf_script_by_hand(tmp_path):
    run = import_text(PERF, cwd=tmp_path)
    rows = by_name(run)
    assert rows["leaf"][:2] == (2, pytest.approx(200e-6))
    assert rows["main"][2] == pytest.approx(200e-6)
    assert rows["spin"] == (1, pytest.approx(50e-6), pytest.approx(50e-6))
    assert rows["operator()(int) const"][1:] == (0, pytest.approx(50e-6))
    begins = [(event["name"], event["tid"]) for event in timeline(run) if event["ph"] == "B"]
    # A frame that stays is one slice.
    assert begins.count(("leaf", 8)) == 1
    assert begins.count(("spin", 9)) == 1


def metric(run, name):
    """{label: (count, sum)} of a metric's table."""
    process = support.run_kymo(["report", str(run), "--metric", name], cwd=run.parent)
    assert process.returncode == 0, process.stderr
    rows = {}
    for line in process.stdout.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        found = re.search(r">>>[ |_]*([^|]+?) *\|", line)
        if found and name in cells:
            at = cells.index(name)
            rows[found.group(1)] = (cells[at - 2], cells[at + 1])
    return rows


def test_further_events_of_perf_are_metrics(tmp_path):
    rows = metric(import_text(PERF, cwd=tmp_path), "page-faults")
    assert rows["main"][1] == "3"
    assert rows["[unknown]"][1] == "3"
    assert rows["leaf"][1] == "-"


def test_further_events_of_callgrind_are_metrics(tmp_path):
    text = """\
# callgrind format
cmd: ./app
positions: instr line
events: Ir Misses
fl=(1) a.c
fn=(1) main
0x10 16 400 1
+3 +4 20 2
cfi=(2) b.c
cfn=(2) leaf
calls=3 0x50 50
* * 300 5
fn=(3) other
0x40 60 10 9
fl=(2)
fn=(2)
0x50 50 300 5
"""
    run = import_text(text, cwd=tmp_path)
    rows = flat(run)
    main = next(row for key, row in rows.items() if key[2] == "main")
    leaf = next(row for key, row in rows.items() if key[2] == "leaf")
    assert main[1:4] == (1, pytest.approx(420e-9), pytest.approx(720e-9))
    assert leaf[1:4] == (3, pytest.approx(300e-9), pytest.approx(300e-9))
    assert {key[:2] for key in rows} == {("a.c", 16), ("b.c", 50), ("a.c", 60)}
    sums = {name: row[1] for name, row in metric(run, "Misses").items()}
    assert sums == {"main": "8", "leaf": "5", "other": "9"}


# ---- collapsed stacks ----------------------------------------------------------------------

STACKS = {
    "flamegraph": ("main;work;leaf 3\nmain;work 2\nmain 1\n", {"main": 6, "work": 5, "leaf": 3}),
    "py-spy": (
        'process 12:"python a.py";thread (0x7F12): MainThread;main (a.py:3);leaf (a.py:9) 4\n'
        'process 12:"python a.py";thread (0x7F13): other;main (a.py:3) 2\n',
        {"main": 6, "leaf": 4},
    ),
    "austin": (
        "# austin: 3.7.0\n# interval: 100\n# mode: wall\n\n"
        "P12;T0:1f3a;/a.py:main:12;/a.py:leaf:3 250\nP12;T0:1f3a;/a.py:main:13 50\n"
        "# duration: 300\n",
        {"main": 300e3, "leaf": 250e3},
    ),
    "fractions": ("main;leaf 0.5\nmain;leaf 1.25\nmain;leaf 1.25\n", {"main": 3, "leaf": 3}),
}


@pytest.mark.parametrize("form", STACKS)
def test_collapsed_stacks_of(tmp_path, form):
    text, expected = STACKS[form]
    rows = by_name(import_text(text, cwd=tmp_path))
    assert {name: round(row[2] * 1e9) for name, row in rows.items()} == expected


def test_threads_of_py_spy_have_their_names(tmp_path):
    run = import_text(STACKS["py-spy"][0], cwd=tmp_path)
    assert [each.name for each in run.glob("*.kymo")] == ["python a.py-12.kymo".replace(" ", "_")]
    assert {
        path[0] for path in paths(import_text(STACKS["py-spy"][0], "-u", "ms", cwd=tmp_path))
    } == {
        "MainThread",
        "other",
    }


# ---- speedscope ------------------------------------------------------------------------------


def speedscope(**profile):
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "profiles": [{"name": "t", "startValue": 0, "endValue": 10, **profile}],
            "shared": {"frames": [{"name": "f", "file": "a.py", "line": 3}, {"name": "g"}]},
        }
    )


def test_sampled_speedscope_has_weights_and_slices(tmp_path):
    text = speedscope(
        type="sampled",
        unit="milliseconds",
        samples=[[0], [0, 1], [0], []],
        weights=[1, 2.5, 0.5, 6],
    )
    run = import_text(text, cwd=tmp_path)
    rows = flat(run)
    assert rows[("a.py", 3, "f")][1:4] == (3, pytest.approx(1.5e-3), pytest.approx(4e-3))
    assert rows[("~", 0, "g")][1:4] == (1, pytest.approx(2.5e-3), pytest.approx(2.5e-3))
    assert [
        (event["ph"], round(event["ts"])) for event in timeline(run) if event["ph"] in "BE"
    ] == [("B", 0), ("B", 1000), ("E", 3500), ("E", 4000)]


def test_evented_speedscope_in_seconds(tmp_path):
    events = [("O", 0, 0.5), ("O", 1, 1), ("C", 1, 1.25), ("C", 0, 3)]
    text = speedscope(
        type="evented",
        unit="seconds",
        events=[{"type": kind, "frame": frame, "at": at} for kind, frame, at in events],
    )
    rows = flat(import_text(text, cwd=tmp_path))
    assert rows[("a.py", 3, "f")][1:4] == (1, pytest.approx(2.25), pytest.approx(2.5))
    assert rows[("~", 0, "g")][1:4] == (1, pytest.approx(0.25), pytest.approx(0.25))


# ---- Chrome traces -----------------------------------------------------------------


def trace_event(ph, ts, **more):
    return {"ph": ph, "pid": 1, "tid": 2, "ts": ts, **more}


def test_complete_events_in_any_order_nest(tmp_path):
    events = [
        trace_event("X", 20, dur=5, name="inner"),
        trace_event("X", 10, dur=30, name="outer"),
        trace_event("X", 30, dur=10, name="inner"),
        trace_event("M", 0, name="thread_name", args={"name": "worker"}),
        trace_event("i", 12, name="mark", s="t"),
        trace_event("C", 15, name="memory", args={"value": 7}),
        trace_event("s", 15, name="flow", id=1),
    ]
    run = import_text(json.dumps({"traceEvents": events}), cwd=tmp_path)
    rows = flat(run)
    outer = next(row for key, row in rows.items() if key[2] == "outer")
    inner = next(row for key, row in rows.items() if key[2] == "inner")
    assert outer[1:4] == (1, pytest.approx(15e-6), pytest.approx(30e-6))
    assert inner[1] == 2
    assert {caller[2] for caller in inner[4]} == {"outer"}
    found = timeline(run)
    assert [event["ts"] for event in found if event["ph"] == "i"] == [2]
    assert [event["args"]["value"] for event in found if event["ph"] == "C"] == [7]
    assert "worker" in [event["args"]["name"] for event in found if event["ph"] == "M"]


def test_an_array_need_not_end(tmp_path):
    text = json.dumps([trace_event("B", 1, name="f"), trace_event("E", 4)])
    for cut in (text[:-1], text[:-1] + ",\n", text[:-1] + ',{"ph":"B","ts":5,"na'):
        rows = by_name(import_text(cut, cwd=tmp_path))
        assert rows == {"f": (1, pytest.approx(3e-6), pytest.approx(3e-6))}


def test_asynchronous_operations_have_tracks_of_their_own(tmp_path):
    events = []
    for number in range(3):
        common = {"cat": "net", "id": number, "name": "request"}
        events.append(trace_event("b", 10 * number, **common))
        events.append(trace_event("b", 10 * number + 1, **{**common, "name": "reply"}))
        events.append(trace_event("e", 10 * number + 2, **{**common, "name": "reply"}))
        events.append(trace_event("e", 10 * number + 15, **common))
    run = import_text(json.dumps(events), cwd=tmp_path)
    rows = by_name(run)
    assert rows["request"] == (3, pytest.approx(42e-6), pytest.approx(45e-6))
    assert rows["reply"] == (3, pytest.approx(3e-6), pytest.approx(3e-6))
    names = {event["args"]["name"] for event in timeline(run) if event["ph"] == "M"}
    assert {"request (async)", "request (async 2)"} <= names
    assert "request (async 3)" not in names


# ---- the command -------------------------------------------------------------------


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


# ---- what a run says of where it is from -------------------------------------------------


def facts(run):
    process = support.run_kymo(["report", run], cwd=run.parent)
    assert process.returncode == 0, process.stderr
    return process.stdout.split("\n\n")[0]


def test_nothing_is_known_of_what_it_cost(tmp_path):
    """Neither of calls nor of samples, and not of both merged with each other."""
    for text in ("main;work 5\n", json.dumps(SPANS)):
        run = import_text(text, cwd=tmp_path, name="spans")
        assert re.search(r"\n  imported   from spans\n", facts(run))
        assert "\n  measuring  what it cost is not known\n" in facts(run)
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

"""kymo export: every format is read by what owns it, and says what was recorded."""

import json
import resource
import subprocess
import time
from collections import Counter

import perfetto_engine
import pytest
import support
from perfetto_trace import PerfettoTrace

PROGRAM = support.program("calls_of_all_kinds.py")


def record(python, cwd, *args, program=PROGRAM, env=None):
    """A run of the program in cwd/out."""
    process = support.run_kymo_python(
        python, [*args, "--", str(program)], cwd=cwd, env={"KYMO_FINISH": "OFF", **(env or {})}
    )
    assert process.returncode == 0, process.stderr
    return cwd / "out"


def export(run, name, *options):
    """The run in that format, as bytes."""
    target = run.parent / f"exported.{name}"
    process = support.run_kymo(
        ["export", str(run), "--format", name, "-o", str(target), *options], cwd=run.parent
    )
    assert process.returncode == 0, process.stderr
    return target.read_bytes()


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A traced run of the program, by the newest interpreter."""
    return record(support.interpreters()[-1], tmp_path_factory.mktemp("traced"), "-T")


def load_pstats(python, path):
    """What this interpreter's pstats reads, the program's own folder left out."""
    script = "import pstats, sys; print(repr(pstats.Stats(sys.argv[1]).stats))"
    process = support.run([python.executable, "-c", script, str(path)], cwd=path.parent)
    assert process.returncode == 0, process.stderr
    return eval(process.stdout)


def profile_with_cprofile(python, folder, builtins):
    script = (
        f"import sys, cProfile; sys.path.insert(0, {str(PROGRAM.parent)!r})\n"
        f"import {PROGRAM.stem} as program\n"
        f"profile = cProfile.Profile(builtins={builtins})\n"
        "profile.runcall(program.main)\n"
        "profile.dump_stats('cprofile.prof')\n"
    )
    process = support.run([python.executable, "-c", script], cwd=folder)
    assert process.returncode == 0, process.stderr
    return load_pstats(python, folder / "cprofile.prof")


def functions_of_program(stats):
    """(cc, nc) by function, of those that the program defines."""
    return {key[1:]: row[:2] for key, row in stats.items() if key[0] == str(PROGRAM)}


def calls_of_program(stats):
    """(nc, cc) by caller and callee, of the calls that the program makes."""
    return {
        (caller[1:], callee[1:]): numbers[:2]
        for callee, row in stats.items()
        for caller, numbers in row[4].items()
        if caller[0] == str(PROGRAM)
    }


@pytest.mark.alike_versions
@pytest.mark.parametrize("builtins", [False, True], ids=["python", "builtins"])
def test_pstats_counts_as_cprofile_does(python, tmp_path, builtins):
    expected = profile_with_cprofile(python, tmp_path, builtins)
    run = record(python, tmp_path, *(["--trace-c"] if builtins else []))
    export(run, "pstats")
    found = load_pstats(python, tmp_path / "exported.pstats")

    functions = functions_of_program(found)
    # The bodies of module and class ran when the program was loaded, before cProfile was on.
    assert functions.pop((1, "<module>")) == (1, 1)
    assert functions.pop((28, "Shape")) == (1, 1)
    assert functions == functions_of_program(expected)
    calls = calls_of_program(found).items()
    called = {pair: numbers for pair, numbers in calls if pair[0][1] != "<module>"}
    assert called == calls_of_program(expected)
    if builtins:
        names = {callee[1] for _, callee in calls_of_program(found)}
        assert "<built-in method builtins.len>" in names
        assert "<method 'append' of 'list' objects>" in names


def test_pstats_times_are_consistent(newest_python, tmp_path):
    run = record(newest_python, tmp_path)
    export(run, "pstats")
    stats = load_pstats(newest_python, tmp_path / "exported.pstats")
    main = next(row for key, row in stats.items() if key[2] == "main")
    own = {key: row[2] for key, row in stats.items()}

    for cc, nc, tt, ct, callers in stats.values():
        assert 0 < cc <= nc
        assert 0 <= tt <= ct * (1 + 1e-9)
        if callers:
            assert sum(each[0] for each in callers.values()) == nc
            assert sum(each[2] for each in callers.values()) == pytest.approx(tt)
    below_main = sum(tt for key, tt in own.items() if key[2] not in ("Shape", "<module>"))
    assert main[3] == pytest.approx(below_main)


def expected_counts(run):
    """Calls by name, from the table of functions."""
    python = support.interpreters()[-1]
    export(run, "pstats")
    return Counter(
        {
            name: row[1]
            for (_, _, name), row in load_pstats(python, run.parent / "exported.pstats").items()
        }
    )


def bare_name(label):
    """The function's name without its class, which newer interpreters tell."""
    return label.rsplit(".", 1)[-1]


def test_perfetto_has_every_call(traced):
    trace = PerfettoTrace(export(traced, "perfetto"))
    slices = trace.slices()
    assert Counter(bare_name(each.name) for each in slices) == expected_counts(traced)
    assert {each.category for each in slices} == {"python"}
    assert [each.name for each in trace.processes()] == [PROGRAM.name]
    assert [each.name for each in trace.threads()] == ["MainThread"]
    main = next(each for each in slices if each.name == "main")
    assert main.depth == 1
    assert main.annotations == {"file": str(PROGRAM), "line": 65}
    assert all(
        main.begin_ns <= each.begin_ns <= each.end_ns <= main.end_ns
        for each in slices
        if bare_name(each.name) not in ("main", "Shape", "<module>")
    )
    # fail() is left by an exception five times.
    assert sum("left by exception" in each.annotations for each in slices) == 5


def test_perfetto_is_what_the_run_itself_writes(newest_python, tmp_path):
    run = record(newest_python, tmp_path, "-T", env={"KYMO_FINISH": None})
    assert (run / "perfetto-trace.proto").read_bytes() == export(run, "perfetto")


def test_perfetto_opens_in_its_own_engine(traced, tmp_path):
    data = export(traced, "perfetto")
    slices, threads, errors, nested = perfetto_engine.query(
        data,
        [
            "select name, ts, dur from slice",
            "select t.name, p.name from thread_track join thread t using (utid) "
            "join process p using (upid)",
            "select name, value from stats where severity != 'info' and value != 0",
            "select count(*) from slice c join slice p on c.parent_id = p.id "
            "where c.ts < p.ts or c.ts + c.dur > p.ts + p.dur",
        ],
        tmp_path,
    )
    expected = [
        (each.name, each.begin_ns, each.end_ns - each.begin_ns)
        for each in PerfettoTrace(data).slices()
    ]
    assert sorted(slices) == sorted(expected)
    assert threads == [("MainThread", PROGRAM.name)]
    assert errors == []
    assert nested == [(0,)]


def test_perfetto_times_are_of_the_wall_clock(newest_python, tmp_path):
    before = time.time_ns()
    run = record(newest_python, tmp_path, "-T")
    after = time.time_ns()
    for each in PerfettoTrace(export(run, "perfetto")).slices():
        assert before < each.begin_ns <= each.end_ns < after


PARENT = """\
import os, sys, threading

def child_work():
    return sum(range(1000))

def parent_work():
    return sum(range(1000))

def in_thread():
    parent_work()

parent_work()
pid = os.fork()
if pid == 0:
    child_work()
    sys.exit(0)
os.waitpid(pid, 0)
thread = threading.Thread(target=in_thread, name="helper")
thread.start()
thread.join()
parent_work()
"""


def test_perfetto_puts_processes_and_threads_on_one_clock(newest_python, tmp_path):
    program = tmp_path / "family.py"
    program.write_text(PARENT)
    run = record(newest_python, tmp_path, "-T", program=program)
    trace = PerfettoTrace(export(run, "perfetto"))
    assert len(trace.processes()) == 2
    assert {"MainThread", "helper"} <= {each.name for each in trace.threads()}
    first, in_helper, last = sorted(
        (each for each in trace.slices() if each.name == "parent_work"),
        key=lambda each: each.begin_ns,
    )
    child = next(each for each in trace.slices() if each.name == "child_work")
    assert in_helper.track.name == "helper"
    assert child.track.pid != first.track.pid == last.track.pid
    assert first.end_ns <= child.begin_ns <= child.end_ns <= in_helper.begin_ns


def test_annotations_can_be_left_out(traced):
    full, plain = export(traced, "perfetto"), export(traced, "perfetto", "--no-annotations")
    assert len(plain) < len(full)
    assert all(not each.annotations for each in PerfettoTrace(plain).slices())


def nested_slices(events):
    """(name, begin, end) of begin and end pairs of one thread; fails where they cross."""
    stack, found = [], []
    for each in events:
        if each["ph"] == "B":
            stack.append((each["name"], each["ts"]))
        elif each["ph"] == "E":
            name, begin = stack.pop()
            assert begin <= each["ts"]
            found.append((name, begin, each["ts"]))
    assert not stack
    return found


def test_chrome_has_the_same_slices(traced):
    document = json.loads(export(traced, "chrome"))
    origin = int(document["otherData"]["origin_realtime_ns"])
    expected = [
        (each.name, each.begin_ns - origin, each.end_ns - origin)
        for each in PerfettoTrace(export(traced, "perfetto")).slices()
    ]
    found = [
        (name, round(begin * 1000), round(end * 1000))
        for name, begin, end in nested_slices(document["traceEvents"])
    ]
    assert found == expected
    named = {
        each["name"]: each["args"]["name"] for each in document["traceEvents"] if each["ph"] == "M"
    }
    assert named == {"process_name": PROGRAM.name, "thread_name": "MainThread"}


def test_speedscope_of_a_trace_is_evented(traced):
    document = json.loads(export(traced, "speedscope"))
    frames = document["shared"]["frames"]
    (profile,) = document["profiles"]
    assert profile["type"] == "evented"
    events = [
        {
            "ph": {"O": "B", "C": "E"}[each["type"]],
            "name": frames[each["frame"]]["name"],
            "ts": each["at"],
        }
        for each in profile["events"]
    ]
    closed = [frames[each["frame"]]["name"] for each in profile["events"] if each["type"] == "C"]
    slices = nested_slices(events)
    assert [name for name, _, _ in slices] == closed
    assert Counter(bare_name(name) for name in closed) == expected_counts(traced)
    assert profile["endValue"] == events[-1]["ts"]
    main = next(each for each in frames if each["name"] == "main")
    assert (main["file"], main["line"]) == (str(PROGRAM), 65)


def test_stacks_of_a_tree_hold_all_its_time(newest_python, tmp_path):
    run = record(newest_python, tmp_path)
    export(run, "pstats")
    stats = load_pstats(newest_python, tmp_path / "exported.pstats")
    total_ns = sum(row[2] for row in stats.values()) * 1e9

    document = json.loads(export(run, "speedscope"))
    (profile,) = document["profiles"]
    assert profile["type"] == "sampled"
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"] == pytest.approx(total_ns, abs=2)

    lines = export(run, "collapsed").decode().splitlines()
    weights = [int(line.rsplit(" ", 1)[1]) for line in lines]
    assert sum(weights) == pytest.approx(total_ns / 1000, abs=1)
    assert min(weights) > 0
    path = "<module> (calls_of_all_kinds.py:1);main (calls_of_all_kinds.py:65);fib ("
    assert any(line.startswith(path) for line in lines)


def test_filter_takes_regions_by_name(traced):
    trace = PerfettoTrace(export(traced, "perfetto", "--filter", "^(main|fib)$"))
    assert {each.name for each in trace.slices()} == {"main", "fib"}


def refusal(run, *options):
    process = support.run_kymo(["export", str(run), *options], cwd=run.parent)
    assert process.stdout == ""
    (line,) = process.stderr.splitlines()
    return process.returncode, line


def test_timeline_without_trace_says_how_to_record_one(newest_python, tmp_path):
    run = record(newest_python, tmp_path)
    for name in ("perfetto", "chrome"):
        status, line = refusal(run, "--format", name, "-o", "timeline")
        assert status == 1
        assert "holds no trace" in line and "-T" in line
    assert not (tmp_path / "timeline").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--format", "perfeto"], "did you mean 'perfetto'"),
        (["--format", "perfetto", "-o", "x", "--thread", "99"], "has no thread 99"),
        (["--format", "perfetto", "-o", "x", "--process", "1"], "has no process 1"),
        (["--format", "perfetto", "-o", "x", "--filter", "("], "bad pattern '('"),
    ],
    ids=["format", "thread", "process", "filter"],
)
def test_wrong_use_is_one_line(traced, options, words):
    status, line = refusal(traced, *options)
    assert status == 2
    assert words in line
    assert not (traced.parent / "x").exists()


def test_full_disk_is_one_line(traced):
    status, line = refusal(traced, "--format", "chrome", "-o", "/dev/full")
    assert status == 1
    assert "'/dev/full': No space left on device" in line


def test_file_is_replaced_only_by_a_whole_one(traced, tmp_path):
    target = tmp_path / "kept"
    target.write_text("old")
    limit = 10_000  # bytes; less than the trace takes
    process = subprocess.run(
        [str(support.KYMO), "export", str(traced), "--format", "chrome", "-o", str(target)],
        env=support.clean_environment(tmp_path),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert process.returncode == 1
    assert "File too large" in process.stderr
    assert target.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]


def test_reader_that_has_seen_enough_is_no_failure(traced, tmp_path):
    command = f"'{support.KYMO}' export '{traced}' --format chrome -o - | head -1; echo $PIPESTATUS"
    process = support.run(["bash", "-c", command], cwd=tmp_path)
    assert process.stdout == '{"traceEvents":[\n0\n'
    assert process.stderr == ""

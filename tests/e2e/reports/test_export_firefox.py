"""kymo export --format firefox: what its profiler would read."""

import json

import pytest
import support
from test_export import export, record
from test_export_graphs import pstats_of

COLUMNS = {
    "samples": {"stack", "time", "weight"},
    "stackTable": {"frame", "prefix", "category", "subcategory"},
    "frameTable": {
        "address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
        "innerWindowID", "implementation", "line", "column",
    },
    "funcTable": {
        "name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber",
    },
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
    "markers": {"data", "name", "startTime", "endTime", "phase", "category"},
}  # fmt: skip


def check_indexes(column, length, *, is_optional=False):
    """Whether every number of a column is a row of the table that it refers to."""
    for index in column:
        if index is None:
            assert is_optional
        else:
            assert type(index) is int and 0 <= index < length


def check_tables(thread, categories):
    for name, columns in COLUMNS.items():
        table = thread[name]
        assert {key for key in table if key not in ("length", "weightType")} == columns, name
        assert {len(table[key]) for key in columns} == {table["length"]}, name
    stacks, frames, functions = thread["stackTable"], thread["frameTable"], thread["funcTable"]
    strings = thread["stringArray"]
    assert all(type(text) is str for text in strings) and len(set(strings)) == len(strings)
    check_indexes(thread["samples"]["stack"], stacks["length"], is_optional=True)
    check_indexes(stacks["frame"], frames["length"])
    check_indexes(stacks["category"], len(categories))
    check_indexes(frames["category"], len(categories))
    check_indexes(frames["func"], functions["length"])
    check_indexes(functions["name"], len(strings))
    check_indexes(functions["fileName"], len(strings), is_optional=True)
    for stack, prefix in enumerate(stacks["prefix"]):
        assert prefix is None or 0 <= prefix < stack
    assert len(set(zip(stacks["prefix"], stacks["frame"]))) == stacks["length"]
    assert set(frames["func"]) == set(range(functions["length"]))


def check_profile(data):
    """The document, when all of it is as the profiler expects it."""
    document = json.loads(data.decode())
    meta = document["meta"]
    assert (meta["version"], meta["preprocessedProfileVersion"]) == (24, 47)
    assert meta["interval"] > 0 and meta["startTime"] > 1e12
    assert meta["extensions"] == {"id": [], "name": [], "baseURL": [], "length": 0}
    assert [each["color"] for each in meta["categories"]].count("grey") == 1
    assert all(each["subcategories"] for each in meta["categories"])
    assert document["libs"] == []
    assert {(type(each["pid"]), type(each["tid"])) for each in document["threads"]} <= {(str, int)}
    assert len({(each["pid"], each["tid"]) for each in document["threads"]}) == len(
        document["threads"]
    )
    for thread in document["threads"]:
        check_tables(thread, meta["categories"])
        samples = thread["samples"]
        assert samples["weightType"] == "tracing-ms" and samples["length"] > 0
        assert samples["time"] == sorted(samples["time"])
        assert all(weight >= 0 for weight in samples["weight"])
        assert thread["registerTime"] <= samples["time"][0] + 1e-3
    return document


def stack_names(thread):
    """The functions of each stack, outermost first, with the line of each frame."""
    frames, functions, strings = thread["frameTable"], thread["funcTable"], thread["stringArray"]
    stacks = []
    for prefix, frame in zip(thread["stackTable"]["prefix"], thread["stackTable"]["frame"]):
        name = strings[functions["name"][frames["func"][frame]]]
        above = [] if prefix is None else stacks[prefix]
        stacks.append([*above, (name, frames["line"][frame])])
    return stacks


def test_firefox_has_the_time_of_every_function(plain_run):
    document = check_profile(export(plain_run, "firefox"))
    (thread,) = document["threads"]
    assert thread["name"] == "MainThread" and thread["isMainThread"]
    stacks = stack_names(thread)
    own, total = {}, {}
    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        names = [name.rsplit(".", 1)[-1] for name, _ in stacks[stack]]
        own[names[-1]] = own.get(names[-1], 0) + weight
        for name in set(names):
            total[name] = total.get(name, 0) + weight
    for name, (_, own_ns, total_ns) in pstats_of(plain_run).items():
        if not name.endswith((":fib", ":is_even", ":is_odd", ":main")):
            continue
        name = name.rsplit(":", 1)[1]
        assert own[name] == pytest.approx(own_ns / 1e6, abs=1e-3), name
        assert total[name] == pytest.approx(total_ns / 1e6, abs=1e-3), name


def test_firefox_has_samples_at_their_time(sampled_run):
    document = check_profile(export(sampled_run, "firefox"))
    assert len(document["threads"]) == 3
    stacks = [stack for thread in document["threads"] for stack in stack_names(thread)]
    source = support.program("exported_samples.py").read_text().splitlines()
    first = next(i for i, line in enumerate(source, 1) if line.startswith("def spin"))
    lines = {line for stack in stacks for name, line in stack if name == "spin"}
    assert lines and all(first <= line < first + 8 for line in lines)
    total_ms = sum(sum(thread["samples"]["weight"]) for thread in document["threads"])
    export(sampled_run, "collapsed")
    rows = (sampled_run.parent / "exported.collapsed").read_text().splitlines()
    total_us = sum(int(line.rsplit(" ", 1)[1]) for line in rows)
    assert total_ms * 1000 == pytest.approx(total_us, abs=2)
    intervals = []
    for thread in document["threads"]:
        times = thread["samples"]["time"]
        assert thread["registerTime"] <= times[0] < times[-1]
        # One a sample, not one a stack.
        assert len(times) > len(set(thread["samples"]["stack"]))
        intervals.append((times[-1] - times[0]) / (len(times) - 1))
    assert document["meta"]["interval"] == pytest.approx(min(intervals), abs=1e-3)


def test_firefox_has_hostile_names(hostile_run):
    document = check_profile(export(hostile_run, "firefox"))
    assert [thread["name"] for thread in document["threads"]] == ["MainThread", 'wor"ker']
    for thread in document["threads"]:
        strings = set(thread["stringArray"])
        assert {'quo"te', "new\nline", "back\\slash\\", "x" * 10000, "   "} <= strings
        assert any(text.endswith('3"\na</script>.py') for text in strings)


def test_firefox_has_the_threads_of_every_process(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import os\ndef work():\n    return sum(range(1000))\nwork()\n"
        "if os.fork() == 0:\n    work()\n    raise SystemExit\nos.wait()\n"
    )
    run = record(support.interpreters()[-1], tmp_path, program=program)
    document = check_profile(export(run, "firefox"))
    assert len({thread["pid"] for thread in document["threads"]}) == 2
    child = document["threads"][1]
    only = check_profile(export(run, "firefox", "-p", child["pid"]))
    assert [thread["pid"] for thread in only["threads"]] == [child["pid"]]

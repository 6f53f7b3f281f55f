"""kymo export of call graphs: what graphviz and the tools behind them make of it."""

import importlib.util
import json
import re
import shutil
import sys
from collections import Counter

import pytest
import support
from test_export import export, load_pstats, record

TIMES = "\u00d7"

HOSTILE = """
import threading

def spin(count):
    return sum(i * i for i in range(count))

names = ['quo"te', "new\\nline", "back\\\\slash\\\\", "a</script>", "(1) x", "\\u202eleft",
         "x" * 10000, "b<b>&amp;</b>", "{a|b}", "%s%n", "   ", "fn=(7)", "lone\\udc80"]
made = []
for index, name in enumerate(names):
    space = {"spin": spin}
    file = f"folder/{index}\\"\\n{name[:100]}.py"
    source = "def f():\\n    spin(20000)\\n"
    exec(compile(source, file.encode("utf-8", "replace").decode(), "exec"), space)
    function = space["f"]
    changes = {"co_name": name}
    if hasattr(function.__code__, "co_qualname"):
        changes["co_qualname"] = name
    try:
        function.__code__ = function.__code__.replace(**changes)
    except UnicodeEncodeError:
        pass
    made.append(function)

def main():
    for function in made:
        function()
    again(12)

def again(depth):
    spin(5000)
    if depth:
        other(depth - 1)

def other(depth):
    if depth:
        again(depth - 1)

main()
worker = threading.Thread(target=main, name='wor"ker')
worker.start()
worker.join()
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A run whose functions and files have names of all kinds."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "program.py").write_text(HOSTILE, encoding="utf-8")
    return record(support.interpreters()[-1], folder, program=folder / "program.py")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return record(support.interpreters()[-1], tmp_path_factory.mktemp("plain"))


def sample(folder, program):
    """A run of samples of the program."""
    python = support.interpreters()[-1]
    options = ["-q", "-f", "200", "-o", folder / "out", "--time-output=OFF"]
    result = support.run_kymo(["sample", *options, "--", python.executable, program], cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    return sample(tmp_path_factory.mktemp("sampled"), support.program("exported_samples.py"))


def gprof2dot(folder, *arguments):
    """The graph that gprof2dot draws."""
    found = importlib.util.find_spec("gprof2dot")
    if not found:
        pytest.skip("gprof2dot is not installed")
    process = support.run([sys.executable, found.origin, *arguments], cwd=folder)
    assert process.returncode == 0, process.stderr
    return process.stdout


def label_parts(text):
    """The name, of as many lines as it has, and then line by line the numbers."""
    parts = [part for part in text.replace("\\n", "\n").split("\n") if part]
    first = next(i for i, part in enumerate(parts) if part.endswith(("%", TIMES)))
    return ["/".join(parts[:first]), *parts[first:]]


def nodes_and_edges(dot):
    """Labels by node, and by pair of nodes, as lists of lines."""
    nodes, edges = {}, {}
    for line in dot.splitlines():
        node = re.match(r'\t(?:"([^"]+)"|([^\s"]+)) \[.*?label="((?:[^"\\]|\\.)*)"', line)
        edge = re.match(
            r'\t(?:"([^"]+)"|([^\s"]+)) -> (?:"([^"]+)"|([^\s"]+)) \[.*?label="((?:[^"\\]|\\.)*)"',
            line,
        )
        if edge:
            key = (edge.group(1) or edge.group(2), edge.group(3) or edge.group(4))
            edges[key] = label_parts(edge.group(5))[1:]
        elif node:
            nodes[node.group(1) or node.group(2)] = label_parts(node.group(3))
    # Modules of the same name may have the same function on the same line.
    count_of = Counter(labels[0] for labels in nodes.values())
    names = {
        node: labels[0] if count_of[labels[0]] == 1 else f"{node}/{labels[0]}"
        for node, labels in nodes.items()
    }
    return {names[node]: labels[1:] for node, labels in nodes.items()}, {
        (names[caller], names[callee]): labels for (caller, callee), labels in edges.items()
    }


# ---- dot -----------------------------------------------------------------------------


def render(dot, folder):
    if not shutil.which("dot"):
        pytest.skip("graphviz is not installed")
    process = support.run(["dot", "-Tsvg"], cwd=folder, input=dot, text=False)
    assert process.returncode == 0, process.stderr
    assert process.stderr == b""
    return process.stdout.decode()


def share(text):
    return float(text.strip("()%"))


def count(labels):
    return int(labels[-1].rstrip(TIMES))


def assert_same_labels(found, expected):
    """Lines of the same kinds, with shares of the same time, rounded in different places."""
    assert found.keys() == expected.keys()
    for name, labels in expected.items():
        assert len(found[name]) == len(labels), name
        for ours, theirs in zip(found[name], labels):
            assert ours[-1] == theirs[-1]
            if not theirs.endswith(TIMES):
                assert share(ours) == pytest.approx(share(theirs), abs=0.02), name


def test_dot_is_the_graph_that_gprof2dot_draws(plain):
    thresholds = ["-n", "0", "-e", "0"]
    found = nodes_and_edges(export(plain, "dot", *thresholds).decode())
    export(plain, "pstats")
    expected = nodes_and_edges(
        gprof2dot(plain.parent, "-f", "pstats", *thresholds, plain.parent / "exported.pstats")
    )
    assert len(expected[0]) > 10 and len(expected[1]) > 10
    assert_same_labels(found[0], expected[0])
    assert_same_labels(found[1], expected[1])
    # Of recursive calls gprof2dot has the outermost ones only, because cProfile writes the two
    # numbers of a caller the other way round; calls add up here.
    assert {name: labels[-1] for name, labels in found[0].items()} == {
        name: labels[-1] for name, labels in expected[0].items()
    }
    for name in {callee for _, callee in found[1]}:
        calls = [labels[-1] for (_, callee), labels in found[1].items() if callee == name]
        assert sum(int(text.rstrip(TIMES)) for text in calls) == count(found[0][name]), name


def test_dot_leaves_out_what_is_below_the_thresholds(plain):
    nodes, edges = nodes_and_edges(export(plain, "dot", "-n", "0", "-e", "0").decode())
    limit = sorted(share(labels[0]) for labels in nodes.values())[len(nodes) // 2]
    fewer, _ = nodes_and_edges(export(plain, "dot", "-n", str(limit), "-e", "0").decode())
    kept = {name for name, labels in nodes.items() if share(labels[0]) > limit + 0.01}
    assert kept <= fewer.keys() < nodes.keys()
    _, none = nodes_and_edges(export(plain, "dot", "-n", "0", "-e", "100").decode())
    assert len(none) < len(edges)


def test_dot_of_hostile_names_is_drawn(hostile):
    data = export(hostile, "dot", "-n", "0", "-e", "0")
    svg = render(data, hostile.parent)
    data.decode()
    assert "<script" not in svg.lower() and "</script" not in svg.lower()
    titles = set(re.findall(r">([^<>]*)</text>", svg))
    assert any(text.endswith("quo&quot;te") for text in titles)
    assert any("new line" in text.replace("&#160;", " ") for text in titles)
    assert any(text.endswith("x…") for text in titles)
    assert any(text.endswith("back\\slash\\") for text in titles)


def test_dot_of_samples(sampled):
    nodes, edges = nodes_and_edges(export(sampled, "dot", "-n", "0", "-e", "0").decode())
    spin = next(labels for name, labels in nodes.items() if name.endswith("spin"))
    assert 0 < share(spin[0]) <= 100 and count(spin) > 0
    assert any(callee.endswith("spin") for _, callee in edges)
    # Of a function that is drawn again for each line it was seen in.
    lines, _ = nodes_and_edges(export(sampled, "dot", "--lines", "-n", "0").decode())
    assert len(lines) > len(nodes)


@pytest.mark.parametrize("threshold", ["x", "101", "-1", "nan", "5%", ""])
def test_a_threshold_is_a_percentage(plain, threshold):
    command = ["export", plain, "--format", "dot", "-o", "x.dot", f"--node-threshold={threshold}"]
    process = support.run_kymo(command, cwd=plain.parent)
    assert process.returncode == 2
    assert process.stderr == f"kymo: '{threshold}' is no percentage from 0 to 100\n"
    assert not (plain.parent / "x.dot").exists()


# ---- callgrind -------------------------------------------------------------------------


def annotate(path, *options):
    """What callgrind_annotate reads: totals, and by file:function the two events."""
    if not shutil.which("callgrind_annotate"):
        pytest.skip("callgrind_annotate is not installed")
    process = support.run(
        ["callgrind_annotate", "--auto=no", "--threshold=100", "--show-percs=no", *options, path],
        cwd=path.parent.parent,
    )
    assert process.returncode == 0, process.stderr
    # It knows of one part: what begins others is what it warns of, and all that it warns of.
    assert re.fullmatch(
        r"(WARNING: line \d+ malformed, ignoring\n( +line: '(thread|pid|events): .*'\n)?)*",
        process.stderr,
    )
    rows = {}
    for line in process.stdout.splitlines():
        found = re.fullmatch(r" *([\d,]+) +([\d,.]+) +(\S.*)", line)
        if found:
            numbers = (int(text.replace(",", "")) for text in found.group(1, 2) if text != ".")
            rows[found.group(3)] = tuple(numbers)
    return rows.pop("PROGRAM TOTALS"), rows


def export_callgrind(run, *options):
    """The path of the exported file."""
    export(run, "callgrind", *options)
    return run.parent / "exported.callgrind"


def pstats_of(run):
    """(calls, own ns, total ns) by file:function."""
    python = support.interpreters()[-1]
    export(run, "pstats")
    stats = load_pstats(python, run.parent / "exported.pstats")
    rows = {}
    for (file, _, name), (_, calls, own, total, _) in stats.items():
        key = f"{'???' if file == '~' else file}:{name}"
        assert key not in rows
        rows[key] = (calls, round(own * 1e9), round(total * 1e9))
    return rows


def bare(rows):
    """The rows without the classes of functions, which pstats does not have."""
    return {
        re.sub(r":[^:]*?([^.:]+|<[^<>]*>)$", r":\1", name): numbers
        for name, numbers in rows.items()
    }


def test_callgrind_costs_are_those_of_the_functions(plain):
    path = export_callgrind(plain)
    expected = pstats_of(plain)
    totals, own = annotate(path)
    _, inclusive = annotate(path, "--inclusive=yes")
    assert totals[0] == pytest.approx(
        sum(own for _, own, _ in expected.values()), abs=len(expected)
    )
    assert totals[1] == sum(calls for calls, _, _ in expected.values())
    own, inclusive = bare(own), bare(inclusive)
    assert inclusive.pop("???:MainThread")[0] == totals[0]
    own.pop("???:MainThread", None)
    assert inclusive.keys() == expected.keys()
    recursive = 0
    for name, (calls, own_ns, total_ns) in expected.items():
        assert own[name][1] == calls, name
        assert own[name][0] == pytest.approx(own_ns, abs=calls), name
        # Of recursion, too, the sum over all callers.
        assert inclusive[name][0] == pytest.approx(total_ns, abs=1000), name
        recursive += name.endswith((":fib", ":is_even", ":is_odd"))
    assert recursive == 3


def test_callgrind_is_read_by_gprof2dot(plain):
    path = export_callgrind(plain)
    thresholds = ["-n", "0", "-e", "0"]
    nodes, edges = nodes_and_edges(gprof2dot(plain.parent, "-f", "callgrind", *thresholds, path))
    ours, our_edges = nodes_and_edges(export(plain, "dot", *thresholds).decode())
    assert {count(labels) for labels in ours.values()} < {
        count(labels) for labels in nodes.values()
    }
    assert nodes["MainThread"][0] == "100.00%"
    fib = next(labels for name, labels in ours.items() if name.endswith(":fib"))
    assert nodes["fib"] == fib
    assert ("fib", "fib") in edges
    assert len(edges) > len(our_edges)


def parts_of(text):
    """Each part's thread, and its names as a reader collects them."""
    head, *parts = re.split(r"^thread: ", text, flags=re.MULTILINE)
    assert head.startswith("# callgrind format\nversion: 1\ncreator: kymo-")
    read = []
    for part in parts:
        names = {"f": {}, "n": {}}
        for key, number, name in re.findall(
            r"^c?(?:f)([ln])=\((\d+)\)(?: (.*))?$", part, flags=re.MULTILINE
        ):
            known = names["f" if key == "l" else "n"]
            assert (number in known) != bool(name), (number, name)
            known.setdefault(number, name)
        read.append((part.splitlines()[0], names["f"], names["n"]))
    return read


def test_callgrind_has_hostile_names_on_their_lines(hostile):
    path = export_callgrind(hostile)
    text = path.read_bytes().decode()
    parts = parts_of(text)
    assert [thread for thread, _, _ in parts] == ["1", "2"]
    for _, files, names in parts:
        found = set(names.values())
        assert {'quo"te', "new line", "back\\slash\\", "(1) x", "x" * 10000, "?"} <= found
        assert {"fn=(7)", "a</script>", "again", "other"} <= found
        assert any(file.endswith('3" a</script>.py') for file in files.values())
    assert 'wor"ker' in parts[1][2].values()
    totals, own = annotate(path)
    assert sum(numbers[0] for numbers in own.values()) == totals[0]
    assert f"\ntotals: {totals[0]} {totals[1]}\n" in text
    # A function that calls another that calls it takes as long as both, once.
    _, inclusive = annotate(path, "--inclusive=yes")
    cost = {name.rsplit(":", 1)[1]: numbers[0] for name, numbers in inclusive.items()}
    assert cost["other"] < cost["again"] < cost["main"] < totals[0]


def test_callgrind_has_the_lines_of_samples(sampled):
    path = export_callgrind(sampled)
    totals, own = annotate(path)
    assert sum(numbers[0] for numbers in own.values()) == totals[0]
    lines = dict.fromkeys(re.findall(r"^(\d+) [1-9]\d* \d+$", path.read_text(), re.MULTILINE))
    source = support.program("exported_samples.py").read_text().splitlines()
    first = next(i for i, line in enumerate(source, 1) if line.startswith("def spin"))
    assert any(first < int(line) < first + 8 for line in lines)
    assert "events: Time_(ns) Samples\n" in path.read_text()
    threads = {thread for thread, _, _ in parts_of(path.read_text())}
    assert len(threads) == 3
    export(sampled, "collapsed")
    stacks = (sampled.parent / "exported.collapsed").read_text().splitlines()
    total_us = sum(int(line.rsplit(" ", 1)[1]) for line in stacks)
    assert totals[0] / 1000 == pytest.approx(total_us, abs=2)


# ---- firefox ---------------------------------------------------------------------------

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


def test_firefox_has_the_time_of_every_function(plain):
    document = check_profile(export(plain, "firefox"))
    (thread,) = document["threads"]
    assert thread["name"] == "MainThread" and thread["isMainThread"]
    stacks = stack_names(thread)
    own, total = {}, {}
    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        names = [name.rsplit(".", 1)[-1] for name, _ in stacks[stack]]
        own[names[-1]] = own.get(names[-1], 0) + weight
        for name in set(names):
            total[name] = total.get(name, 0) + weight
    for name, (_, own_ns, total_ns) in pstats_of(plain).items():
        if not name.endswith((":fib", ":is_even", ":is_odd", ":main")):
            continue
        name = name.rsplit(":", 1)[1]
        assert own[name] == pytest.approx(own_ns / 1e6, abs=1e-3), name
        assert total[name] == pytest.approx(total_ns / 1e6, abs=1e-3), name


def test_firefox_has_samples_at_their_time(sampled):
    document = check_profile(export(sampled, "firefox"))
    assert len(document["threads"]) == 3
    stacks = [stack for thread in document["threads"] for stack in stack_names(thread)]
    source = support.program("exported_samples.py").read_text().splitlines()
    first = next(i for i, line in enumerate(source, 1) if line.startswith("def spin"))
    lines = {line for stack in stacks for name, line in stack if name == "spin"}
    assert lines and all(first <= line < first + 8 for line in lines)
    total_ms = sum(sum(thread["samples"]["weight"]) for thread in document["threads"])
    export(sampled, "collapsed")
    rows = (sampled.parent / "exported.collapsed").read_text().splitlines()
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


def test_firefox_has_hostile_names(hostile):
    document = check_profile(export(hostile, "firefox"))
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

"""kymo export of call graphs: what graphviz and the tools behind them make of it."""

import importlib.util
import re
import shutil
import sys
from collections import Counter

import pytest
import support
from test_export import export, load_pstats

TIMES = "\u00d7"


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


def test_dot_is_the_graph_that_gprof2dot_draws(plain_run):
    thresholds = ["-n", "0", "-e", "0"]
    found = nodes_and_edges(export(plain_run, "dot", *thresholds).decode())
    export(plain_run, "pstats")
    expected = nodes_and_edges(
        gprof2dot(
            plain_run.parent,
            "-f",
            "pstats",
            *thresholds,
            plain_run.parent / "exported.pstats",
        )
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


def test_dot_leaves_out_what_is_below_the_thresholds(plain_run):
    nodes, edges = nodes_and_edges(export(plain_run, "dot", "-n", "0", "-e", "0").decode())
    limit = sorted(share(labels[0]) for labels in nodes.values())[len(nodes) // 2]
    fewer, _ = nodes_and_edges(export(plain_run, "dot", "-n", str(limit), "-e", "0").decode())
    kept = {name for name, labels in nodes.items() if share(labels[0]) > limit + 0.01}
    assert kept <= fewer.keys() < nodes.keys()
    _, none = nodes_and_edges(export(plain_run, "dot", "-n", "0", "-e", "100").decode())
    assert len(none) < len(edges)


def test_dot_of_hostile_names_is_drawn(hostile_run):
    data = export(hostile_run, "dot", "-n", "0", "-e", "0")
    svg = render(data, hostile_run.parent)
    data.decode()
    assert "<script" not in svg.lower() and "</script" not in svg.lower()
    titles = set(re.findall(r">([^<>]*)</text>", svg))
    assert any(text.endswith("quo&quot;te") for text in titles)
    assert any("new line" in text.replace("&#160;", " ") for text in titles)
    assert any(text.endswith("x…") for text in titles)
    assert any(text.endswith("back\\slash\\") for text in titles)


def test_dot_of_samples(sampled_run):
    nodes, edges = nodes_and_edges(export(sampled_run, "dot", "-n", "0", "-e", "0").decode())
    spin = next(labels for name, labels in nodes.items() if name.endswith("spin"))
    assert 0 < share(spin[0]) <= 100 and count(spin) > 0
    assert any(callee.endswith("spin") for _, callee in edges)
    # Of a function that is drawn again for each line it was seen in.
    lines, _ = nodes_and_edges(export(sampled_run, "dot", "--lines", "-n", "0").decode())
    assert len(lines) > len(nodes)


@pytest.mark.parametrize("threshold", ["x", "101", "-1", "nan", "5%", ""])
def test_a_threshold_is_a_percentage(plain_run, threshold):
    command = [
        "export",
        plain_run,
        "--format",
        "dot",
        "-o",
        "x.dot",
        f"--node-threshold={threshold}",
    ]
    process = support.run_kymo(command, cwd=plain_run.parent)
    assert process.returncode == 2
    assert process.stderr == f"kymo: '{threshold}' is not a percentage from 0 to 100\n"
    assert not (plain_run.parent / "x.dot").exists()


def annotate(path, *options):
    """What callgrind_annotate reads: totals, and by file:function the two events."""
    if not shutil.which("callgrind_annotate"):
        pytest.skip("callgrind_annotate is not installed")
    process = support.run(
        ["callgrind_annotate", "--auto=no", "--threshold=100", "--show-percs=no", *options, path],
        cwd="/",  # of a file below its own folder it has two names, and so two rows
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


def test_callgrind_costs_are_those_of_the_functions(plain_run):
    path = export_callgrind(plain_run)
    expected = pstats_of(plain_run)
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


def test_callgrind_is_read_by_gprof2dot(plain_run):
    path = export_callgrind(plain_run)
    thresholds = ["-n", "0", "-e", "0"]
    nodes, edges = nodes_and_edges(
        gprof2dot(plain_run.parent, "-f", "callgrind", *thresholds, path)
    )
    ours, our_edges = nodes_and_edges(export(plain_run, "dot", *thresholds).decode())
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


def test_callgrind_has_hostile_names_on_their_lines(hostile_run):
    path = export_callgrind(hostile_run)
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


def test_callgrind_has_the_lines_of_samples(sampled_run):
    path = export_callgrind(sampled_run)
    totals, own = annotate(path)
    assert sum(numbers[0] for numbers in own.values()) == totals[0]
    lines = dict.fromkeys(re.findall(r"^(\d+) [1-9]\d* \d+$", path.read_text(), re.MULTILINE))
    source = support.program("exported_samples.py").read_text().splitlines()
    first = next(i for i, line in enumerate(source, 1) if line.startswith("def spin"))
    assert any(first < int(line) < first + 8 for line in lines)
    assert "events: Time_(ns) Samples\n" in path.read_text()
    threads = {thread for thread, _, _ in parts_of(path.read_text())}
    assert len(threads) == 3
    export(sampled_run, "collapsed")
    stacks = (sampled_run.parent / "exported.collapsed").read_text().splitlines()
    total_us = sum(int(line.rsplit(" ", 1)[1]) for line in stacks)
    assert totals[0] / 1000 == pytest.approx(total_us, abs=2)

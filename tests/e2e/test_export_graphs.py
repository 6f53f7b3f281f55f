"""kymo export of call graphs: what graphviz and the tools behind them make of it."""

import importlib.util
import re
import shutil
import sys

import pytest
import support
from test_export import export, record

TIMES = "\u00d7"

HOSTILE = """
import threading

def spin(count):
    return sum(i * i for i in range(count))

names = ['quo"te', "new\\nline", "back\\\\slash\\\\", "</script>", "(1) x", "\\u202eleft",
         "x" * 10000, "<b>&amp;</b>", "{a|b}", "%s%n", "   ", "fn=(7)", "lone\\udc80"]
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
    return sample(tmp_path_factory.mktemp("sampled"), support.PROGRAMS / "exported_samples.py")


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
    first = next(i for i, part in enumerate(parts) if part.endswith("%"))
    return ["/".join(parts[:first]), *parts[first:]]


def nodes_and_edges(dot):
    """Labels by node, and by pair of nodes, as lists of lines."""
    nodes, edges = {}, {}
    for line in dot.splitlines():
        node = re.match(r'\t(?:"([^"]+)"|(\d+)) \[.*?label="((?:[^"\\]|\\.)*)"', line)
        edge = re.match(
            r'\t(?:"([^"]+)"|(\d+)) -> (?:"([^"]+)"|(\d+)) \[.*?label="((?:[^"\\]|\\.)*)"', line
        )
        if edge:
            key = (edge.group(1) or edge.group(2), edge.group(3) or edge.group(4))
            edges[key] = label_parts(edge.group(5))[1:]
        elif node:
            nodes[node.group(1) or node.group(2)] = label_parts(node.group(3))
    named = {labels[0]: labels[1:] for labels in nodes.values()}
    assert len(named) == len(nodes)
    return named, {
        (nodes[caller][0], nodes[callee][0]): labels for (caller, callee), labels in edges.items()
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

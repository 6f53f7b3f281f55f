"""What a function is called: its name, file and line, its arguments, its annotations."""

import collector_runs as runs
import kymo_decoder
import pytest
import support

EXAMPLE = """import sys

def fib(n):
    return n if n < 2 else (fib(n - 1) + fib(n - 2))

def decorate(function):
    return function

@decorate
@decorate
def run(n):
    return fib(n)

run(3)
"""


def is_of_example(recording, region):
    """Of the program's file: what else the interpreter runs depends on what it has loaded."""
    return (recording.string(region.file) or "").endswith("/example.py")


def labels_of(recorded):
    return {
        kymo_decoder.label(recorded.recording, region)
        for region in recorded.recording.regions.values()
        if region.kind == runs.KIND_PYTHON and is_of_example(recorded.recording, region)
    }


# The line of a decorated function is that of its first decorator up to 3.7 and from 3.8 on.
GRAMMAR = {
    (): {"fib", "run", "decorate", "<module>"},
    ("line",): {"fib:3", "run:9", "decorate:6", "<module>:1"},
    ("file",): {
        "[fib][example.py]",
        "[run][example.py]",
        "[decorate][example.py]",
        "[<module>][example.py]",
    },
    ("file", "line"): {
        "[fib][example.py:3]",
        "[run][example.py:9]",
        "[decorate][example.py:6]",
        "[<module>][example.py:1]",
    },
}


@pytest.mark.alike_versions
@pytest.mark.parametrize("words", GRAMMAR, ids=" ".join)
def test_grammar(python, words, tmp_path):
    program = tmp_path / "example.py"
    program.write_text(EXAMPLE)
    options = ["--label", *words] if words else []
    for instrumenter in {"cProfile", runs.default(python)}:
        recorded = runs.record(
            python, instrumenter, [program], tmp_path / instrumenter, options=options
        )
        assert labels_of(recorded) == GRAMMAR[words]


def test_full_path(newest_python, tmp_path):
    program = tmp_path / "example.py"
    program.write_text(EXAMPLE)
    recorded = runs.record(
        newest_python, "auto", [program], tmp_path, options=["--label", "file", "line", "-F"]
    )
    assert f"[fib][{program}:3]" in labels_of(recorded)


def test_arguments_with_file_and_line(newest_python, tmp_path):
    program = tmp_path / "example.py"
    program.write_text(EXAMPLE)
    recorded = runs.record(
        newest_python, "auto", [program], tmp_path, options=["--label", "args", "file", "line"]
    )
    assert "[fib(n=2)][example.py:3]" in labels_of(recorded)
    assert "[run(n=3)][example.py:9]" in labels_of(recorded)


# Calls at the top of the program, in order of their labels.
ARGUMENTS = [
    "cached(n=1)",
    "captured(n=7)",
    "changed(n=1)",
    "create(cls=<class '__main__.Thing'>, n=3)",
    "deleted(n=1)",
    "fails(n=2)",
    "generate(n=1)",
    "generate(n=2)",
    "keyword_only(key=None)",
    "many()",
    "method(self=thing, n=2)",
    "plain(a=1, b='x')",
    "plain(a=1, b=2)",
    "positional_only(a=1, b=2, c=3)",
    "recursive(n=2)",
    "stars(a=0, key=1, *rest=(), **named={})",
    "stars(a=1, key=4, *rest=(2, 3), **named={'other': 5})",
    "static(n=4)",
    "take(value='two\\nlines')",
    "take(value='ünïcödé \\ud800')",
    "take(value=<?>)",
    "take(value=<class 'range'>)",
    "take(value=[1, [2, {'three': 3.5}]])",
]


def instrumenters_with_arguments(python):
    names = runs.instrumenters(python)
    return [name for name in names if name != "frame" or python.number < (3, 11)]


@pytest.mark.alike_versions("3.11")
def test_arguments(python, tmp_path):
    for instrumenter in instrumenters_with_arguments(python):
        recorded = runs.record(
            python,
            instrumenter,
            [support.program("py_labels.py")],
            tmp_path / instrumenter,
            mode="both",
            options=["--label", "args"],
        )
        assert recorded.process.stdout == "done\n"
        for view in ("profile", "trace"):
            tree = runs.called_by_script(getattr(recorded, view)())
            own = {label: node for label, node in tree.items() if "@py_" in label}
            found = {label.partition("@")[0]: node for label, node in own.items()}
            long = [label for label in found if label.startswith("take(value='xxx")]
            assert len(long) == 1 and long[0].endswith("...)") and len(long[0]) == 132
            del found[long[0]]
            plain_labels = [label for label in found if not label[0].isupper()]
            assert sorted(plain_labels) == ARGUMENTS, instrumenter
            assert_nested(found)
        assert recorded.unmatched() == 0


def assert_nested(found):
    def below(label):
        return {name.partition("@")[0]: node for name, node in found[label][1].items()}

    assert list(below("changed(n=1)")) == ["inner(n=2)"]
    assert list(below("deleted(n=1)")) == ["inner(n=1)"]
    assert list(below("recursive(n=2)")) == ["recursive(n=1)"]
    assert list(below("fails(n=2)")) == ["fails(n=1)"]
    # What repr() calls is not the program's doing.
    assert list(below("method(self=thing, n=2)")) == []
    assert sum(count for count, _ in below("many()").values()) == 300
    assert found["generate(n=2)"][0] == 2  # what n is when it is resumed
    assert found["generate(n=1)"][0] == 1


@pytest.mark.since("3.11")
def test_frame_evaluation_cannot_give_arguments(python, tmp_path):
    (tmp_path / "example.py").write_text(EXAMPLE)
    finished = runs.run(python, "frame", ["example.py"], tmp_path, options=["--label", "args"])
    assert "cannot record arguments" in finished.stderr


ANNOTATED = """
def plain(): return 1
def captured():
    x = 1
    def closure(y): return x + y
    return closure(1)
def numbers():
    yield 1
    yield 2
def delegate():
    yield from numbers()
list(delegate())
thrown = numbers()
next(thrown)
try:
    thrown.throw(ValueError)
except ValueError:
    pass
plain(), captured()
"""


@pytest.mark.alike_versions("3.11")
def test_annotations(python, tmp_path):
    """Every enter says at which instruction it was, a call at the first, whoever hooks the
    interpreter; regions say what the code is."""
    program = tmp_path / "example.py"
    program.write_text(EXAMPLE + ANNOTATED)
    offsets = {}
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [program],
            tmp_path / instrumenter,
            mode="both",
            options=["--annotate-trace", "on"],
        )
        number = next(n for n, label in recorded.labels.items() if label.startswith("fib@"))
        region = recorded.recording.regions[number]
        assert (region.argument_count, region.local_count, region.line) == (1, 1, 3)
        assert region.stack_size > 0
        assert recorded.recording.string(region.file) == str(program)
        entered = [
            (recorded.labels[region].partition("@")[0].rpartition(".")[2], instruction)
            for what, region, _, _, _, instruction, _ in recorded.events(0)
            if what == "enter"
            and is_of_example(recorded.recording, recorded.recording.regions[region])
        ]
        resumed = [at for name, at in entered if name in ("numbers", "delegate") and at > 0]
        assert len(resumed) == 5, (instrumenter, entered)
        assert [at for _, at in entered if at != 0] == resumed, (instrumenter, entered)
        offsets[instrumenter] = entered
        runs.assert_same(recorded.profile(), recorded.trace())
    assert all(each == offsets["cProfile"] for each in offsets.values()), offsets


@pytest.mark.alike_versions
@pytest.mark.parametrize("output", ["chrome", "perfetto"])
def test_annotations_reach_the_trace(python, output, tmp_path):
    """Not the file and the line alone, from every version."""
    (tmp_path / "example.py").write_text("def plain(a, b): return a\nplain(1, 2)\n")
    options = ["-a", "-T", "-q", "-o", "out"]
    environment = {"PYTHONPATH": support.PACKAGE_DIR}
    command = [python.executable, "-m", "kymo", *options, "example.py"]
    assert support.run(command, cwd=tmp_path, env=environment).returncode == 0
    exported = tmp_path / f"trace.{output}"
    exporting = ["export", "out", "--format", output, "-o", exported]
    assert support.run_kymo(exporting, cwd=tmp_path).returncode == 0
    written = exported.read_bytes()
    for name in (b"lasti", b"argcount", b"nlocals", b"stacksize"):
        assert name in written, (output, name)

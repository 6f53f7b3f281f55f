"""A handler that raises where a call begins or a generator goes on: the call is recorded and
ended, in every version, whether the interpreter has told of its beginning or not."""

import collector_runs as runs
import pytest
import support

PROGRAM = support.program("py_signalled.py")

CALLS = {
    "<genexpr>": 2,
    "__aenter__": 7,
    "__aexit__": 6,
    "__await__": 24,
    "__enter__": 1,
    "__exit__": 1,
    "catches": 6,
    "closure": 1,
    "coroutine": 2,
    "delegate": 2,
    "delegates": 3,
    "finishes": 4,
    "function": 17,
    "inner": 1,
    "loops": 2,
    "managed": 13,
    "nested": 18,
    "numbers": 7,
    "produces": 3,
    "recursive": 2,
    "replaces": 2,
    "resume": 16,
    "scope": 2,
    "signalled": 21,
    "survives": 2,
    "throw": 2,
    "tree": 5,
    "waits": 3,
}


def calls_of(threads):
    found = {}
    for name, count in runs.counts(threads).items():
        name = name.rpartition(".")[2]
        if name in CALLS:
            found[name] = found.get(name, 0) + count
    return found


def check(recorded, instrumenter, mode):
    assert recorded.unmatched() == 0, instrumenter
    for view in runs.MODE_VIEWS[mode]:
        found = calls_of(getattr(recorded, view)())
        assert found == CALLS, (instrumenter, view)


# When a call begins and ends does not depend on what is kept of it.
@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, marks=[] if mode == "profile" else pytest.mark.newest_version)
        for mode in runs.MODES
    ],
)
def test_calls_that_a_signal_ends_at_once(python, mode, tmp_path):
    """Each below its caller, whoever looks."""
    trees = []
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(python, instrumenter, [PROGRAM], tmp_path / instrumenter, mode=mode)
        check(recorded, instrumenter, mode)
        trees.append(getattr(recorded, runs.MODE_VIEWS[mode][0])())
    for tree in trees[1:]:
        runs.assert_same(trees[0], tree)


@pytest.mark.parametrize("instrumenter", ["dispatch", "monitoring", "cProfile", "profile"])
def test_with_c_functions(python, instrumenter, tmp_path):
    if instrumenter not in runs.instrumenters(python):
        pytest.skip("of later versions")
    recorded = runs.record(python, instrumenter, [PROGRAM], tmp_path, options=["--trace-c"])
    check(recorded, instrumenter, "profile")


TOGGLED = """
import sys
get, set_ = {"profile": (sys.getprofile, sys.setprofile), "trace": (sys.gettrace, sys.settrace)}[
    sys.argv[1]
]

def numbers():
    while True:
        set_(None)
        yield 1
        set_(hook)
        yield 2

def deep(n):
    if n:
        yield from deep(n - 1)
    yield n

hook = get()
for _ in range(100):
    generator = numbers()
    list(zip(generator, range(30)))
set_(hook)
assert len(list(deep(300))) == 301
"""
DEEP = sum(range(1, 302)) + 301  # each goes on for all that are in it, and once to end


@pytest.mark.parametrize("instrumenter", ["profile", "trace"])
def test_generators_in_which_a_hook_was_taken_away(python, instrumenter, tmp_path):
    """Nobody tells of their ends: they are taken for no other's."""
    (tmp_path / "py_toggled.py").write_text(TOGGLED)
    recorded = runs.record(python, instrumenter, ["py_toggled.py", instrumenter], tmp_path)
    assert runs.counts(recorded.profile())["deep"] == DEEP

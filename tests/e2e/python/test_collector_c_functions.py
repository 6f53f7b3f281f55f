"""C functions: the same calls under the same names as cProfile has them, and none unasked."""

import functools
import json

import collector_runs as runs
import pytest
import support

PROGRAM = support.program("py_c_functions.py")

# Runs the program's functions under cProfile and writes {label: calls} of C functions.
CPROFILE = """
import cProfile, json, pstats, sys
sys.path.insert(0, sys.argv[1])
import py_c_functions
profiler = cProfile.Profile()
profiler.runcall(py_c_functions.main)
rows = pstats.Stats(profiler).stats
calls = {name.strip("<>"): row[1] for (file, line, name), row in rows.items() if file == "~"}
json.dump(calls, sys.stdout)
"""


def instrumenters(python):
    names = ["cProfile", "profile", "dispatch", "monitoring"]
    return [name for name in names if runs.is_of(python, name)]


def c_counts(tree):
    """Of all that is below."""
    counts = runs.counts({"": tree})
    return {label[1:-1]: count for label, count in counts.items() if label[0] == "{"}


def below_main(threads):
    """Without what the body of the module did, which depends on what was compiled before."""
    called = runs.called_by_script(threads)
    return {"MainThread": {key: node for key, node in called.items() if key.startswith("main@")}}


def test_named_as_cprofile_names_them(python, tmp_path):
    bare = support.run_bare_python(
        python, ["-c", CPROFILE, support.program("py_c_functions.py").parent], cwd=tmp_path
    )
    wanted = json.loads(bare.stdout)
    for label in [label for label in wanted if "lsprof" in label]:
        del wanted[label]  # what stops cProfile
    for instrumenter in instrumenters(python):
        recorded = runs.record(
            python, instrumenter, [PROGRAM], tmp_path / instrumenter, options=["--trace-c"]
        )
        (main,) = below_main(recorded.profile())["MainThread"].values()
        assert c_counts(main[1]) == wanted, instrumenter


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """expected(python): the oracle's tree below main(), asked for once."""

    @functools.lru_cache(maxsize=None)
    def ask(python):
        folder = tmp_path_factory.mktemp("oracle")
        return below_main(runs.expect(python, [PROGRAM], folder, trace_c=True))

    return ask


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(
            mode,
            marks=pytest.mark.alike_versions("3.12")
            if mode == "profile"
            else pytest.mark.newest_version,
        )
        for mode in runs.MODES
    ],
)
def test_call_tree(python, mode, expected, tmp_path):
    for instrumenter in instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [PROGRAM],
            tmp_path / instrumenter,
            mode=mode,
            options=["--trace-c"],
        )
        for view in runs.MODE_VIEWS[mode]:
            runs.assert_same(expected(python), below_main(getattr(recorded, view)()))
        assert recorded.unmatched() == 0


@pytest.mark.alike_versions
def test_none_unless_asked_for(python, tmp_path):
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(python, instrumenter, [PROGRAM], tmp_path / instrumenter)
        assert c_counts(recorded.profile()["MainThread"]) == {}


SCOPES = """
import kymo
from kymo.user import start_thread_trace, stop_thread_trace

def leaf():
    return abs(-1)

def paused():
    stop_thread_trace()
    leaf()
    start_thread_trace()
    return leaf()

def regions():
    with kymo.region("outer"):
        leaf()
        with kymo.region("inner"):
            abs(2)
    abs(3)

def scoped():
    with kymo.profile():
        leaf()

paused()
regions()
scoped()
leaf()
"""


@pytest.mark.alike_versions("3.12")
def test_own_functions_do_not_tear_the_path(python, tmp_path):
    """Kymo's C functions change what is open between their own call and return."""
    program = tmp_path / "py_scopes_c.py"
    program.write_text(SCOPES)
    absolute = {"{built-in method builtins.abs}": [1, {}]}
    leaf = {"leaf@py_scopes_c.py:5": [1, absolute]}
    for instrumenter in instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [program],
            tmp_path / instrumenter,
            mode="both",
            options=["--trace-c", "on"],
        )
        assert recorded.unmatched() == 0
        for view in ("profile", "trace"):
            tree = runs.called_by_script(getattr(recorded, view)())
            assert tree == {
                "paused@py_scopes_c.py:8": [1, leaf],
                "regions@py_scopes_c.py:14": [
                    1,
                    {"outer": [1, {**leaf, "inner": [1, absolute]}], **absolute},
                ],
                "scoped@py_scopes_c.py:21": [1, leaf],
                **leaf,
            }, instrumenter


@pytest.mark.parametrize("instrumenter", ["frame", "cTrace", "trace"])
def test_instrumenters_that_do_not_see_them_say_so(newest_python, instrumenter, tmp_path):
    finished = runs.run(
        newest_python, instrumenter, [PROGRAM], tmp_path, options=["--trace-c", "on"]
    )
    assert "cannot record C functions" in finished.stderr

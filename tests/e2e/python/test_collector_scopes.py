"""Recording begun, ended, paused and configured anew while functions are open."""

import collector_runs as runs
import pytest
import support

pytestmark = pytest.mark.every_version


def pytest_generate_tests(metafunc):
    if "subject" in metafunc.fixturenames:
        metafunc.parametrize("subject", runs.subjects(metafunc.config.getoption("--python")))


def names(tree):
    """A tree with the names of functions alone, without those of the standard library."""
    short = {}
    for label, (count, children) in tree.items():
        name, _, file = label.partition("@")
        if file and not file.startswith("py_"):
            runs.add(short, names(children))
        else:
            runs.add(short, {name: [count, names(children)]})
    return short


def leaf(count):
    return {"leaf": [count, {}]}


def three_deep(below):
    for _ in range(3):
        below = {"deep": [1, {"leaf": [1, {}], **below}]}
    return below


# What each function of the program has below the region that is named after it.
SCOPES = {
    "nested_starts": leaf(3),
    "start_deep": {"leaf": [4, {}], "after_start": [1, leaf(1)]},
    "stop_deep": {"deep": [1, {"leaf": [1, {}], **three_deep({})}]},
    "again": {"leaf": [150, {}], "deep": [50, {"leaf": [50, {}], "deep": [50, leaf(50)]}]},
    "restart_deep": {
        **three_deep({"<lambda>": [1, {}]}),
        "leaf": [3, {}],
        "after_restart": [1, leaf(1)],
    },
    "exception_through_scopes": {"fail": [1, {}]},
    "generator_scope": {"generator": [4, leaf(3)]},
    "paused_calls": leaf(2),
    "pauses_across_calls": {
        "pause_inside": [1, {}],
        "leaf": [1, {}],
        "after_pause": [2, leaf(2)],
        "recursive_pause": [
            1,
            {"recursive_pause": [1, {"after_pause": [1, leaf(1)]}], "leaf": [1, {}]},
        ],
    },
    "two_threads": {},
    "regions": {
        "outer": [1, leaf(2)],
        "paused at its end": [1, {}],
        "leaf": [1, {}],
        "without calls": [1, {}],
    },
}


def test_scopes(subject, tmp_path):
    recorded = runs.record(
        subject.python,
        subject.instrumenter,
        [support.program("py_scopes.py")],
        tmp_path,
        mode=subject.mode,
        options=["-b"],
    )
    assert recorded.process.stdout == "done\n"
    for view in runs.MODE_VIEWS[subject.mode]:
        threads = {name: names(tree) for name, tree in getattr(recorded, view)().items()}
        main = threads.pop("MainThread")
        assert main.pop("decorated") == [1, {"decorated": [1, {"decorated": [1, leaf(1)]}]}]
        assert set(main) == set(SCOPES)
        for name, below in SCOPES.items():
            assert main[name] == [1, below], name
        # Both threads ran within the scopes of both.
        total = runs.counts(threads)
        assert (total["in_first"], total["in_second"], total["leaf"]) == (1, 1, 2)
    assert all(thread.resynced == 0 for thread in recorded.threads.values())

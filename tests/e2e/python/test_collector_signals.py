"""A handler that raises where a call begins or a generator goes on: the call is recorded and
ended, in every version, whether the interpreter has told of its beginning or not."""

import collector_runs as runs
import pytest
import support

PROGRAM = support.program("py_signalled.py")

CALLS = {
    "Waiting": 1,
    "__await__": 2,
    "catches": 3,
    "closure": 1,
    "coroutine": 2,
    "delegate": 2,
    "finishes": 4,
    "function": 5,
    "inner": 1,
    "numbers": 6,
    "recursive": 2,
    "resume": 6,
    "signalled": 9,
    "throw": 2,
    "tree": 5,
}


def is_told(python, instrumenter):
    """Hooks hear nothing of a generator that was interrupted like that and went on."""
    hooked = instrumenter not in ("frame", "monitoring")
    return not hooked or python.number < (3, 11) or python.number == (3, 12)


def calls_of(threads):
    found = {}
    for name, count in runs.counts(threads).items():
        name = name.rpartition(".")[2]
        if name in CALLS:
            found[name] = found.get(name, 0) + count
    return found


@pytest.mark.parametrize("mode", runs.MODES)
def test_calls_that_a_signal_ends_at_once(python, mode, tmp_path):
    for instrumenter in runs.instrumenters(python):
        if not is_told(python, instrumenter):
            continue
        recorded = runs.record(python, instrumenter, [PROGRAM], tmp_path / instrumenter, mode=mode)
        assert recorded.unmatched() == 0, instrumenter
        for view in runs.MODE_VIEWS[mode]:
            assert calls_of(getattr(recorded, view)()) == CALLS, (instrumenter, view)

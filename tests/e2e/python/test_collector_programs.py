"""Programs that stand for one difficulty each, with what their recordings must hold."""

import functools
import subprocess

import collector_runs as runs
import pytest
import support


def pattern(identities):
    """Identities by order of appearance: "aba" for one resumed again after another."""
    assert all(identities), identities
    seen = list(dict.fromkeys(identities))
    return "".join(chr(ord("a") + seen.index(each)) for each in identities)


CLOSES = """
import sys
seen = []
def idle():
    yield
generator = idle()
next(generator)
sys.setprofile(lambda frame, *_: seen.append(frame.f_code.co_name))
generator.close()
sys.setprofile(None)
print("idle" in seen)
"""


@functools.lru_cache(maxsize=None)
def closing_is_heard(executable):
    return subprocess.check_output([executable, "-c", CLOSES], text=True) == "True\n"


def resumes_to_close(python, instrumenter):
    """Whether a generator that catches nothing is entered once more to be closed: from 3.13 on
    only where the interpreter's events are listened to, and in its first releases not at all."""
    return closing_is_heard(python.executable) and (
        instrumenter != "frame" or python.number < (3, 13)
    )


@pytest.mark.alike_versions("3.11", "3.12")
@pytest.mark.parametrize("mode", [pytest.param("trace", marks=pytest.mark.newest_version), "both"])
def test_identity_of_generators(python, mode, tmp_path):
    before = runs.imported_before(tmp_path, "asyncio")
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [support.program("py_identities.py")],
            tmp_path / instrumenter,
            mode=mode,
            options=[*before, "-MR", "/py_"],  # not all that asyncio does
        )
        numbers = recorded.identities("numbers")
        resumed = "abacbaccabc" if resumes_to_close(python, instrumenter) else "abacbacc"
        assert pattern(numbers[: len(resumed)]) == resumed, instrumenter
        assert pattern(numbers[len(resumed) :]) == "abba"
        assert pattern(recorded.identities("delegating")) == "abba"
        assert pattern(recorded.identities("worker")) == "abababab"
        assert pattern(recorded.identities("consumer")) == "ababab"
        # A task may be given its first step before or after another's last.
        sources = pattern(recorded.identities("source"))
        assert sorted(sources) == sorted("aaaaabbbbb"), sources
        assert recorded.identities("main") == []


def test_dropped_generators(python, tmp_path):
    """What is not finished is entered once more when it dies, where the interpreter does."""
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python, instrumenter, [support.program("py_dropped.py")], tmp_path / instrumenter
        )
        counts = runs.counts(recorded.profile())
        assert counts == dropped_counts(python, instrumenter), instrumenter
        assert recorded.unmatched() == 0


def dropped_counts(python, instrumenter):
    # 3.12 does not begin one only to close it.
    closed = 10 if resumes_to_close(python, instrumenter) else 0
    plain = (20 if python.number < (3, 12) else 10) + closed
    functions = ("unstarted", "started", "careful", "catching", "in_cycle", "coroutine")
    return {
        "<module>": 1,
        "main": 1,
        "Step": 1,
        **{f"drop_{each}": 1 for each in functions},
        "plain": plain,
        "careful": 40,
        "catching": 20,
        "waiting": 20,
        "__await__": 10 + closed,
        "leaf": 40,
    }


@pytest.mark.alike_versions("3.12")
def test_subinterpreters(python, tmp_path):
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [support.program("py_subinterpreters.py")],
            tmp_path / instrumenter,
            mode="both",
        )
        assert recorded.process.stdout == "done\n"
        for view in ("profile", "trace"):
            counts = runs.counts(runs.of_program(getattr(recorded, view)()))
            assert counts["recorded"] == 7 * 5, instrumenter
            assert "not_recorded" not in counts
        assert recorded.unmatched() == 0


@pytest.mark.alike_versions("3.11")
def test_threads_from_before_the_start(python, tmp_path):
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [support.program("py_before_start.py")],
            tmp_path / instrumenter,
            options=["-b"],
        )
        assert recorded.process.stdout == "done\n"
        found = recorded.profile()
        # What has ended by the stop is counted, but nobody knows its name any more.
        for number in range(3):
            name = f"outlives {number}"
            assert runs.counts({name: found[name]}) == {"work": 15}, instrumenter
        found.pop("MainThread", None)
        assert runs.counts(found) == {"work": 6 * 15}, instrumenter


@pytest.mark.alike_versions
def test_new_configuration_while_recording(python, tmp_path):
    leaf = {"leaf": [1, {}]}
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [support.program("py_configured.py")],
            tmp_path / instrumenter,
            mode="both",
            options=["-b"],
        )
        assert recorded.process.stdout == "done\n"
        for view in ("profile", "trace"):
            found = runs.of_program(getattr(recorded, view)())["MainThread"]
            assert plain(found) == {
                "run": [
                    1,
                    {
                        "outer": [
                            1,
                            two_leaves(
                                {
                                    "outer": [
                                        1,
                                        two_leaves(
                                            {"outer": [1, {"leaf": [2, {}], "renew": [1, {}]}]}
                                        ),
                                    ]
                                }
                            ),
                        ],
                        "hides": [1, {"leaf": [2, {}]}],
                        "leaf": [3, {}],
                        "with_lines": [1, {**leaf, "renew": [1, {}]}],
                        "generate": [3, {"leaf": [2, {}], "renew": [1, {}]}],
                    },
                ]
            }, instrumenter


def two_leaves(below):
    return {"leaf": [2, {}], **below}


def plain(tree):
    found = {}
    for label, (count, children) in tree.items():
        name, _, file = label.partition("@")
        if file.startswith("py_"):
            runs.add(found, {name: [count, plain(children)]})
    return found


RECURSION = """
import sys

def leaf():
    return 1

def recurse(n):
    return recurse(n + 1)

def main():
    leaf()
    try:
        recurse(0)
    except RecursionError:
        leaf()
    leaf()

sys.setrecursionlimit(150)
main()
main()
print("done")
"""


def test_recursion_error(python, tmp_path):
    """The interpreter drops a callable of sys.setprofile() that itself finds no room."""
    program = tmp_path / "py_recursion.py"
    program.write_text(RECURSION)
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python, instrumenter, [program], tmp_path / instrumenter, mode="both"
        )
        assert recorded.process.stdout == "done\n"
        counts = runs.counts(runs.of_program(recorded.profile()))
        if instrumenter in ("profile", "trace") and counts.get("main") == 1:
            assert any("function was not Kymo's" in loss for loss in recorded.losses())
            continue
        assert counts["main"] == 2 and counts["leaf"] == 6
        assert 2 * 100 < counts["recurse"] <= 2 * 150
        assert recorded.unmatched() == 0


EXITS = {
    "sys.exit(3)": True,
    "sys.exit('text')": True,
    "raise SystemExit": True,
    "raise ValueError('end')": True,
    "raise KeyboardInterrupt": True,
    "import os; os._exit(4)": False,
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": False,
}


# How an exception unwinds the stack is different in every version.  The others come to the same,
# or to no unwinding at all.
IN_EVERY_VERSION = ("raise ValueError('end')",)
OF_EITHER_END = (*IN_EVERY_VERSION, "sys.exit(3)", "import os; os._exit(4)")


def versions_for(how):
    if how in IN_EVERY_VERSION:
        return []
    return [pytest.mark.alike_versions if how in OF_EITHER_END else pytest.mark.newest_version]


@pytest.mark.parametrize("how", [pytest.param(how, marks=versions_for(how)) for how in EXITS])
def test_ends_deep_in_a_stack(python, how, tmp_path):
    unwinds = EXITS[how]
    program = tmp_path / "py_exits.py"
    program.write_text(
        f"def leaf():\n    pass\n\n"
        f"def deep(n):\n    leaf()\n    try:\n        if n == 0:\n            end()\n"
        f"        deep(n - 1)\n    finally:\n        leaf()\n\n"
        f"def end():\n    {how}\n\ndeep(5)\n"
    )
    bare = support.run_bare_python(python, [program], cwd=tmp_path)
    for instrumenter in runs.instrumenters(python):
        folder = tmp_path / instrumenter
        folder.mkdir()
        # What prints the traceback is Python, too, and not looked at here.
        options = ["-ME", "/lib/python"]
        finished = runs.run(python, instrumenter, [program], folder, mode="both", options=options)
        assert finished.returncode == bare.returncode, finished.stderr
        assert finished.stderr == bare.stderr
        (path,) = support.find_recordings(folder)
        recorded = runs.Recorded(path)
        for view in ("profile", "trace"):
            counts = runs.counts(runs.of_program(getattr(recorded, view)()))
            leaves = 12 if unwinds else 6
            assert counts == {"<module>": 1, "deep": 6, "leaf": leaves, "end": 1}, (
                instrumenter,
                view,
            )


SHUTDOWN = """
import atexit, sys

def leaf():
    return 1

class Last:
    def __del__(self):
        leaf()
        print("deleted")

def at_exit():
    leaf()
    print("exit handler")

def never_finished():
    try:
        yield 1
    finally:
        print("generator closed", leaf())

atexit.register(at_exit)
kept = Last()
kept_generator = never_finished()
next(kept_generator)
sys.kept = Last()
"""


@pytest.mark.alike_versions("3.12")
def test_functions_that_run_while_the_interpreter_ends(python, tmp_path):
    """Exit handlers are recorded, what comes after them is not; all of it runs."""
    program = tmp_path / "py_shutdown.py"
    program.write_text(SHUTDOWN)
    bare = support.run_bare_python(python, [program], cwd=tmp_path)
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(python, instrumenter, [program], tmp_path / instrumenter)
        assert recorded.process.stdout == bare.stdout, instrumenter
        assert recorded.process.stderr == bare.stderr, instrumenter
        counts = runs.counts(runs.of_program(recorded.profile()))
        assert counts["at_exit"] == 1
        assert "__del__" not in counts

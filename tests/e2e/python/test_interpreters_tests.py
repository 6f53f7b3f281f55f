"""CPython's own tests of hooks, tracing and frames end under Kymo as they do without it."""

import re

import pytest
import support

PROGRAM = support.program("interpreters_tests.py")

HOOKS = ["test_sys_setprofile", "test_sys_settrace", "test_bdb"]
MANY = ["test_sys_settrace"]  # some hundred tests
TOOLS = ["test_trace", "test_cprofile"]
FRAMES = ["test_generators", "test_coroutines", "test_asyncgen", "test_yield_from", "test_frame"]
OTHERS = ["test_exceptions", "test_contextlib", "test_gc", "test_code", "test_traceback"]


def outcome(result):
    """How many tests there were, how many failed, and were skipped."""
    lines = re.findall(r"^(Ran \d+ tests|OK.*|FAILED.*)", result.stderr, re.MULTILINE)
    assert len(lines) == 2, result.stderr
    return lines


def check(python, module, tmp_path, instrumenter=None):
    bare = support.run_bare_python(python, [PROGRAM, module], cwd=tmp_path)
    if f"No module named 'test.{module}'" in bare.stderr:
        pytest.skip("no tests of its own (tools/setup.sh test: libpython3.X-testsuite)")
    env = {"KYMO_PYTHON_INSTRUMENTER": instrumenter} if instrumenter else {}
    recorded = support.run_kymo_python(python, [PROGRAM, module], cwd=tmp_path, env=env)
    assert outcome(recorded) == outcome(bare), recorded.stderr
    return recorded


@pytest.mark.since("3.12")
@pytest.mark.parametrize("instrumenter", ["dispatch", "monitoring"])
def test_of_monitoring(python, instrumenter, tmp_path):
    """From 3.13 on with events of extensions, whose code is an object of any type."""
    recorded = check(python, "test_monitoring", tmp_path, instrumenter)
    assert re.search(r"^hidden tools: \[\d\]$", recorded.stdout, re.MULTILINE)


@pytest.mark.alike_versions
@pytest.mark.parametrize(
    "module",
    [
        pytest.param(module, marks=pytest.mark.newest_version if module in MANY else [])
        for module in HOOKS
    ],
)
def test_of_hooks(python, module, tmp_path):
    check(python, module, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("module", TOOLS + FRAMES + OTHERS)
def test_of_frames_and_tools(python, module, tmp_path):
    check(python, module, tmp_path)

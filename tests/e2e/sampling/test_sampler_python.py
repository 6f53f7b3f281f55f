"""Stacks of Python and native code together, on every interpreter."""

import pytest
import sampler_runs
import support
from sampler_runs import HELD, NOT_HELD, UNCERTAIN, WAITED_FOR

PROGRAM = support.program("sampled_python.py")


def run(python, tmp_path, kind, seconds, *options, env=None, **settings):
    command = [python.executable, PROGRAM, kind, seconds]
    if env:
        command = ["env", *(f"{name}={value}" for name, value in env.items()), *command]
    result, found = sampler_runs.run(command, tmp_path, *options, **settings)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return found[-1]


def order(names, *wanted):
    """True when wanted are in names, in that order."""
    rest = iter(names)
    return all(any(name == each for each in rest) for name in wanted)


def with_all(sampled, *names):
    return [each for each in sampled.samples if set(names) <= set(each.stack)]


def check_certain(sampled):
    """Hardly any stack is a guess, and none has Python frames outside of its program."""
    uncertain = [each for each in sampled.samples if UNCERTAIN in each.stack]
    assert len(uncertain) <= 0.03 * len(sampled.samples)


def test_shares(python, tmp_path):
    sampled = run(python, tmp_path, "shares", 0.6)
    assert sampled.is_share(9 / 10, "py:heavy", among="py:shares")
    for each in with_all(sampled, "py:spin", "py:shares"):
        assert order(each.stack, "py:spin", "py:shares", "py:<module>")
        # The program's own beginning is native, and outside of all Python.
        assert not each.stack[-1].startswith("py:")
    assert len(with_all(sampled, "py:spin")) > 0.5 * len(sampled.samples)
    check_certain(sampled)
    inside = with_all(sampled, "py:shares")  # before, modules are read from files without it
    held = [each for each in inside if each.gil == HELD]
    assert len(held) > 0.95 * len(inside)


@pytest.mark.alike_versions("3.11")
def test_callback(python, tmp_path):
    """C calls back into Python: each frame stands where it is."""
    sampled = run(python, tmp_path, "callbacks", 0.5)
    inside = with_all(sampled, "py:compare", "py:callbacks")
    assert len(inside) > 10
    for each in inside:
        between = each.stack[each.stack.index("py:compare") : each.stack.index("py:callbacks")]
        assert "qsort_r" in between or "qsort" in between
    check_certain(sampled)


@pytest.mark.alike_versions("3.11")
def test_generator(python, tmp_path):
    sampled = run(python, tmp_path, "generators", 0.3)
    inside = with_all(sampled, "py:produce")
    assert len(inside) > 10
    assert [each for each in inside if not order(each.stack, "py:produce", "py:generators")] == []
    check_certain(sampled)


@pytest.mark.alike_versions("3.11")
def test_deep(python, tmp_path):
    """More frames than are kept: the innermost ones are."""
    sampled = run(python, tmp_path, "deep", 0.3, SAMPLING_DEPTH=100)
    inside = with_all(sampled, "py:spin")
    assert len(inside) > 5
    for each in inside:
        assert each.stack[-1] == sampler_runs.CUT
        assert order(each.stack, "py:spin", "py:descend", "py:descend")


@pytest.mark.alike_versions("3.11")
def test_gil(python, tmp_path):
    """Two threads that compute take turns; one of them holds it, the other waits for it."""
    sampled = run(python, tmp_path, "gil", 0.5)
    for thread in (1, 2):
        computing = with_all(sampled, "py:compute")
        states = [each.gil for each in computing if each.thread == thread]
        assert states.count(HELD) > 0.15 * len(states)
        assert states.count(WAITED_FOR) > 0.15 * len(states)
    waiting = with_all(sampled, "py:gil")
    main = [each.gil for each in waiting if each.thread == 0]
    assert main.count(NOT_HELD) > 0.4 * len(main)


@pytest.mark.alike_versions("3.11")
def test_sleeping(python, tmp_path):
    sampled = run(python, tmp_path, "sleeping", 0.4)
    asleep = [each for each in with_all(sampled, "py:sleeping") if each.gil == NOT_HELD]
    assert len(asleep) > 10
    # It may be met on its way into the call, or out of it.
    in_kernel = sum(each.stack[0].startswith("kernel:") for each in asleep)
    assert in_kernel > 0.9 * len(asleep)


def test_faulthandler(newest_python, tmp_path):
    """Handlers on the small alternate stack that faulthandler makes."""
    env = {"PYTHONFAULTHANDLER": "1"}
    sampled = run(newest_python, tmp_path, "shares", 0.3, env=env)
    assert len(with_all(sampled, "py:spin", "py:shares")) > 0.4 * len(sampled.samples)


@pytest.mark.alike_versions("3.11")
def test_greenlets(python, tmp_path):
    """Each stack is of one greenlet alone."""
    env = {"PYTHONPATH": support.target_packages(python)}
    probe = support.run([python.executable, "-c", "import greenlet"], cwd=tmp_path, env=env)
    if probe.returncode:
        pytest.skip("this interpreter has no greenlet")
    sampled = run(python, tmp_path, "greenlets", 0.4, env=env)
    near, far = with_all(sampled, "py:near"), with_all(sampled, "py:farther")
    assert len(near) > 5 and len(far) > 5
    assert not with_all(sampled, "py:near", "py:farther")
    assert all(order(each.stack, "py:farther", "py:far") for each in far)


@pytest.mark.alone
def test_with_the_profiler(python, tmp_path):
    """Exact calls of Python and samples of the same run, in one recording."""
    command = [python.executable, "-m", "kymo", PROGRAM, "shares", "0.3"]
    env = sampler_runs.environment(tmp_path, PROFILE="ON")
    env["PYTHONPATH"] = support.PACKAGE_DIR
    options = ["--profile", "--"]
    result = support.run([support.KYMO, "sample", *options, *command], cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr
    sampled = sampler_runs.found(tmp_path)[-1]
    names = {sampled.recording.string(each.name) for each in sampled.recording.regions.values()}
    assert {"heavy", "light"} <= names
    assert sampled.share("py:heavy", among="py:shares") > 0.7


@pytest.mark.alike_versions("3.11")
def test_loaded_late(python, tmp_path):
    """An interpreter that the program loads when it has run for a while, and unloads."""
    code = (
        "import os, sys, sysconfig; get = sysconfig.get_config_var;"
        "print(os.path.join(get('LIBDIR'), get('INSTSONAME')), sys.prefix)"
        " if get('Py_ENABLE_SHARED') else None"
    )
    answer = support.run([python.executable, "-c", code], cwd=tmp_path).stdout.split()
    if not answer:
        pytest.skip("this interpreter has no library")
    library, home = answer
    program = [sampler_runs.compile("sampled_embed.c", "-ldl"), library, "0.2"]
    command = ["env", f"PYTHONHOME={home}", *program]
    result, found = sampler_runs.run(command, tmp_path)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    sampled = found[-1]
    inside = with_all(sampled, "py:embedded")
    assert len(inside) > 10
    assert all(order(each.stack, "py:embedded", "with_python", "main") for each in inside)
    before = with_all(sampled, "without_python")
    assert before[0].ticks < inside[0].ticks < inside[-1].ticks < before[-1].ticks
    assert not with_all(sampled, "without_python", "py:embedded")

"""What a run says that measuring cost is what it did: CPU time of runs with Kymo, and of bare ones
in turns, differ by what the summary states, all of it: calls, start, end and outputs."""

import statistics

import cost_runs
import pytest
import support
from attached_runs import Target
from cases import long_except

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    return cost_runs.compile_native(tmp_path_factory.mktemp("cost"))


@pytest.mark.slow
@pytest.mark.newest_version
@pytest.mark.parametrize(
    "name", long_except(cost_runs.PYTHON, "calls", "generators, traced", "C functions")
)
def test_of_python(python, name, tmp_path):
    cost_runs.check(cost_runs.python_case(python, name), tmp_path)


@pytest.mark.parametrize("name", long_except(cost_runs.NATIVE, "calls, full", "sampled"))
def test_of_native_programs(binary, name, tmp_path):
    cost_runs.check(cost_runs.native_case(binary, name), tmp_path)


def test_of_a_short_program(tmp_path):
    cost_runs.check(cost_runs.short_case(), tmp_path)


def target_of(kind, binary):
    """A program that goes on, and what is told to `kymo attach`."""
    if kind == "python":
        newest = support.interpreters()[-1]
        code = "print('ready', flush=True)\nwhile True: sum(range(100))"
        return Target(newest.executable, "-c", code), ["-r", "500"]
    return Target(binary, "endless"), ["--functions"]


@pytest.mark.parametrize("kind", ["python", "functions"])
def test_of_attaching(binary, kind, tmp_path):
    """What `kymo attach` uses itself; what the program does for it is little beside that."""
    if kind != "python" and not cost_runs.has_functions():
        pytest.skip("functions are not instrumented by this build")
    target, options = target_of(kind, binary)
    words = [support.KYMO, "attach", *options, "-d", "0.5", target.pid]
    with target:
        measured, summary = cost_runs.used(words, tmp_path)
    stated = cost_runs.stated_in(summary)
    calls = cost_runs.calls_in(summary)
    print(f"attach, {kind}: stated {stated:.4f}, of calls {calls:.4f}, measured {measured:.4f}")
    assert cost_runs.is_true(cost_runs.Pair(stated - calls, measured, 0))
    assert calls > 0 or kind == "python"


def test_of_a_killed_program(python, tmp_path):
    """It never gets to measure what its calls took: a first figure is there from the start."""
    code = "import os\ndef f(): pass\nfor _ in range(100000): f()\nos.kill(os.getpid(), 9)"

    def cost(name, code, status):
        environment = {"KYMO_FINISH": "OFF", "KYMO_OUTPUT_PATH": tmp_path / name}
        done = support.run_kymo_python(python, ["-c", code], cwd=tmp_path, env=environment)
        assert done.returncode == status, done.stderr
        return cost_runs.calls_cost(tmp_path / name)

    killed, ended = [], []
    for number in range(5):
        killed.append(cost(f"killed {number}", code, -9))
        ended.append(cost(f"ended {number}", code.replace("os.kill", "print"), 0))
    assert min(killed) > 0
    # While another program shares the core, calls cost twice as much.
    assert 1 / 3 < statistics.median(killed) / statistics.median(ended) < 3, (killed, ended)

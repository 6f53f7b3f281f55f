"""Programs that use what Kymo uses: they keep working, and Kymo says what it lost."""

import re
import subprocess

import collector_runs as runs
import pytest
import support


def record_scope(python, instrumenter, args, cwd, **extra):
    """Record a program that starts and stops the recording itself."""
    return runs.record(python, instrumenter, args, cwd, options=["-b"], **extra)


@pytest.mark.since("3.9")
def test_frame_evaluation_in_a_chain(python, tmp_path):
    library = tmp_path / "evaluator.so"
    source = support.program("py_evaluator.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    recorded = record_scope(python, "frame", [support.program("py_chained.py"), library], tmp_path)
    assert recorded.process.stdout == "done\n"
    assert runs.counts(recorded.profile()) == {"install": 1, "recorded": 4 * 15}
    assert recorded.unmatched() == 0


def expected_losses(python, instrumenter):
    """What a note has to speak of when the program has used all hooks itself."""
    hidden = runs.missed(python, instrumenter)
    if hidden:
        return [hidden]
    return {
        "cProfile": ["profile function"],
        "profile": ["profile function"],
        "cTrace": ["trace function"],
        "trace": ["trace function"],
    }.get(instrumenter, [])


def assert_losses(recorded, words):
    losses = recorded.losses()
    assert len(losses) == len(words), losses
    assert all(word in loss for word, loss in zip(words, losses)), losses


def before_set_trace(output):
    return output.partition("with_set_trace_inside")[0]


@pytest.mark.alike_versions("3.12")
def test_a_program_with_hooks_of_its_own(python, tmp_path):
    """setprofile, settrace, cProfile, bdb, pdb, trace and sys.monitoring in one program."""
    program = support.program("py_own_hooks.py")
    bare = support.run_bare_python(python, [program], cwd=tmp_path)
    assert bare.returncode == 0, bare.stderr
    before = runs.imported_before(tmp_path, "bdb", "cProfile", "pdb", "pstats", "trace")
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python, instrumenter, [program], tmp_path / instrumenter, options=before
        )
        if instrumenter == "trace" and python.number <= (3, 10):
            # A debugger started inside of a frame does not see its lines: documented.
            found = before_set_trace(recorded.process.stdout)
            assert found == before_set_trace(bare.stdout)
        else:
            assert recorded.process.stdout == bare.stdout, instrumenter
        assert_losses(recorded, expected_losses(python, instrumenter))
        assert runs.counts(recorded.profile())["with_setprofile"] == 1


@pytest.mark.alike_versions("3.11")
def test_hooks_that_are_there_when_recording_starts_and_stops(python, tmp_path):
    program = support.program("py_hook_scopes.py")
    outputs = set()
    for instrumenter in runs.instrumenters(python):
        recorded = record_scope(python, instrumenter, [program], tmp_path / instrumenter)
        outputs.add(recorded.process.stdout)
        words = expected_losses(python, instrumenter)
        assert all(any(word in loss for loss in recorded.losses()) for word in words)
    assert outputs == {"12\n4\n"}, outputs


def options_of(python, instrumenter):
    """What the tools call themselves is most of it: it is recorded by default, once of each."""
    return [] if instrumenter == runs.default(python) else ["-MR", "/py_"]


# Prints what `coverage report -m` would of each of the files, one behind the other.
COVERED = """
import coverage, sys
for name in sys.argv[1:]:
    found = coverage.Coverage(data_file=name)
    found.load()
    found.report(show_missing=True)
    print("of", name)
"""


# How coverage can see lines, and the instrumenters that use the same of the interpreter; with the
# first, its default, all of them are tried.
CORES = {
    "ctrace": runs.INSTRUMENTERS,
    "pytrace": ("cTrace", "trace"),
    "sysmon": ("dispatch", "monitoring"),
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Settings with which the first run compiles coverage for all."""
    folder = tmp_path_factory.mktemp("compiled")
    return {"PYTHONDONTWRITEBYTECODE": None, "PYTHONPYCACHEPREFIX": folder}


@pytest.mark.alike_versions
@pytest.mark.parametrize(
    "core",
    [
        pytest.param(core, marks=[] if core == "ctrace" else pytest.mark.newest_version)
        for core in CORES
    ],
)
def test_coverage(python, core, compiled, tmp_path):
    packages = support.target_packages(python)
    if not (packages / "coverage").exists():
        pytest.skip("coverage is not installed for this interpreter")
    if core == "sysmon" and python.number < (3, 12):
        pytest.skip("sys.monitoring came with 3.12")
    command = ["-m", "coverage", "run", "--data-file=data", support.program("py_calls.py")]
    names = []
    for instrumenter in (None, *(name for name in CORES[core] if runs.is_of(python, name))):
        folder = tmp_path / str(instrumenter)
        folder.mkdir()
        environment = {"PYTHONPATH": packages, "COVERAGE_CORE": core, **compiled}
        if instrumenter:
            path = f"{support.PACKAGE_DIR}:{packages}"
            finished = runs.run(
                python,
                instrumenter,
                command,
                folder,
                options=options_of(python, instrumenter),
                env=dict(environment, PYTHONPATH=path),
            )
        else:
            finished = support.run_bare_python(python, command, cwd=folder, env=environment)
        assert finished.returncode == 0, finished.stderr
        names.append(f"{instrumenter}/data")
    environment = {"PYTHONPATH": packages, **compiled}
    shown = support.run_bare_python(python, ["-c", COVERED, *names], cwd=tmp_path, env=environment)
    assert shown.returncode == 0, shown.stderr
    reports = dict(zip(names, re.split(r"^of .*\n", shown.stdout, flags=re.MULTILINE)))
    assert "py_calls.py" in reports["None/data"]
    assert set(reports) == set(names) and len(set(reports.values())) == 1, reports


# From 3.14 on the interpreter itself tells pdb a line twice where anything has traced before.
PDB_AFTER_ANOTHER = """
import runpy, sys
def tracer(frame, event, argument):
    return tracer
sys.settrace(tracer)
runpy.run_module("pdb", run_name="__main__", alter_sys=True)
"""


@pytest.mark.alike_versions
def test_pdb_on_the_command_line(python, tmp_path):
    program = support.program("py_calls.py")
    commands = "b fib\nc\np n\nr\nup\nw\ncl 1\nq\n"
    bare = support.run_bare_python(python, ["-m", "pdb", program], cwd=tmp_path, input=commands)
    assert "Breakpoint 1" in bare.stdout
    traced = bare
    if python.number >= (3, 14):
        command = ["-c", PDB_AFTER_ANOTHER, program]
        traced = support.run_bare_python(python, command, cwd=tmp_path, input=commands)
    for instrumenter in runs.instrumenters(python):
        finished = runs.run(
            python,
            instrumenter,
            ["-m", "pdb", program],
            tmp_path,
            options=options_of(python, instrumenter),
            input=commands,
        )
        wanted = traced if instrumenter == "trace" else bare
        assert finished.stdout == wanted.stdout, instrumenter
        assert finished.returncode == bare.returncode

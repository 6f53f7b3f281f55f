"""Work that is uneven by 1:2:3:4, under runtimes that spin while they wait and have threads of
their own: what is compared is the work."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import support
from cases import long_except

PROGRAM = support.program("uneven_ranks.c")
MPI = {
    "Open MPI": ("mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe", "-n", "4"]),
    "MPICH": ("mpicc.mpich", ["mpiexec.mpich", "-n", "4"]),
}
SYSTEM_PACKAGES = Path("/usr/lib/python3/dist-packages")
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def compile(compiler, folder, *flags, unit_s=0.4):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    program = folder / "uneven"
    command = [compiler, "-O1", "-g", f"-DUNIT_S={unit_s}", *flags, PROGRAM, "-o", program]
    subprocess.run([os.fspath(part) for part in command], check=True)
    return program


def sample(folder, *command, **variables):
    settings = {"KYMO_OUTPUT_PATH": folder / "out", "KYMO_TIME_OUTPUT": "OFF"}
    words = ["sample", "-q", "--", *command]
    done = support.run_kymo(words, cwd=folder, env={**ROOT_MAY, **settings, **variables})
    assert done.returncode == 0, done.stderr
    return folder / "out"


def report(run, *options):
    done = support.run_kymo(["report", run, *options, "--format", "json"], cwd=run)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_one_to_four(answer, work):
    """The work's shares are 10, 20, 30 and 40 %, but for what starting takes."""
    for i, seconds in enumerate(work):
        assert seconds / sum(work) == pytest.approx(0.1 * (i + 1), abs=0.04), answer
    (spread,) = answer["spread"]
    assert spread["count"] == 4
    assert spread["imbalance_percent"] == pytest.approx(60, abs=15)


def assert_imbalance_is_of_work(run, by):
    """Of the function that works, and of main, which waits for the others, too."""
    rows = {row["name"]: row for row in report(run, "--imbalance", "--group", by)["imbalance"]}
    for name in ("work", "main"):
        row = rows.get(name, {"imbalance_percent": None})
        assert row["imbalance_percent"] == pytest.approx(60, abs=15), rows
        assert row["compared"] == "work"
    assert not [name for name in rows if name.startswith(("MPI_", "gomp_", "GOMP_"))], rows
    chosen = report(run, "--imbalance", "--group", by, "--filter", "^MPI_Barrier$")["imbalance"]
    assert {row["compared"] for row in chosen} <= {"time"}


def merge(run, output):
    done = support.run_kymo(["merge", "-o", output, run], cwd=run)
    assert done.returncode == 0, done.stderr


# Ranks of Open MPI are those of mpi4py, below.
@pytest.mark.parametrize("kind", long_except(MPI, "MPICH"))
def test_ranks(tmp_path, kind):
    compiler, launcher = MPI[kind]
    program = compile(compiler, tmp_path, unit_s=0.25)
    if not shutil.which(launcher[0]):
        pytest.skip(f"there is no {launcher[0]}")
    run = sample(tmp_path, *launcher, program)
    answer = report(run, "--ranks")
    work = {group["name"]: group["work"] for group in answer["groups"]}
    assert_one_to_four(answer, [work[f"rank {i}"] for i in range(4)])
    assert_imbalance_is_of_work(run, "rank")
    told = [finding["text"] for finding in report(run, "--findings")["findings"]]
    for text in told:
        assert "input and output" not in text and "do no work" not in text, told
    merge(run, tmp_path / "merged")
    again = {group["name"]: group for group in report(tmp_path / "merged", "--ranks")["groups"]}
    for group in answer["groups"]:
        assert again[group["name"]] == pytest.approx(group, rel=1e-6, abs=1e-6)
    assert_imbalance_is_of_work(tmp_path / "merged", "rank")


@pytest.mark.parametrize("policy", long_except(["active", "passive"], "active"))
def test_threads(tmp_path, policy):
    program = compile("gcc", tmp_path, "-fopenmp", unit_s=0.25)
    run = sample(tmp_path, program, OMP_WAIT_POLICY=policy)
    answer = report(run, "--ranks", "--group", "thread")
    # Threads have their numbers in the order in which they began.
    assert_one_to_four(answer, sorted(group["work"] for group in answer["groups"]))


def test_what_is_asked_for_is_shown_as_it_is(tmp_path):
    """Who asks for a wait by its name gets its time."""
    program = compile("gcc", tmp_path, "-fopenmp", unit_s=0.1)
    run = sample(tmp_path, program, OMP_WAIT_POLICY="passive")
    groups = report(run, "--ranks", "--group", "thread", "--filter", "^futex")["groups"]
    assert {group["work"] for group in groups} == {None}
    assert sum(group["time"] for group in groups) > 0


# It looks now and then whether its rank is there, as launchers do.
LAUNCHER = """
import os, subprocess, sys, time
reading, writing = os.pipe()
environment = dict(os.environ, **dict(word.split("=") for word in sys.argv[2:]))
rank = subprocess.Popen([sys.executable, sys.argv[1]], env=environment, stdout=writing)
os.close(writing)
while os.read(reading, 1):
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
rank.wait()
"""
RANK = """
import time
for _ in range(6):
    end = time.perf_counter() + 0.1
    while time.perf_counter() < end:
        pass
    print(end="x", flush=True)
"""


@pytest.mark.parametrize("variables", [[], ["OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"]])
def test_nobody_waits_for_what_a_launcher_waits_for(tmp_path, variables):
    """However much of its time it is on a processor.  A process that started another one, without
    any rank, waits like any other."""
    for name, text in (("launcher.py", LAUNCHER), ("rank.py", RANK)):
        (tmp_path / name).write_text(text)
    run = sample(
        tmp_path, support.interpreters()[-1].executable, "launcher.py", "rank.py", *variables
    )
    kinds = [finding["kind"] for finding in report(run, "--findings")["findings"]]
    assert ("input and output" in kinds) == (not variables)


# Ranks that wait inside of a call of which nothing is recorded.
UNSEEN = """
import os, subprocess, sys, time
for rank in range(2):
    environment = dict(os.environ, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
    subprocess.check_call([sys.executable, "-c", "(lambda: None)()"], env=environment)
"""


def test_waits_that_cannot_be_seen_are_said(tmp_path, python):
    (tmp_path / "launcher.py").write_text(UNSEEN)
    settings = {"KYMO_OUTPUT_PATH": tmp_path / "out"}
    done = support.run_kymo_python(python, ["-q", "launcher.py"], cwd=tmp_path, env=settings)
    assert done.returncode == 0, done.stderr
    remark = "no call of MPI was recorded"
    for view in ("--ranks", "--imbalance"):
        by_rank = support.run_kymo(["report", tmp_path / "out", view], cwd=tmp_path).stdout
        assert remark in by_rank
        by_process = support.run_kymo(
            ["report", tmp_path / "out", view, "--group", "process"], cwd=tmp_path
        ).stdout
        assert remark not in by_process


def test_what_waits_in_mpi4py_is_no_work(tmp_path):
    _, launcher = MPI["Open MPI"]
    python = support.interpreters()[-1]
    packages = support.target_packages(python)
    if not shutil.which(launcher[0]):
        pytest.skip(f"there is no {launcher[0]}")
    if not (packages / "mpi4py").is_dir():
        pytest.skip(f"mpi4py is not installed for {python.version}")
    program = support.program("uneven_mpi4py.py")
    variables = {"PYTHONPATH": packages, "MPI4PY_MPIABI": "openmpi"}
    run = sample(tmp_path, *launcher, python.executable, program, "6", **variables)
    groups = {group["name"]: group["work"] for group in report(run, "--ranks")["groups"]}
    work = [groups[f"rank {i}"] for i in range(4)]
    assert work == sorted(work) and work[3] > 2 * work[0], groups


def test_calls_of_mpi4py_are_no_work(tmp_path):
    """Of one whose functions are built in, as the system's is; those of newer ones are none that
    interpreters tell of."""
    _, launcher = MPI["Open MPI"]
    (found, *_) = [*SYSTEM_PACKAGES.glob("mpi4py/MPI.cpython-3*.so"), None]
    if not found or not shutil.which(launcher[0]):
        pytest.skip("the system's mpi4py or Open MPI's launcher is not installed")
    digits = found.name.split("-")[1].removeprefix("3")
    python = support.interpreter(f"3.{digits}")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "mpi4py").symlink_to(found.parent)
    settings = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    environment = {**ROOT_MAY, **settings, "PYTHONPATH": tmp_path / "packages"}
    kind = "from mpi4py import MPI; print(type(MPI.Comm.Barrier).__name__)"
    kind = support.run([python.executable, "-c", kind], cwd=tmp_path, env=environment).stdout
    if kind.strip() != "method_descriptor":
        pytest.skip(f"the system's mpi4py has functions of its own kind: {kind.strip()}")
    words = ["-q", "--trace-c", support.program("uneven_mpi4py.py"), "2"]
    command = [*launcher, support.KYMO.parent / f"kymo-python-{python.version}", *words]
    done = support.run(command, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in report(tmp_path / "out", "--flat")["regions"]}
    barrier = next(row for name, row in rows.items() if name.endswith("Barrier"))
    assert barrier["calls"] == 4 * 2
    answer = report(tmp_path / "out", "--ranks")
    for group in answer["groups"]:
        assert group["work"] < group["time"]
    waited = sum(group["time"] - group["work"] for group in answer["groups"])
    assert waited >= 0.99 * barrier["total"]
    assert (
        "no call of MPI"
        not in support.run_kymo(["report", tmp_path / "out", "--ranks"], cwd=tmp_path).stdout
    )

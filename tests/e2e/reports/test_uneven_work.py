"""Work that is uneven by 1:2:3:4, under runtimes that spin while they wait and have threads of
their own: what is compared is the work."""

import json
import os
import shutil
import subprocess

import pytest
import support

PROGRAM = support.program("uneven_ranks.c")
MPI = {
    "Open MPI": ("mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe", "-n", "4"]),
    "MPICH": ("mpicc.mpich", ["mpiexec.mpich", "-n", "4"]),
}
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def compile(compiler, folder, *flags):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    program = folder / "uneven"
    command = [compiler, "-O1", "-g", *flags, PROGRAM, "-o", program]
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


@pytest.mark.parametrize("kind", MPI)
def test_ranks(tmp_path, kind):
    compiler, launcher = MPI[kind]
    program = compile(compiler, tmp_path)
    if not shutil.which(launcher[0]):
        pytest.skip(f"there is no {launcher[0]}")
    run = sample(tmp_path, *launcher, program)
    answer = report(run, "--ranks")
    work = {group["name"]: group["work"] for group in answer["groups"]}
    assert_one_to_four(answer, [work[f"rank {i}"] for i in range(4)])
    told = [finding["text"] for finding in report(run, "--findings")["findings"]]
    for text in told:
        assert "input and output" not in text and "do no work" not in text, told


@pytest.mark.parametrize("policy", ["active", "passive"])
def test_threads(tmp_path, policy):
    program = compile("gcc", tmp_path, "-fopenmp")
    run = sample(tmp_path, program, OMP_WAIT_POLICY=policy)
    answer = report(run, "--ranks", "--group", "thread")
    # Threads have their numbers in the order in which they began.
    assert_one_to_four(answer, sorted(group["work"] for group in answer["groups"]))


def test_what_is_asked_for_is_shown_as_it_is(tmp_path):
    """Who asks for a wait by its name gets its time."""
    run = sample(tmp_path, compile("gcc", tmp_path, "-fopenmp"), OMP_WAIT_POLICY="passive")
    groups = report(run, "--ranks", "--group", "thread", "--filter", "^futex")["groups"]
    assert {group["work"] for group in groups} == {None}
    assert sum(group["time"] for group in groups) > 0

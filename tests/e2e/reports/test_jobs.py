"""Ranks that a launcher starts, each with `kymo run` or `kymo-python` in front: one job is one run,
with one summary, whoever of them comes first, ends last or dies."""

import json
import os
import shutil
import subprocess
import textwrap

import pytest
import support

pytestmark = pytest.mark.newest_version

LAUNCHING = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
# Some calls; rank 0 has gone before the last one comes, as of programs that know nothing of MPI.
PROGRAM = """
    import os, sys, time
    def work():
        pass
    for _ in range(3):
        work()
    rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]
    if rank == os.environ.get("DIES"):
        os.kill(os.getpid(), 9)
    if "LAST" in os.environ and rank != "0":
        while not os.path.exists("go"):
            time.sleep(0.001)
"""


def environment(cwd, **more):
    own = {"PYTHONPATH": support.PACKAGE_DIR, "KYMO_OUTPUT_PATH": cwd / "out"}
    return support.clean_environment(cwd, {**own, **LAUNCHING, **more})


def rank_environment(cwd, rank, size, job="a-job", **more):
    own = {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size)}
    if job:
        own["PMIX_NAMESPACE"] = job
    return environment(cwd, **own, **more)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "ranks.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


def command(python, program):
    return [python.executable, "-m", "kymo", str(program)]


def start(cwd, line, env):
    return subprocess.Popen(
        [str(word) for word in line],
        cwd=str(cwd),
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def job(cwd, line, size, **more):
    """Ranks that are all started before the first is waited for: what they said."""
    ranks = [start(cwd, line, rank_environment(cwd, rank, size, **more)) for rank in range(size)]
    return [rank.communicate(timeout=support.TIMEOUT_S)[1] for rank in ranks]


def runs(cwd):
    """Folders that hold recordings, and nothing of a job that has ended."""
    found = sorted({path.parent for path in (cwd / "out").rglob("*.kymo")})
    assert list((cwd / "out").rglob(".job-*")) == []
    return found


def groups(run):
    result = support.run_kymo(["report", run, "--ranks", "--format", "json"], cwd=run)
    assert result.returncode == 0, result.stderr
    return sorted(group["name"] for group in json.loads(result.stdout)["groups"])


def losses(said):
    return [line for line in said.splitlines() if line.strip().startswith("losses")]


NAMES = ["rank 0", "rank 1", "rank 2", "rank 3"]


# Of Open MPI, or whichever is called so; and of MPICH, whose ranks have other variables.
LAUNCHERS = ["mpirun", "mpiexec.mpich"]


def launched(cwd, line, launcher="mpirun", **more):
    if not shutil.which(launcher):
        pytest.skip(f"{launcher} is not installed")
    result = subprocess.run(
        [launcher, "-n", "4", *[str(word) for word in line]],
        cwd=str(cwd),
        env=environment(cwd, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=support.TIMEOUT_S,
    )
    if result.returncode and not support.find_recordings(cwd):
        pytest.skip(f"{launcher} does not work here: {result.stderr.splitlines()[:1]}")
    return result


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("time_output", ["ON", "OFF"])
def test_a_real_launcher(tmp_path, python, program, time_output, launcher):
    line = command(python, program)
    result = launched(tmp_path, line, launcher, KYMO_TIME_OUTPUT=time_output)
    assert result.returncode == 0, result.stderr
    (run,) = runs(tmp_path)
    assert groups(run) == NAMES
    assert result.stderr.count("kymo report") == 1 and len(losses(result.stderr)) == 1
    assert "4 processes" in result.stderr and "none" in losses(result.stderr)[0]


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_programs_that_profile_themselves(tmp_path, python, launcher):
    script = tmp_path / "own.py"
    script.write_text("import kymo\nwith kymo.profile():\n    (lambda: 1)()\n")
    result = launched(tmp_path, [python.executable, script], launcher)
    assert result.returncode == 0, result.stderr
    (run,) = runs(tmp_path)
    assert groups(run) == NAMES
    assert result.stderr.count("kymo report") == 1 and "4 processes" in result.stderr


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("time_output", ["ON", "OFF"])
def test_native_programs_of_a_real_launcher(tmp_path, time_output, launcher):
    line = [support.KYMO, "run", "--", "sh", "-c", "exit 0"]
    for turn in (1, 2):
        result = launched(tmp_path, line, launcher, KYMO_TIME_OUTPUT=time_output)
        assert result.returncode == 0, result.stderr
        assert result.stderr.count("kymo report") == 1, result.stderr
        assert "4 processes" in result.stderr and "none" in losses(result.stderr)[0]
        found = runs(tmp_path)
        assert len(found) == turn and all(groups(run) == NAMES for run in found)
        # A second job in the same folder takes the place of the first.
        names = [run.name for run in found]
        assert ("earlier-1" in names) == (time_output == "OFF" and turn == 2)


def test_ranks_that_end_before_others_begin(tmp_path, python, program):
    """The job's run is theirs; who ends last of those that are there writes what there is."""
    line = command(python, program)
    first = start(tmp_path, line, rank_environment(tmp_path, 1, 2, LAST="1"))
    while not support.find_recordings(tmp_path):
        assert first.poll() is None
    second = start(tmp_path, line, rank_environment(tmp_path, 0, 2, LAST="1"))
    assert second.communicate(timeout=support.TIMEOUT_S)[1] == ""
    (tmp_path / "go").touch()
    said = first.communicate(timeout=support.TIMEOUT_S)[1]
    assert said.count("kymo report") == 1 and "2 processes" in said
    (run,) = runs(tmp_path)
    assert groups(run) == NAMES[:2]


@pytest.mark.parametrize("dies", ["0", "3"])
def test_a_rank_that_dies_is_not_waited_for(tmp_path, python, program, dies):
    said = "".join(job(tmp_path, command(python, program), 4, DIES=dies))
    assert said.count("kymo report") == 1 and "recording not closed" in said
    (run,) = runs(tmp_path)
    assert groups(run) == NAMES


def test_jobs_side_by_side_are_apart(tmp_path, python, program):
    line = command(python, program)
    env = [rank_environment(tmp_path, rank, 2, job) for job in ("a", "b") for rank in range(2)]
    ranks = [start(tmp_path, line, each) for each in env]
    said = [rank.communicate(timeout=support.TIMEOUT_S)[1] for rank in ranks]
    assert "".join(said).count("kymo report") == 2
    assert [groups(run) for run in runs(tmp_path)] == [NAMES[:2]] * 2


def test_launchers_without_a_name(tmp_path, python, program):
    """As MPICH's: the process that has started the ranks is who tells its jobs apart."""
    (tmp_path / "launcher.py").write_text(
        "import os, subprocess, sys\n"
        "def start(rank):\n"
        "    env = dict(os.environ, PMI_RANK=str(rank), PMI_SIZE='2')\n"
        "    shell = ['sh', '-c', '\"$@\"; exit $?', 'sh', *sys.argv[1:]]\n"
        "    return subprocess.Popen(shell, env=env)\n"
        "for rank in [start(rank) for rank in range(2)]:\n"
        "    rank.wait()\n"
    )
    launcher = [python.executable, tmp_path / "launcher.py", *command(python, program)]
    both = [start(tmp_path, launcher, environment(tmp_path)) for _ in range(2)]
    for each in both:
        said = each.communicate(timeout=support.TIMEOUT_S)[1]
        assert said.count("kymo report") == 1 and "2 processes" in said
    assert [groups(run) for run in runs(tmp_path)] == [NAMES[:2]] * 2


def test_ranks_that_are_listed(tmp_path, python, program):
    """The run is one: its tables are written where one of its ranks is listed."""
    line = command(python, program)
    job(tmp_path, line, 2, KYMO_RANK_FILTER_OUTPUT="1", KYMO_TIME_OUTPUT="OFF")
    assert (tmp_path / "out" / "wall_clock.txt").exists()
    job(tmp_path, line, 2, KYMO_RANK_FILTER_OUTPUT="5", KYMO_OUTPUT_PATH=tmp_path / "out" / "no")
    assert not list((tmp_path / "out" / "no").rglob("wall_clock.txt"))


def on_a_node(name, line):
    """Stands in for a node: a host name and numbers of processes of its own, the same folders."""
    node = ["unshare", "--uts", "--pid", "--fork", "--mount-proc"]
    return [*node, "sh", "-c", f'hostname {name} && exec "$@"', "sh", *line]


@pytest.mark.parametrize("time_output", ["ON", "OFF"])
def test_ranks_on_several_nodes(tmp_path, python, program, time_output):
    """A step of Slurm with a rank on each of three nodes, all the same process there."""
    if support.run(on_a_node("node", ["true"]), cwd=tmp_path).returncode != 0:
        pytest.skip("namespaces cannot be made here")
    step = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "3"}
    ranks = [
        start(
            tmp_path,
            on_a_node(f"node{rank}", command(python, program)),
            environment(
                tmp_path,
                **step,
                SLURM_PROCID=str(rank),
                PMI_RANK=str(rank),
                KYMO_TIME_OUTPUT=time_output,
            ),
        )
        for rank in range(3)
    ]
    said = "".join(rank.communicate(timeout=support.TIMEOUT_S)[1] for rank in ranks)
    assert said.count("kymo report") == 1 and "3 processes" in said, said
    (run,) = runs(tmp_path)
    assert groups(run) == NAMES[:3]
    merged = support.run_kymo(["merge", "-o", "merged", run], cwd=tmp_path)
    assert merged.returncode == 0, merged.stderr
    assert groups(tmp_path / "merged") == NAMES[:3]


def test_leftovers_of_a_job_are_not_joined(tmp_path, python, program):
    """Its node is gone, and its name is given again."""
    lost = tmp_path / "out" / "lost"
    lost.mkdir(parents=True)
    os.symlink("lost", tmp_path / "out" / ".job-a_job")
    said = "".join(job(tmp_path, command(python, program), 2))
    assert said.count("kymo report") == 1
    assert support.find_recordings(lost) == [] and len(runs(tmp_path)) == 1


def test_a_second_run_into_a_folder_takes_the_place_of_the_first(tmp_path, python, program):
    """Which is no loss: the first one's recording is there still."""
    for _ in range(2):
        env = environment(tmp_path, KYMO_TIME_OUTPUT="OFF", PMI_RANK="0")
        alone = start(tmp_path, command(python, program), env)
        said = alone.communicate(timeout=support.TIMEOUT_S)[1]
        assert "1 process" in said and "none" in losses(said)[0]
    assert len(support.find_recordings(tmp_path / "out")) == 2

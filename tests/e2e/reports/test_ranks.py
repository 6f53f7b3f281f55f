"""Ranks of MPI and repeated runs: who is who, and that the views of both add up."""

import json
import shutil
import textwrap

import pytest
import support

pytestmark = pytest.mark.newest_version

# The launcher: a rank for every number, which works as often as that says.
LAUNCHER = """
    import os, subprocess, sys
    def launch(rank):
        environment = dict(os.environ, {variable}=str(rank), {size}="8")
        subprocess.check_call([sys.executable, "rank.py", str(3 * rank)], env=environment)
    for rank in (2, 0, 1):
        launch(rank)
"""
RANK = """
    import os, sys
    def work(n):
        return sum(range(1000))
    def run(count):
        for i in range(count):
            work(i)
    run(int(sys.argv[1]))
    if not os.fork():  # what a rank starts is of that rank
        work(0)
"""
# All ranks are there before any goes on, as behind MPI_Init().
TOGETHER = """
    import glob, os, time
    def work():
        open(f"here.{os.getpid()}", "w").close()
        while len(glob.glob("here.*")) < 3:
            time.sleep(0.001)
    work()
"""
REST = ("[outside any recorded region]", "[measuring]")
LAUNCHERS = {
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    "MPICH": ("PMI_RANK", "PMI_SIZE"),
    "MVAPICH": ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    "Slurm": ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    "PMIx": ("PMIX_RANK", "OF_NO_MEANING"),
}


def record(place, python, launcher="Open MPI", output="out"):
    variable, size = LAUNCHERS[launcher]
    (place / "rank.py").write_text(textwrap.dedent(RANK))
    program = textwrap.dedent(LAUNCHER).format(variable=variable, size=size)
    (place / "launcher.py").write_text(program)
    result = support.run_kymo_python(
        python,
        ["-q", "launcher.py"],
        cwd=place,
        env={"KYMO_OUTPUT_PATH": place / output},
    )
    assert (result.returncode, result.stderr) == (0, "")
    return place / output


def report(run, *options):
    result = support.run_kymo(["report", run, "--format", "json", *options], cwd=run)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_every_process_knows_its_rank(tmp_path, python, launcher):
    run = record(tmp_path, python, launcher)
    answer = report(run, "--ranks", "--region", "work")
    calls = {group["name"]: group["calls"] for group in answer["groups"]}
    assert calls == {"rank 0": 1, "rank 1": 4, "rank 2": 7}
    assert answer["spread"][0]["count"] == 3
    least = min(answer["groups"], key=lambda group: group["time"])
    assert answer["spread"][0]["min_at"] == least["name"]


def test_ranks_of_a_real_launcher(tmp_path, python):
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    (tmp_path / "rank.py").write_text(textwrap.dedent(TOGETHER))
    environment = {
        "PYTHONPATH": support.PACKAGE_DIR,
        "KYMO_OUTPUT_PATH": tmp_path / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    command = ["mpirun", "-n", "3", python.executable, "-m", "kymo", "-q", "rank.py"]
    result = support.run(command, cwd=tmp_path, env=environment)
    if result.returncode and not support.find_recordings(tmp_path):
        pytest.skip(f"mpirun does not work here: {result.stderr.splitlines()[:1]}")
    assert result.returncode == 0, result.stderr
    answer = report(tmp_path / "out", "--ranks", "--region", "work")
    calls = {group["name"]: group["calls"] for group in answer["groups"]}
    assert calls == {"rank 0": 1, "rank 1": 1, "rank 2": 1}


def test_the_launcher_is_no_rank(tmp_path, python):
    run = record(tmp_path, python)
    calls = {g["name"]: g["calls"] for g in report(run, "--ranks", "--region", "launch")["groups"]}
    assert calls == {"rank 0": 0, "rank 1": 0, "rank 2": 0, "no rank": 3}


def test_groups_add_up_to_the_flat_profile(tmp_path, python):
    run = record(tmp_path, python)
    flat = {region["name"]: region for region in report(run, "--flat")["regions"]}
    for by in ("thread", "process", "rank", "run"):
        for name in ("work", "run", "launch"):
            groups = report(run, "--ranks", "--region", name, "--group", by)["groups"]
            assert sum(group["calls"] for group in groups) == flat[name]["calls"]
            total = sum(group["time"] for group in groups)
            assert total == pytest.approx(flat[name]["total"], rel=1e-9)


def test_missing_ranks_are_found(tmp_path, python):
    run = record(tmp_path, python)
    texts = [finding["text"] for finding in report(run, "--findings")["findings"]]
    assert "Of 8 ranks 5 left no recording here." in texts


def test_uneven_regions_have_a_cost(tmp_path, python):
    run = record(tmp_path, python)
    rows = {row["name"]: row for row in report(run, "--imbalance")["imbalance"]}
    values = [g["time"] for g in report(run, "--ranks", "--region", "work")["groups"]]
    cost = sum(max(values) - value for value in values)
    assert rows["work"]["cost"] == pytest.approx(cost, rel=1e-9)
    assert rows["work"]["max_at"] == f"rank {values.index(max(values))}"
    told = report(run, "--imbalance")["imbalance"]
    costs = [row["cost"] for row in told if row["name"] not in REST]
    assert costs == sorted(costs, reverse=True)
    # What is in no region comes last, however many rows are shown.
    rest = [row["name"] for row in told if row["name"] in REST]
    assert rest and rest == [row["name"] for row in told][-len(rest) :]
    few = report(run, "--imbalance", "--top", "1")["imbalance"]
    assert [row["name"] for row in few[1:]] == rest
    assert {row["compared"] for row in few[1:]} == {"time"}


def test_a_histogram_counts_every_rank(tmp_path, python):
    run = record(tmp_path, python)
    for bins in (1, 2, 7):
        rows = report(run, "--histogram", "work", "--bins", str(bins))["bins"]
        assert len(rows) == bins
        assert sum(row["count"] for row in rows) == 3
        assert rows[0]["count"] and rows[-1]["count"]


@pytest.fixture
def merged(tmp_path, python):
    runs = [record(tmp_path, python, output=f"run{i}") for i in range(3)]
    result = support.run_kymo(["merge", *runs, "-o", tmp_path / "all"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return runs, tmp_path / "all"


def test_repeated_runs_are_compared(merged):
    runs, together = merged
    rows = {row["region"]: row for row in report(together, "--repeats")["repeats"]}
    single = [
        next(r["self"] for r in report(run, "--flat")["regions"] if r["name"] == "work")
        for run in runs
    ]
    mean = sum(single) / 3
    deviation = (sum((value - mean) ** 2 for value in single) / 2) ** 0.5
    work = rows["work"]
    assert work["runs"] == 3
    assert work["self_mean"] == pytest.approx(mean, abs=1e-8)
    assert work["self_deviation"] == pytest.approx(deviation, abs=1e-8)
    # t(0.975; 2) = 4.3027
    reach = 4.302653 * deviation / 3**0.5
    assert work["self_high"] - work["self_mean"] == pytest.approx(reach, abs=1e-7)
    groups = report(together, "--ranks", "--region", "work", "--group", "run")["groups"]
    assert [group["name"] for group in groups] == ["run0", "run1", "run2"]
    assert {group["calls"] for group in groups} == {12}


def test_ranks_of_repeated_runs_are_the_same_ranks(merged):
    runs, together = merged
    answer = report(together, "--ranks", "--region", "work")
    calls = {group["name"]: group["calls"] for group in answer["groups"]}
    assert calls == {"rank 0": 3, "rank 1": 12, "rank 2": 21}
    alone = [report(run, "--ranks", "--region", "work")["groups"] for run in runs]
    for i, group in enumerate(answer["groups"]):
        total = sum(groups[i]["time"] for groups in alone)
        assert group["time"] == pytest.approx(total, abs=1e-7)


def sum_of(rows, column):
    return sum(row[column] for row in rows)


def test_merged_runs_have_one_base(merged):
    """What is in no region has its rows in all views of parts, whose sum is the base."""
    _, together = merged
    answer = report(together, "--flat", "--top", "0")
    base = answer["base"]
    assert base["threads"] == answer["threads"]
    assert sum_of(answer["regions"], "self") == pytest.approx(base["time"], rel=1e-6)
    for by in ("thread", "process", "rank", "run"):
        groups = report(together, "--ranks", "--group", by)["groups"]
        assert sum_of(groups, "time") == pytest.approx(base["time"], rel=1e-6)
    repeats = report(together, "--repeats", "--top", "0")["repeats"]
    assert 3 * sum_of(repeats, "self_mean") == pytest.approx(base["time"], rel=1e-6)
    uneven = report(together, "--imbalance", "--top", "0")["imbalance"]
    for row, name in ((repeats[-2:], "region"), (uneven[-2:], "name")):
        assert {each[name] for each in row} == set(REST)


THREADED = """
    import threading, time
    def late():
        time.sleep(0.4)
    threading.Thread(target=late).start()
    time.sleep(0.05)
"""


def test_a_merged_process_is_as_long_as_it_ran(tmp_path, python):
    """Not as its threads, of which none need be there all the time."""
    (tmp_path / "late.py").write_text(textwrap.dedent(THREADED))
    for name in ("a", "b"):
        settings = {"KYMO_OUTPUT_PATH": tmp_path / name}
        done = support.run_kymo_python(python, ["-q", "late.py"], cwd=tmp_path, env=settings)
        assert done.returncode == 0, done.stderr
    runs = [tmp_path / "a", tmp_path / "b"]
    done = support.run_kymo(["merge", *runs, "-o", tmp_path / "all"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert seconds_of(tmp_path / "all") == pytest.approx(sum(map(seconds_of, runs)), rel=0.001)


def seconds_of(run):
    """How long its processes were there, in sum: the cost is a share of it."""
    measuring = report(run, "--flat")["measuring"]
    return 100 * (measuring["calls"] + measuring["startup"]) / measuring["percent"]

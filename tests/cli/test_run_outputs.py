"""What `kymo run` leaves: whose folder it writes to, in which formats, and of which ranks."""

import concurrent.futures
import subprocess

import pytest
import run_support
import support


def test_fork_writes_the_outputs(teller, tmp_path):
    result = run_support.run(["--fork", "--", teller, "exit", 3], tmp_path)
    assert result.returncode == 3
    assert (tmp_path / "out" / "wall_clock.txt").exists()
    assert (tmp_path / "out" / "metadata.json").exists()


def test_inside_a_run_it_joins(teller, tmp_path):
    inner = [support.KYMO, "run", "-T", "--", teller, "exit", 5]
    result = run_support.run(["--", "sh", "-c", '"$@"; exit $?', "sh", *inner], tmp_path)
    assert result.returncode == 5
    programs = {path.name.rsplit("-", 1)[0] for path in support.find_recordings(tmp_path)}
    assert {"sh", "teller"} <= programs
    assert len(list(tmp_path.rglob("metadata.json"))) == 1


@pytest.mark.parametrize("shell", ["exec", ""])
def test_inside_a_run_with_its_own_output(teller, tmp_path, shell):
    """Both runs are finished, also where one process begins both."""
    inner = [support.KYMO, "run", "-o", "own", "--", teller, "exit", 5]
    script = f'{shell} "$@"; exit $?'
    result = run_support.run(["--", "sh", "-c", script, "sh", *inner], tmp_path)
    assert result.returncode == 5
    assert [path.name.rsplit("-", 1)[0] for path in support.find_recordings(tmp_path / "own")] == [
        "teller"
    ]
    for folder in ("out", "own"):
        assert len(list((tmp_path / folder).rglob("metadata.json"))) == 1


def test_launcher(teller, tmp_path):
    """The launcher is not recorded, what it starts joins one run."""
    words = ["-l", "telle[r]$", "-T", "--", "sh", "-c", '"$@"; "$@"', "sh", teller, "exit", 4]
    result = run_support.run(words, tmp_path)
    assert result.returncode == 4
    recordings = support.find_recordings(tmp_path / "out")
    assert [path.name.rsplit("-", 1)[0] for path in recordings] == ["teller", "teller"]
    assert (tmp_path / "out" / "perfetto-trace.proto").exists()


def test_folder_of_a_live_run_is_refused(teller, tmp_path):
    environment = support.clean_environment(
        tmp_path, {"KYMO_QUIET": "ON", "KYMO_TIME_OUTPUT": "OFF", "KYMO_OUTPUT_PATH": "out"}
    )
    live = subprocess.Popen(
        [support.KYMO, "run", teller, "count", "10"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert live.stdout.readline() == "ready\n"
    before = sorted((tmp_path / "out").iterdir())
    for env in ({}, {"KYMO_RUN_DIR": tmp_path / "out"}):
        result = run_support.run(["--", teller, "exit", 0], tmp_path, env)
        assert result.returncode == 1
        assert f"another run is writing into '{tmp_path}/out' (process {live.pid})" in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert sorted((tmp_path / "out").iterdir()) == before
    live.communicate(timeout=support.TIMEOUT_S)
    result = run_support.run(["--", teller, "exit", 0], tmp_path)
    assert result.returncode == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--output-format", "text"], {"txt"}),
        (["--output-format", "json"], {"json"}),
        (["--output-format", "proto"], {"proto"}),
        (["--output-format", "proto,txt"], {"proto", "txt"}),
        (["--profile-format", "json"], {"json"}),
        (["--profile-format", "text"], {"txt"}),
        (["-T", "--profile-format", "console"], {"proto"}),
        (["--mode", "trace"], {"proto"}),
        (["--mode", "profile", "--trace-file", "x.proto"], {"txt", "json"}),
        (["-T", "--trace-file", "x.proto"], {"proto", "txt", "json"}),
    ],
)
def test_output_formats(teller, tmp_path, words, expected):
    """Exactly the outputs that were asked for."""
    result = run_support.run([*words, "--", teller, "exit", 0], tmp_path)
    assert result.returncode == 0
    described = {"metadata.json", "functions.json"}
    files = [path.name for path in (tmp_path / "out").iterdir() if path.suffix != ".kymo"]
    assert {name.rsplit(".", 1)[1] for name in files if name not in described} == expected
    assert ("WALL-CLOCK" in result.stdout) == ("console" in words)
    assert ("x.proto" in files) == ("x.proto" in words and "-T" in words)


def test_output_prefix(teller, tmp_path):
    run_support.run(["-o", "here", "my-", "--", teller, "exit", 0], tmp_path)
    assert (tmp_path / "here" / "my-wall_clock.txt").exists()


RANK = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}


RANK_CASES = [
    (["--rank-filter-output", "2"], RANK, True, True),
    (["--rank-filter-output", "0,1"], RANK, False, True),
    (["--rank-filter-output", "0", "1-3"], RANK, True, True),
    (["--rank-filter-output", "x,7-5,"], RANK, True, True),
    (["--rank-filter-output", "0"], {}, True, True),
    (["--rank-filter-output", "0"], {**RANK, "OMPI_COMM_WORLD_SIZE": "2"}, True, True),
    (["--rank-filter-logs", "0"], RANK, True, False),
    (
        ["--rank-filter-logs", "0", "--rank-filter-id", "MINE"],
        {**RANK, "MINE": "0"},
        True,
        True,
    ),
    (["--rank-filter-output", "5", "--rank-filter-id", "MY"], {"MY": "6"}, False, True),
]


@pytest.fixture(scope="module")
def ranks(teller, tmp_path_factory):
    """(folder, result) of each case, in their order.  A rank waits seconds for others of its job,
    which do not come: all wait together."""

    def run(case, folder):
        words, env, *_ = case
        line = [*words, "--", teller, "exit", 0]
        return folder, run_support.run(line, folder, {"KYMO_QUIET": "OFF", **env})

    folders = [tmp_path_factory.mktemp("rank") for _ in RANK_CASES]
    with concurrent.futures.ThreadPoolExecutor(len(RANK_CASES)) as pool:
        return list(pool.map(run, RANK_CASES, folders))


@pytest.mark.parametrize("number", range(len(RANK_CASES)))
def test_rank_filter(ranks, number):
    _, _, has_files, has_summary = RANK_CASES[number]
    folder, result = ranks[number]
    assert result.returncode == 0
    assert (folder / "out" / "metadata.json").exists() == has_files
    assert ("kymo report" in result.stderr) == has_summary
    assert len(support.find_recordings(folder / "out")) == 1

"""The end of a run: which files it leaves, and what it says on standard error."""

import re
from pathlib import Path

import pytest
import support

HERE = Path(__file__).resolve().parent


def run(folder, script="example.py", options=(), **settings):
    """Run a program of this folder; settings are names without prefix."""
    return support.run_kymo_python(
        support.interpreters()[-1],
        [*options, "--", HERE / script],
        cwd=folder,
        env={"PYTHONWARNINGS": "ignore", **{f"KYMO_{k}": v for k, v in settings.items()}},
    )


def files(folder):
    """Names of the outputs, process ids replaced."""
    return sorted(re.sub(r"-\d+(?=\.)", "-PID", path.name) for path in (folder / "out").iterdir())


METRIC_FILES = {
    f"{metric}.{extension}"
    for metric in ("wall_clock", "trip_count")
    for extension in ("txt", "json", "tree.json")
}
DESCRIPTIONS = {"metadata.json", "functions.json"}


def test_summary_has_the_top_the_cost_the_files_and_the_next_command(tmp_path):
    result = run(tmp_path)
    assert result.returncode == 0
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[1] == "example.py"
    assert re.fullmatch(r"  100 %      .* of 1 thread: .* in regions, .* outside any", lines[3])
    assert re.fullmatch(r"             recorded region, .* measuring", lines[4])
    assert re.fullmatch(r"  measuring  cost .* of the run \(calls .*, start-up .*\)", lines[6])
    assert re.fullmatch(r"             .* of it taken out of the times of calls", lines[7])
    assert re.fullmatch(r"             .* more of CPU time after it, for its outputs", lines[8])
    assert lines[9] == "  losses     none"
    names = {line.split("  ")[-2:][0] for line in lines[12:16]}
    assert names == {"fib", "run", "inefficient", "<module>"}
    assert [line.split("  ")[-1] for line in lines[16:18]] == [
        "[outside any recorded region]",
        "[measuring]",
    ]
    assert lines[-2:] == ["  next       kymo view out", "             kymo report out"]
    assert all(name in result.stderr for name in METRIC_FILES | DESCRIPTIONS)
    assert all(len(line) <= 80 for line in lines)
    assert set(files(tmp_path)) == METRIC_FILES | DESCRIPTIONS | {"example-PID.kymo"}


@pytest.mark.parametrize("settings", [{"QUIET": "ON"}, {"SUMMARY": "OFF"}, {"VERBOSE": "-1"}])
def test_summary_can_be_silenced(tmp_path, settings):
    result = run(tmp_path, **settings)
    assert (result.stdout, result.stderr) == ("", "")
    assert set(files(tmp_path)) >= METRIC_FILES


def test_files_are_announced_when_verbose(tmp_path):
    result = run(tmp_path, VERBOSE="1")
    announced = re.findall(
        r"^\[kymo\]\[\d+\]\[(\w+)\]> Outputting '(.*)'\.\.\.$", result.stderr, re.MULTILINE
    )
    assert {Path(path).name for _, path in announced} == METRIC_FILES | DESCRIPTIONS
    assert all(Path(path).name.startswith(kind) for kind, path in announced)


@pytest.mark.parametrize(
    "setting, missing",
    [
        ("TEXT_OUTPUT", {"wall_clock.txt", "trip_count.txt"}),
        ("JSON_OUTPUT", {"wall_clock.json", "trip_count.json"}),
        ("TREE_OUTPUT", {"wall_clock.tree.json", "trip_count.tree.json"}),
        ("FILE_OUTPUT", METRIC_FILES | DESCRIPTIONS),
        ("FINISH", METRIC_FILES | DESCRIPTIONS),
    ],
)
def test_files_can_be_left_out(tmp_path, setting, missing):
    run(tmp_path, **{setting: "OFF"})
    everything = METRIC_FILES | DESCRIPTIONS | {"example-PID.kymo"}
    assert set(files(tmp_path)) == everything - missing


def test_metrics_are_those_asked_for(tmp_path):
    run(
        tmp_path,
        TIMEMORY_COMPONENTS="trip_count cpu_util",
        TEXT_OUTPUT="ON",
        JSON_OUTPUT="OFF",
        TREE_OUTPUT="OFF",
    )
    assert {"trip_count.txt", "cpu_util.txt"} <= set(files(tmp_path))
    assert "wall_clock.txt" not in files(tmp_path)


def test_tables_on_standard_output(tmp_path):
    result = run(tmp_path, COUT_OUTPUT="ON", TIMEMORY_COMPONENTS="trip_count", QUIET="ON")
    assert result.stdout == (tmp_path / "out" / "trip_count.txt").read_text()


def test_names_with_prefix_and_pid(tmp_path):
    run(tmp_path, USE_PID="ON", OUTPUT_PREFIX="deep/%tag%-", TIMEMORY_COMPONENTS="trip_count")
    names = sorted(path.name for path in (tmp_path / "out" / "deep").iterdir())
    assert any(re.fullmatch(r"example.*-trip_count-\d+\.txt", name) for name in names), names


def test_each_process_has_its_tables_with_pid(tmp_path):
    run(tmp_path, script="processes.py", USE_PID="ON", TIMEMORY_COMPONENTS="trip_count")
    tables = list((tmp_path / "out").glob("trip_count-*.txt"))
    assert len(tables) == 2
    assert sum("|_child " in table.read_text() for table in tables) == 1
    assert all("|0|0>>>" not in table.read_text() for table in tables)


def test_merged_processes_and_threads(tmp_path):
    run(tmp_path, script="processes.py", COLLAPSE_PROCESSES="ON", COLLAPSE_THREADS="ON")
    table = (tmp_path / "out" / "trip_count.txt").read_text()
    assert re.search(r"^\| >>> +\|_worker +\| +2 \|", table, re.MULTILINE)
    assert re.search(r"^\| >>> +\|_child +\| +1 \|", table, re.MULTILINE)


def test_trace_is_exported(tmp_path):
    run(tmp_path, options=["-T"], QUIET="ON")
    assert (tmp_path / "out" / "perfetto-trace.proto").stat().st_size > 21893


def test_finish_of_a_killed_run(tmp_path):
    """What a killed process recorded is there, and said to be unfinished."""
    program = tmp_path / "killed.py"
    program.write_text(
        "import os, signal\n"
        "def work():\n    pass\n"
        "def main():\n"
        "    for _ in range(1000):\n        work()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "main()\n"
    )
    result = run(tmp_path, script=program, FINISH="OFF")
    assert result.returncode == -9
    assert files(tmp_path) == ["killed-PID.kymo"]
    result = support.run_kymo(["finish", "out"], cwd=tmp_path)
    assert result.returncode == 0
    assert "recording not closed" in result.stderr
    table = (tmp_path / "out" / "trip_count.txt").read_text()
    assert re.search(r"^\| \|0>>> <module> \* +\| +1 \|", table, re.MULTILINE)
    assert re.search(r"^\| \|0>>> \|_main \* +\| +1 \|", table, re.MULTILINE)
    assert re.search(r"^\| \|0>>>   \|_work +\| +1000 \|", table, re.MULTILINE)
    assert "* open when the recording ended" in table


def test_output_that_cannot_be_written_does_not_stop_the_rest(tmp_path):
    run(tmp_path, QUIET="ON", FINISH="OFF")
    (tmp_path / "out" / "wall_clock.txt").mkdir()
    result = support.run_kymo(["finish", "out"], cwd=tmp_path)
    assert result.returncode == 1
    assert re.fullmatch(r"kymo: cannot write '.*/wall_clock.txt': Is a directory\n", result.stderr)
    assert "trip_count.txt" in files(tmp_path)

"""Settings of rocprofiler-systems and Omnitrace that say what is recorded and how it is shown."""

import json
import subprocess

import lifecycle_runs
import pytest
import support

pytestmark = pytest.mark.alike_versions

PROGRAM = """
import threading

import kymo


def leaf(number):
    return number


def top():
    for number in range(3):
        leaf(number)


with kymo.region("mine"):
    top()
thread = threading.Thread(target=top)
thread.start()
thread.join()
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def labels(path):
    """[(label behind the thread's number, COUNT)] of a boxed table."""
    found = []
    for line in path.read_text().splitlines():
        if ">>> " in line:
            label, count = line.split(">>> ", 1)[1].split(" | ")[:2]
            found.append((label.strip().removeprefix("|_"), int(count)))
    return found


def run_kymo(arguments, folder, **environment):
    """The status is the program's, which waits_locks.c counts with."""
    settings = {"KYMO_TIME_OUTPUT": "OFF", **environment}
    return support.run_kymo(arguments, cwd=folder, env=settings)


def record(python, script, folder, **environment):
    result = support.run_kymo_python(python, ["-o", "run", script], cwd=folder, env=environment)
    assert result.returncode == 0, result.stderr
    return folder / "run"


def test_a_row_for_each_call(python, script, tmp_path):
    run = record(
        python,
        script,
        tmp_path,
        OMNITRACE_TIMELINE_PROFILE="ON",
        OMNITRACE_USE_PERFETTO="OFF",
        OMNITRACE_TIMEMORY_COMPONENTS="wall_clock,trip_count,peak_rss",
    )
    for metric in ("wall_clock", "trip_count"):
        found = labels(run / f"{metric}.txt")
        mine = found.index(("mine", 1))
        assert found[mine + 1 : mine + 5] == [("top", 1), *[("leaf", 1)] * 3]
        assert found.count(("leaf", 1)) == 6
    assert ("leaf", 3) in labels(run / "peak_rss.txt")
    assert not (run / "perfetto-trace.proto").exists()
    flat = json.loads((run / "wall_clock.json").read_text())
    graph = flat["timemory"]["wall_clock"]["ranks"][0]["graph"]
    assert sum("leaf" in entry["prefix"] for entry in graph) == 6


def test_native_calls_have_a_row_each(tmp_path):
    source = tmp_path / "calls.c"
    source.write_text(
        "volatile int sum;\n"
        "__attribute__((noinline)) void leaf(int n) { while (n--) sum += n; }\n"
        "__attribute__((noinline)) void top(int n) { leaf(n); leaf(n + 1); sum++; }\n"
        "int main(void) { top(100); top(200); return 0; }\n"
    )
    subprocess.run(["cc", "-O1", "-o", tmp_path / "calls", source], check=True)
    run_kymo(
        ["instrument", "--output-path=run", "--timeline-profile=ON", "--", "./calls"], tmp_path
    )
    found = labels(tmp_path / "run" / "wall_clock.txt")
    assert found.count(("leaf", 1)) == 4
    assert found.count(("top", 1)) == 2


def outputs(run):
    return {path.name for path in run.iterdir() if path.suffix == ".txt"}


@pytest.mark.parametrize("prefix", ["KYMO", "ROCPROFSYS", "OMNITRACE"])
def test_mode_sampling_of_a_program(prefix, tmp_path):
    program = lifecycle_runs.compile("sampled_shares.c")
    result = run_kymo(
        ["run", "-o", "run", "--", program, "shares"], tmp_path, **{f"{prefix}_MODE": "sampling"}
    )
    assert "samples" in result.stderr and "machine" in result.stderr
    assert "sampling_percent.txt" in outputs(tmp_path / "run")
    assert "wall_clock.txt" not in outputs(tmp_path / "run")


def test_mode_sampling_of_a_script(python, tmp_path):
    script = tmp_path / "busy.py"
    script.write_text(
        "import sys, time\n"
        "def busy():\n"
        "    end = time.process_time() + 0.3\n"
        "    while time.process_time() < end:\n"
        "        sum(range(1000))\n"
        "busy()\n"
        "print(sys.argv[1:])\n"
    )
    result = support.run_kymo_python(
        python,
        ["-o", "run", script, "--its", "own"],
        cwd=tmp_path,
        env={"OMNITRACE_MODE": "sampling"},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "['--its', 'own']\n"
    assert "busy" in (tmp_path / "run" / "sampling_percent.txt").read_text()
    assert "wall_clock.txt" not in outputs(tmp_path / "run")


def test_samples_beside_calls_of_a_script(python, script, tmp_path):
    run = record(python, script, tmp_path, OMNITRACE_USE_SAMPLING="ON")
    assert {"sampling_percent.txt", "wall_clock.txt"} <= outputs(run)


def test_mode_trace(python, script, tmp_path):
    run = record(python, script, tmp_path, ROCPROFSYS_MODE="trace")
    assert (run / "perfetto-trace.proto").exists()
    assert "wall_clock.txt" not in outputs(run)


def test_modes_of_others_are_said_to_be_none(python, script, tmp_path):
    result = support.run_kymo_python(
        python, ["-o", "run", script], cwd=tmp_path, env={"ROCPROFSYS_MODE": "coverage"}
    )
    assert "kymo: KYMO_MODE=coverage has no effect: there is no such mode" in result.stderr
    assert "wall_clock.txt" in outputs(tmp_path / "run")


@pytest.mark.parametrize(
    ("environment", "kept", "left_out"),
    [
        ({"OMNITRACE_DISABLE_CATEGORIES": "python"}, {"mine"}, {"leaf", "top"}),
        ({"OMNITRACE_DISABLE_CATEGORIES": "user"}, {"leaf", "top"}, {"mine"}),
        ({"ROCPROFSYS_ENABLE_CATEGORIES": "user,mpi"}, {"mine"}, {"leaf", "top"}),
        ({"KYMO_ENABLE_CATEGORIES": "host python"}, {"leaf", "top"}, {"mine"}),
    ],
)
def test_categories_of_calls(environment, kept, left_out, python, script, tmp_path):
    run = record(python, script, tmp_path, **environment)
    found = {label for label, _ in labels(run / "trip_count.txt")}
    assert kept <= found
    assert not left_out & found


def test_category_of_waits(tmp_path):
    program = lifecycle_runs.compile("waits_locks.c")
    for disabled, expected in [("", True), ("pthread", False)]:
        run = tmp_path / f"run-{disabled}"
        run_kymo(
            ["run", "-o", run, "--locks=all", "--", program, "contended"],
            tmp_path,
            OMNITRACE_DISABLE_CATEGORIES=disabled,
        )
        names = support.region_calls(run)
        assert any("pthread_mutex_lock" in name for name in names) is expected, names


def series_names(run, folder):
    result = run_kymo(["report", run, "--series", "--format", "json"], folder)
    return {row["name"] for row in json.loads(result.stdout)["series"]}


def test_categories_of_series(tmp_path):
    program = lifecycle_runs.compile("sampled_shares.c")
    chosen = {
        "all": {},
        "without": {"ROCPROFSYS_DISABLE_CATEGORIES": "process_page_fault"},
        "alone": {"ROCPROFSYS_ENABLE_CATEGORIES": "process_page_fault"},
    }
    found = {}
    for name, environment in chosen.items():
        run_kymo(["run", "-H", "-o", name, "--", program, "shares"], tmp_path, **environment)
        found[name] = series_names(tmp_path / name, tmp_path)
    faults = {name for name in found["all"] if "Page Faults" in name and "CPU" in name}
    assert faults and found["alone"] == faults
    assert not faults & found["without"]
    assert "CPU Memory Usage (S)" in found["without"]


def test_category_of_samples(tmp_path):
    program = lifecycle_runs.compile("sampled_shares.c")
    run_kymo(
        ["run", "-S", "-P", "-o", "run", "--", program, "shares"],
        tmp_path,
        OMNITRACE_DISABLE_CATEGORIES="sampling",
    )
    assert "sampling_percent.txt" not in outputs(tmp_path / "run")
    assert "wall_clock.txt" in outputs(tmp_path / "run")


@pytest.mark.parametrize(
    ("setting", "call"),
    [
        ("TRACE_THREAD_LOCKS", "pthread_mutex_lock"),
        ("TRACE_THREAD_RW_LOCKS", "pthread_rwlock_rdlock"),
        ("TRACE_THREAD_SPIN_LOCKS", "pthread_spin_lock"),
    ],
)
def test_all_calls_of_locks_as_the_other_tool_records_them(setting, call, tmp_path):
    program = lifecycle_runs.compile("waits_locks.c")
    for prefix, expected in [("OMNITRACE", True), ("KYMO", False)]:
        run = tmp_path / prefix
        run_kymo(
            ["run", "-o", run, "--", program, "uncontended"],
            tmp_path,
            **{f"{prefix}_{setting}": "ON"},
        )
        assert any(call in name for name in support.region_calls(run)) is expected

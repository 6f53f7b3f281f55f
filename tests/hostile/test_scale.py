"""No limit on threads, depth or paths; where Kymo must give up something it says so."""

import collector_runs
import hostile_support as hostile
import pytest
import support

PROGRAM = support.program("large_numbers.py")
DEPTH = 100_000


def run(python, tmp_path, *args, **env):
    bare = hostile.run_bare(python, [PROGRAM, *args], tmp_path)
    profiled = hostile.run(python, [PROGRAM, *args], tmp_path, env)
    hostile.assert_undisturbed(bare, profiled)
    return bare, profiled


def header(tmp_path):
    ((only,),) = hostile.processes(tmp_path / "out").values()
    return only


@pytest.mark.newest_version
@pytest.mark.slow
def test_five_thousand_threads(python, tmp_path):
    run(python, tmp_path, "threads", 5000)
    assert hostile.calls(tmp_path / "out")["leaf"] == 5000
    recording = hostile.read(header(tmp_path).path)
    numbers = [thread.number for thread in recording.threads.values()]
    assert sorted(numbers) == list(range(5001))


@pytest.mark.alike_versions
def test_five_hundred_threads_at_once(python, tmp_path):
    run(python, tmp_path, "threads_at_once", 500)
    calls = hostile.calls(tmp_path / "out")
    assert calls["leaf"] == calls["wait_then_leaf"] == 500


def deep_kind(python):
    return "depth" if python.number >= (3, 11) else "depth_in_thread"


def test_a_hundred_thousand_frames(python, tmp_path):
    """As deep as the bare interpreter goes; what is not recorded is counted."""
    bare, _ = run(python, tmp_path, deep_kind(python), DEPTH)
    assert bare.returncode == 0 and str(DEPTH) in bare.stdout
    calls = hostile.calls(tmp_path / "out")["down"]
    is_frame = (3, 11, 4) <= python.release < (3, 12)
    if is_frame:
        # Frame evaluation uses the C stack again: it steps aside before that ends.
        assert header(tmp_path).stack_aside_count == 1 and 1000 < calls < DEPTH
    else:
        assert calls == DEPTH + 1
    losses = str(hostile.report(tmp_path / "out")["losses"])
    assert ("too deep for frame evaluation" in losses) == is_frame
    assert ("folded" in losses) != is_frame


@pytest.mark.alike_versions("3.11")
@pytest.mark.parametrize(
    "instrumenter", ["frame", "dispatch", "monitoring", "cProfile", "cTrace", "trace"]
)
def test_deep_recursion_under_every_instrumenter(python, tmp_path, instrumenter):
    if not collector_runs.is_of(python, instrumenter):
        instrumenter = "profile"
    env = {"KYMO_PYTHON_INSTRUMENTER": instrumenter}
    bare, _ = run(python, tmp_path, deep_kind(python), 30_000, **env)
    assert bare.returncode == 0
    assert hostile.calls(tmp_path / "out")["down"] > 1000


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "json"])
def test_outputs_grow_with_the_depth_not_its_square(newest_python, tmp_path, form):
    """A row is indented by its depth up to a limit; the column says what the depth is."""
    support.run_kymo_python(
        newest_python,
        [PROGRAM, deep_kind(newest_python), 4000],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": "out", "KYMO_MAX_WIDTH": "0"},
    )
    command = ["report", "out", "--metric", "wall_clock", "--format", form]
    shown = support.run_kymo(command, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    lines = [line for line in shown.stdout.splitlines() if "_down" in line or "..." in line]
    assert len(lines) == 4001
    assert max(map(len, lines)) < 1600
    if form == "csv":
        rows = [line.split(",") for line in lines]
        shallow = [(row[0].index("|_"), int(row[2])) for row in rows if int(row[2]) <= 500]
        assert len({at - 2 * depth for at, depth in shallow}) == 1
        assert max(int(row[2]) for row in rows) > 4000
    if form == "text":
        (table,) = (tmp_path / "out").rglob("wall_clock.txt")
        assert table.stat().st_size < 4100 * 1600


def count(tree, name):
    return sum(node.count for path, node in tree.items() if path and path[-1] == name)


def test_depth_limit_folds(python, tmp_path):
    """Below the limit every call is counted once, in one flat node per function."""
    run(python, tmp_path, "paths", 10, KYMO_MAX_DEPTH="6")
    recording = hostile.read(header(tmp_path).path)
    tree = hostile.trees(recording)[0]
    calls = hostile.calls(tmp_path / "out")
    assert calls["a"] == count(tree, "a") and calls["b"] == count(tree, "b")
    assert calls["a"] + calls["b"] == 2**11 - 1
    assert max(len(path) for path in tree) == 7
    assert "folded" in str(hostile.report(tmp_path / "out")["losses"])


def test_folded_time_is_not_counted_twice(python, tmp_path):
    run(python, tmp_path, "paths", 10, KYMO_MAX_DEPTH="4")
    rows = hostile.report(tmp_path / "out", "--top", "0")["regions"]
    (whole,) = [row["total"] for row in rows if row["name"] == "paths"]
    own = sum(row["self"] for row in rows if row["name"] in ("a", "b", "paths"))
    assert own == pytest.approx(whole, rel=1e-6)


def test_path_limit(python, tmp_path):
    run(python, tmp_path, "paths", 10, KYMO_MAX_CALLPATHS="100")
    recording = hostile.read(header(tmp_path).path)
    assert len(hostile.trees(recording)[0]) <= 102
    assert "could not be recorded" in str(hostile.report(tmp_path / "out")["losses"])


@pytest.mark.slow
def test_a_million_paths_in_bounded_memory(newest_python, tmp_path):
    """64 bytes a path in the recording, at most 48 in private memory (docs/overhead.md)."""
    done = hostile.run(newest_python, [PROGRAM, "paths", 19], tmp_path, wrapper=support.PEAK)
    assert done.returncode == 0, done.stderr
    recording = header(tmp_path).path
    assert sum(hostile.calls(tmp_path / "out").values()) >= 2**20 - 1
    assert recording.stat().st_size < (2**20) * 64 * 1.05
    assert int(done.stdout.split()[-1]) < 700 << 10  # KiB

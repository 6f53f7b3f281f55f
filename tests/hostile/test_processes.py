"""Every process leaves its recording in the one run directory, with its parent; nothing
hangs, nothing is disturbed."""

import re

import hostile_support as hostile
import pytest
import support

pytestmark = pytest.mark.newest_version

PROGRAM = support.program("process_kinds.py")
FORKED = 4  # header flags
ROOT = 8
TIMEOUT_S = 60


def run_kind(python, cwd, kind, env=None):
    """Run one kind of processes bare and under Kymo; the lines that its processes told and
    their recordings."""
    (cwd / "bare").mkdir()
    python = hostile.Quiet(python)
    bare = hostile.run_bare(python, [PROGRAM, kind], cwd / "bare", timeout=TIMEOUT_S)
    profiled = hostile.run(python, [PROGRAM, kind], cwd, env=env, timeout=TIMEOUT_S)
    assert profiled.stderr == bare.stderr == ""
    assert profiled.returncode == bare.returncode
    told = parse(profiled.stdout)
    assert sorted(each[2] for each in told) == sorted(each[2] for each in parse(bare.stdout))
    return told, hostile.processes(cwd / "out")


def parse(text):
    """[(process, parent, kind)] of the lines told."""
    lines = [re.fullmatch(r"(\d+) (\d+) (\w+)", line) for line in text.splitlines()]
    return [(int(line[1]), int(line[2]), line[3]) for line in lines]


def count_work(recording):
    return sum(
        node.count
        for tree in hostile.trees(recording).values()
        for path, node in tree.items()
        if path[-1:] == ("work",)
    )


def check_recorded(told, recordings):
    """Who told of its work has a recording with that work and with its parent."""
    (root,) = [each for each in told if each[2] == "root"]
    for process, parent, _kind in told:
        works = [one for one in told if one[0] == process]
        found = [hostile.read(header.path) for header in recordings[process]]
        assert sum(count_work(each) for each in found) >= len(works)
        for header in recordings[process]:
            is_root = process == root[0]
            assert bool(header.flags & ROOT) == is_root
            if not is_root:
                assert header.parent_pid == parent
            assert header.run_id == recordings[root[0]][0].run_id


def check_forked(told, recordings, kinds):
    """These began in a fork of a recorded process, and name its recording."""
    for process, parent, kind in told:
        if kind in kinds:
            (header,) = recordings[process]
            assert header.flags & FORKED
            assert header.parent_start_ns == recordings[parent][0].start_realtime_ns


@pytest.mark.parametrize(
    "kind",
    ["fork", "fork_exit", "fork_nested", "fork_in_thread", "fork_beside_threads"],
)
def test_fork(python, tmp_path, kind):
    told, recordings = run_kind(python, tmp_path, kind, {"KYMO_TRACE": "ON"})
    check_recorded(told, recordings)
    check_forked(told, recordings, {"fork", "first", "second"})
    assert len(recordings) == len({each[0] for each in told})
    for process, _parent, kind in told:
        if kind in ("fork", "first", "second"):
            check_inherited_path(recordings[process][0].path)


def check_inherited_path(path):
    """The child stands where its parent stood, but counts only what it did itself."""
    recording = hostile.read(path)
    (tree,) = hostile.trees(recording).values()
    inherited = [node for path, node in tree.items() if node.is_inherited]
    assert inherited and all(node.count == 0 for node in inherited)
    assert all(thread.resynced == 0 for thread in recording.threads.values())
    (work,) = [path for path in tree if path[-1:] == ("work",)]
    assert tree[work].count == 1 and tree[(*work, "leaf")].count == 10


def test_fork_exit_status(python, tmp_path):
    """A child that exits in order closes its recording and knows its status."""
    told, recordings = run_kind(python, tmp_path, "fork_exit")
    (process,) = [each[0] for each in told if each[2] == "fork"]
    (header,) = recordings[process]
    assert header.state == 2 and header.exit_status == 6


def test_fork_silent(python, tmp_path):
    """A child that leaves at once: at most what the interpreter does after a fork."""
    told, recordings = run_kind(python, tmp_path, "fork_silent")
    check_recorded(told, recordings)
    for process in set(recordings) - {each[0] for each in told}:
        assert count_work(hostile.read(recordings[process][0].path)) == 0


def test_fork_before_events(python, tmp_path):
    """Three generations, the middle one without work of its own."""
    told, recordings = run_kind(python, tmp_path, "fork_before_events")
    (child,) = [each[0] for each in told if each[2] == "fork"]
    assert recordings[child][0].parent_pid in recordings
    check_inherited_path(recordings[child][0].path)


def test_fork_whose_thread_returns(python, tmp_path):
    """Such a child goes on to the end of the interpreter; it must not end its parent's
    thread in the recording."""
    (tmp_path / "bare").mkdir()
    python, args = hostile.Quiet(python), [PROGRAM, "fork_thread_returns"]
    bare = hostile.run_bare(python, args, tmp_path / "bare", timeout=TIMEOUT_S)
    profiled = hostile.run(python, args, tmp_path, timeout=TIMEOUT_S)
    assert profiled.returncode == bare.returncode
    assert sorted(each[2] for each in parse(profiled.stdout)) == sorted(
        each[2] for each in parse(bare.stdout)
    )
    recordings = hostile.processes(tmp_path / "out")
    assert len(recordings) == 2


def test_fork_and_exec(python, tmp_path):
    told, recordings = run_kind(python, tmp_path, "fork_exec")
    check_recorded(told, recordings)


def test_fork_and_exec_python(python, tmp_path):
    told, recordings = run_kind(python, tmp_path, "fork_exec_python")
    (child,) = [each[0] for each in told if each[2] == "child"]
    last = max(recordings[child], key=lambda header: header.start_ticks)
    assert last.state == 2 and count_work(hostile.read(last.path)) == 1
    # What the forked child had recorded before is no killed process.
    assert all(header.state == 3 for header in recordings[child] if header is not last)


def test_exec(python, tmp_path):
    """Two programs in one process, one after the other: two recordings."""
    (tmp_path / "bare").mkdir()
    bare = hostile.run_bare(python, [PROGRAM, "exec_python"], tmp_path / "bare")
    profiled = hostile.run(python, [PROGRAM, "exec_python"], tmp_path)
    assert profiled.returncode == bare.returncode == 7
    assert profiled.stderr == ""
    told = parse(profiled.stdout)
    assert [each[2] for each in told] == ["before", "child"] and told[0][0] == told[1][0]
    recordings = hostile.processes(tmp_path / "out")
    (first, second) = sorted(recordings[told[0][0]], key=lambda header: header.start_ticks)
    assert len(recordings) == 1
    assert (first.state, second.state) == (3, 2)  # replaced, closed
    assert [count_work(hostile.read(each.path)) for each in (first, second)] == [1, 1]


def outputs(directory):
    """Names of the files in a run directory besides the recordings."""
    return {path.name for path in (directory / "out").iterdir() if path.suffix != ".kymo"}


def test_exec_is_finished(python, tmp_path):
    """The program that took the root's place writes the outputs of the run."""
    plain = hostile.run(python, [PROGRAM, "child"], tmp_path, {"KYMO_FINISH": "ON"})
    names = outputs(tmp_path)
    assert plain.returncode == 7 and len(names) > 1
    directory = tmp_path / "exec"
    directory.mkdir()
    profiled = hostile.run(python, [PROGRAM, "exec_python"], directory, {"KYMO_FINISH": "ON"})
    assert profiled.returncode == 7
    assert outputs(directory) == names
    assert "killed" not in profiled.stderr


def test_child_processes(python, tmp_path):
    told, recordings = run_kind(python, tmp_path, "child_process")
    children = [each for each in told if each[2] == "child"]
    assert len(children) == 5
    for process, _, _ in children:
        *before, last = sorted(recordings[process], key=lambda header: header.start_ticks)
        assert last.state == 2 and count_work(hostile.read(last.path)) == 1
        assert all(header.state == 3 for header in before)  # between fork and exec


def test_children_that_cannot_join(python, tmp_path):
    told, recordings = run_kind(python, tmp_path, "child_isolated")
    assert len(recordings) == 1 and len(told) == 5


@pytest.mark.parametrize("kind", ["process_fork", "process_forkserver", "process_spawn"])
def test_multiprocessing_process(python, tmp_path, kind):
    told, recordings = run_kind(python, tmp_path, kind)
    check_recorded(told, recordings)


@pytest.mark.parametrize("kind", ["pool_fork", "pool_forkserver", "pool_spawn"])
def test_multiprocessing_pool(python, tmp_path, kind):
    told, recordings = run_kind(python, tmp_path, kind)
    check_recorded(told, recordings)
    assert sum(each[2] == "pool" for each in told) == 6


@pytest.mark.parametrize("kind", ["executor_processes", "executor_threads"])
def test_executors(python, tmp_path, kind):
    told, recordings = run_kind(python, tmp_path, kind)
    check_recorded(told, recordings)
    assert sum(each[2] == "pool" for each in told) == 6


def test_terminated(python, tmp_path):
    told, recordings = run_kind(python, tmp_path, "terminated")
    (process,) = [each[0] for each in told if each[2] == "process"]
    (header,) = recordings[process]
    assert header.state == 1
    assert any(
        node.is_open
        for tree in hostile.trees(hostile.read(header.path)).values()
        for path, node in tree.items()
        if path
    )

"""Processes and programs that a native program begins: each a recording in the one run."""

import shutil
from collections import Counter

import lifecycle_runs
import pytest
import support

FORKS = ["fork_return", "fork_leave", "fork_abort", "fork_in_thread"]
BARE_FORKS = ["bare_fork", "system_call_fork", "cloned"]
REPLACING = [
    "replace",
    "replace_listed",
    "replace_listed_environment",
    "replace_open",
    "replace_at",
    "replace_with_threads",
    "unset",
    "clear",
]
STARTING = {
    "vfork_run": "vfork_leave",
    "vfork_cleared": "environment",
    "spawned": "vfork_leave",
    "spawned_cleared": "environment",
    "spawned_preload": "environment",
}


def program(kind, *rest):
    return [lifecycle_runs.compile("lifecycle_processes.c"), kind, *rest]


def run(tmp_path, *words, status=5):
    bare, found = lifecycle_runs.run_both(words, tmp_path)
    assert bare.returncode == status
    return found


@pytest.mark.parametrize("kind", FORKS)
def test_fork(tmp_path, kind):
    parent, child = run(tmp_path, *program(kind))
    assert child.header.parent_pid == parent.header.pid
    assert child.header.flags & 4
    assert child.header.state == lifecycle_runs.CLOSED
    assert child.header.exit_status in (3, 128 + 6)
    assert child.header.start_realtime_ns > parent.header.start_realtime_ns
    inherited = "start_thread" if kind == "fork_in_thread" else "lifecycle_processes"
    assert lifecycle_runs.paths(child) == {inherited: 0}


@pytest.mark.parametrize("kind", BARE_FORKS)
def test_fork_without_handlers(tmp_path, kind):
    """The child never writes into the recording of its parent."""
    parent, child = run(tmp_path, *program(kind))
    assert child.header.parent_pid == parent.header.pid
    assert child.header.state == lifecycle_runs.CLOSED and child.header.exit_status == 3
    assert lifecycle_runs.paths(parent) == {"lifecycle_processes": 1}
    created = "lifecycle_processes/pthread_create"
    assert lifecycle_runs.paths(child) == {"lifecycle_processes": 0, created: 1, "start_thread": 1}


def test_nested(tmp_path):
    first, second, third = run(tmp_path, *program("fork_nested"))
    assert second.header.parent_pid == first.header.pid
    assert third.header.parent_pid == second.header.pid


def test_storm(tmp_path):
    found = run(tmp_path, *program("fork_storm"))
    assert lifecycle_runs.states(found) == {lifecycle_runs.CLOSED: 25}
    (root,) = [each for each in found if not each.header.flags & 4]
    parents = Counter(recording.header.parent_pid for recording in found)
    assert parents[root.header.pid] == 24


@pytest.mark.parametrize("kind", ["vfork_leave", "vfork_fail"])
def test_vfork(tmp_path, kind):
    """A child that shares its parent's memory leaves its recording alone."""
    (parent,) = run(tmp_path, *program(kind))
    assert parent.header.state == lifecycle_runs.CLOSED and parent.header.exit_status == 5


@pytest.mark.parametrize("kind", STARTING)
def test_start(tmp_path, kind):
    parent, child = run(tmp_path, *program(kind, *program(STARTING[kind])))
    assert child.header.parent_pid == parent.header.pid
    assert child.header.state == lifecycle_runs.CLOSED and child.header.exit_status == 5
    assert lifecycle_runs.paths(child) == {"lifecycle_processes": 1}
    assert lifecycle_runs.losses(tmp_path) == []


@pytest.mark.parametrize("kind", REPLACING)
def test_replace(tmp_path, kind):
    before, after = run(tmp_path, *program(kind, *program("fork_return")))[:2]
    assert before.header.pid == after.header.pid
    assert before.header.state == lifecycle_runs.REPLACED and before.header.end_ticks
    assert after.header.state == lifecycle_runs.CLOSED
    report = support.run_kymo(["report", tmp_path / "out", "--processes"], cwd=tmp_path)
    assert "losses     none" in report.stdout


def test_exec_fails(tmp_path):
    (recording,) = run(tmp_path, *program("fail_and_go_on"))
    assert recording.header.state == lifecycle_runs.CLOSED
    assert lifecycle_runs.paths(recording)["start_thread"] == 100


def test_exec_loop(tmp_path):
    found = run(tmp_path, *program("loop", "", "30"))
    assert lifecycle_runs.states(found) == {lifecycle_runs.REPLACED: 30, lifecycle_runs.CLOSED: 1}
    assert len({recording.header.pid for recording in found}) == 1
    assert [bool(recording.header.flags & 8) for recording in found] == [True] + [False] * 30


def test_search_and_shell(tmp_path):
    found = run(tmp_path, *program("spawned_search"))
    assert [lifecycle_runs.program_of(each) for each in found] == ["lifecycle_processes", "true"]


def test_system_and_popen(tmp_path):
    found = run(tmp_path, *program("by_shell"))
    programs = Counter(lifecycle_runs.program_of(each) for each in found)
    assert programs == {"lifecycle_processes": 1, "sh": 2}


@pytest.mark.parametrize("kind", ["spawned_cleared", "spawned_preload", "clear"])
def test_environment_is_what_was_given(tmp_path, kind):
    """test_start and test_replace compare what the program sees; here it starts another."""
    found = run(tmp_path, *program(kind, *program("spawned_search")))
    assert [lifecycle_runs.program_of(each) for each in found][-1] == "true"
    assert lifecycle_runs.states(found)[lifecycle_runs.OPEN] == 0


SHELL = """
ls / | sort | head -1
for i in 1 2 3; do (exit $i); echo $?; done
env -i /bin/echo cleared
exec /bin/sh -c 'exit 7'
"""


def test_shell(tmp_path):
    found = run(tmp_path, "sh", "-c", SHELL, status=7)
    programs = Counter(lifecycle_runs.program_of(each) for each in found)
    assert programs["echo"] == programs["ls"] == programs["sort"] == 1
    assert lifecycle_runs.states(found)[lifecycle_runs.OPEN] == 0


def test_finished_by_the_last_program(tmp_path):
    """exec keeps the process, so its last program writes the outputs."""
    words = ["sh", "-c", "exec sh -c 'exec true'"]
    result = lifecycle_runs.run(words, tmp_path, "-q", env={"KYMO_FINISH": "ON"})
    assert result.returncode == 0
    assert (tmp_path / "out" / "functions.json").exists()


@pytest.mark.parametrize(
    ("flags", "compiler", "reason"),
    [
        (("-m32",), "cc", "is a 32-bit program"),
        ((), "musl-gcc", "uses another C library (musl)"),
        (("-static",), "cc", "is statically linked"),
    ],
    ids=["32-bit", "musl", "static"],
)
@pytest.mark.parametrize("kind", ["vfork_run", "spawned", "replace"])
def test_left_out(tmp_path, flags, compiler, reason, kind):
    """Its output and status are its own, and its absence is noted."""
    other = lifecycle_runs.compile("lifecycle_plain.c", *flags, compiler=compiler)
    found = run(tmp_path, *program(kind, other), status=3 if kind == "replace" else 5)
    assert len(found) == 1
    (loss,) = lifecycle_runs.losses(tmp_path)
    assert loss == f"'{other}' {reason}: it was not recorded"


def test_left_out_by_a_shell(tmp_path):
    """A shell forks by itself; each such program is noted once."""
    other = lifecycle_runs.compile("lifecycle_plain.c", "-static")
    run(tmp_path, "sh", "-c", f"{other}; {other}; exit 5")
    assert lifecycle_runs.losses(tmp_path)


def test_tools_of_the_c_library_are_no_loss(tmp_path):
    """ldconfig is linked statically everywhere, and ctypes starts it to find libraries."""
    other = lifecycle_runs.compile("lifecycle_plain.c", "-static")
    tool = tmp_path / "sbin" / "ldconfig"
    tool.parent.mkdir()
    shutil.copy(other, tool)
    run(tmp_path, *program("spawned", tool))
    assert lifecycle_runs.losses(tmp_path) == []


def test_script_of_another_kind(tmp_path):
    other = lifecycle_runs.compile("lifecycle_plain.c", compiler="musl-gcc")
    script = tmp_path / "script"
    script.write_text(f"#!{other}\n")
    script.chmod(0o755)
    run(tmp_path, *program("spawned", script))
    (loss,) = lifecycle_runs.losses(tmp_path)
    assert "(musl)" in loss


def test_preloaded_without_the_command(tmp_path):
    """LD_PRELOAD alone makes a run, and what the program starts joins it."""
    environment = {
        "LD_PRELOAD": support.BUILD / "lib" / "libkymo-lifecycle.so",
        "KYMO_OUTPUT_PATH": tmp_path / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "KYMO_FINISH": "OFF",
    }
    result = support.run(program("spawned_search"), cwd=tmp_path, env=environment)
    assert result.returncode == 5 and result.stderr == ""
    first, second = lifecycle_runs.recordings(tmp_path)
    assert second.header.parent_pid == first.header.pid
    assert (first.header.flags & 8, second.header.flags & 8) == (8, 0)


def test_no_traces_in_the_process(tmp_path):
    """Descriptors, signals, children and threads are those of the bare program."""
    files = "ls /proc/self/fd | grep -v ^64"
    script = f"{files}; grep -E 'Threads|Sig(Blk|Ign|Cgt)' /proc/self/status; umask"
    run(tmp_path, "sh", "-c", script, status=0)


def test_several_threads_fork_at_once(tmp_path):
    """Each has the recording's lock from before its fork until after it."""
    program = lifecycle_runs.compile("forks_of_threads.c")
    _, recordings = lifecycle_runs.run_both([program], tmp_path)
    assert len(recordings) >= 1

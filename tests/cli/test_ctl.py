"""kymo ctl: a running program that is switched off and on from outside."""

import json
import os
import shutil
import signal
import subprocess

import commanded
import pytest
import support
from commanded import Program, seconds, visits

BOTH = ("--profile", "--trace")


def ctl(program_or_path, *words, **options):
    path = getattr(program_or_path, "directory", program_or_path)
    options.setdefault("cwd", path if os.path.isdir(path) else "/")
    return support.run_kymo(["ctl", path, *words], **options)


def done(program, *words):
    result = ctl(program, *words)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def states(program):
    shown = json.loads(done(program, "status", "--json"))
    return [(each["state"], each["causes"]) for each in shown["processes"]]


def refused(result, status, words):
    assert result.returncode == status
    assert result.stderr.startswith("kymo: ") and result.stderr.count("\n") == 1
    assert words in result.stderr
    assert result.stdout == ""


def test_stop_and_start(tmp_path):
    with Program(tmp_path, *BOTH) as program:
        program("visit before 1", "begin outer", "spin 0.01")
        assert states(program) == [("recording", [])]
        assert done(program, "stop") == "stopped 1 process\n"
        assert states(program) == [("stopped", ["control"])]
        program("spin 0.3", "visit stopped 2", "begin inner", "end inner", "end outer")
        assert done(program, "start") == "started 1 process\n"
        program("visit after 3")
        (recording,) = program.end()
        assert visits(recording, "before") == visits(recording, "outer") == 1
        assert visits(recording, "stopped") + visits(recording, "inner") == 0
        assert visits(recording, "after") == 3
        assert 0.01 < seconds(recording, "outer") < recording["end_ns"] * 1e-9 - 0.3
        assert recording["threads"][0]["resynced"] == 0


def test_twice_and_unseen(tmp_path):
    """The program makes no event between any of it; what was open is closed all the same."""
    with Program(tmp_path, *BOTH) as program:
        program("begin outer")
        for word in ("start", "stop", "stop", "start", "start", "stop", "start"):
            done(program, word)
        program("spin 0.1", "visit work 1", "end outer")
        (recording,) = program.end()
        assert visits(recording, "outer") == visits(recording, "work") == 1
        assert seconds(recording, "outer") < recording["end_ns"] * 1e-9 - 0.1
        assert recording["threads"][0]["resynced"] == 0


def test_program_keeps_its_own_stop(tmp_path):
    with Program(tmp_path) as program:
        program("stop")
        done(program, "stop")
        assert states(program) == [("stopped", ["control", "program"])]
        done(program, "start")
        assert states(program) == [("stopped", ["program"])]
        program("visit stopped 1", "start", "visit after 1")
        assert states(program) == [("recording", [])]
        (recording,) = program.end()
        assert (visits(recording, "stopped"), visits(recording, "after")) == (0, 1)


def test_processes_that_join(tmp_path):
    """They find the run stopped, by fork and by exec, until it is started again."""
    with Program(tmp_path) as program:
        done(program, "stop")
        program("fork child 1")
        program.tell("exec")
        program("visit stopped 1")
        assert done(program, "start") == "started 1 process\n"
        program("visit after 1", "fork child 2")
        recordings = program.end()
        assert sum(visits(each, "child") for each in recordings) == 2
        assert sum(visits(each, "stopped") for each in recordings) == 0
        assert sum(visits(each, "after") for each in recordings) == 1


def test_killed_while_stopped(tmp_path):
    with Program(tmp_path, *BOTH) as program:
        program("thread waiting", "begin outer", "spin 0.01")
        done(program, "stop")
        program("spin 0.3", "thread late")
        (recording,) = program.kill()
        assert not recording["is_closed"]
        for name in ("outer", "waiting", "start_thread"):
            assert 0 < seconds(recording, name) < recording["end_ns"] * 1e-9 - 0.25


def test_ended_while_stopped(tmp_path):
    with Program(tmp_path, *BOTH) as program:
        program("thread waiting", "begin outer")
        done(program, "stop")
        program("spin 0.3", "join")
        (recording,) = program.end()
        for name in ("outer", "waiting", "start_thread", "commanded"):
            assert 0 < seconds(recording, name) < recording["end_ns"] * 1e-9 - 0.25
        assert recording["threads"][0]["resynced"] == 0


def test_program_that_cannot_answer(tmp_path):
    """Stopped by a signal, without descriptors, in another root: nothing is asked of it."""
    with Program(tmp_path) as program:
        program("closeall")
        if os.geteuid() == 0:
            program(f"chroot {tmp_path}")
        os.kill(program.pid, signal.SIGSTOP)
        try:
            done(program, "stop")
            assert states(program) == [("stopped", ["control"])]
            done(program, "flush")
        finally:
            os.kill(program.pid, signal.SIGCONT)
        program("visit stopped 1")
        done(program, "start")
        program("visit after 1")
        (recording,) = program.end()
        assert (visits(recording, "stopped"), visits(recording, "after")) == (0, 1)


def test_record_path(tmp_path):
    """The recording lies elsewhere while the program runs."""
    local = tmp_path / "local"
    local.mkdir()
    with Program(tmp_path, env={"KYMO_RECORD_PATH": local}) as program:
        program("visit before 1")
        done(program, "stop")
        program("visit stopped 1")
        assert done(program, "flush") == "flushed 1 recording\n"
        (recording,) = program.end()
        assert (visits(recording, "before"), visits(recording, "stopped")) == (1, 0)


def test_folder_above_and_single_recording(tmp_path):
    with Program(tmp_path, env={"KYMO_TIME_OUTPUT": "ON"}) as program:
        program("visit before 1")
        done(program, "stop")
        (path,) = program.directory.glob("*/*.kymo")
        assert ctl(path, "start").stdout == "started 1 process\n"
        assert (path.parent / "stopped").exists()
        assert states(program) == [("recording", [])]
        refused(ctl(path, "snapshot"), 2, "name a directory for the snapshot")


def test_snapshot(tmp_path):
    with Program(tmp_path, *BOTH, finish=True) as program:
        program("visit before 2", "begin outer", "spin 0.05", "thread waiting")
        result = ctl(program, "snapshot")
        assert result.returncode == 0
        path = program.directory / "snapshots" / "1"
        assert result.stdout == f"{path}\n"
        program("visit after 1", "snapshot by-itself")
        named = tmp_path / "named"
        assert done_quietly(program, "snapshot", named) == f"{named}\n"
        (first,) = commanded.recordings(path)
        assert (visits(first, "before"), visits(first, "after")) == (2, 0)
        assert seconds(first, "outer") >= 0.05 and not first["is_closed"]
        assert seconds(first, "commanded", 0) <= first["end_ns"] * 1e-9
        assert (path / "wall_clock.txt").exists() and (path / "perfetto-trace.proto").exists()
        (second,) = commanded.recordings(named)
        assert visits(second, "after") == 1
        (own,) = commanded.recordings(program.directory / "snapshots" / "by-itself")
        assert visits(own, "after") == 1
        assert states(program) == [("recording", [])]
        program("end outer", "join")
        (last,) = program.end()
        assert visits(last, "before") == 2 and last["is_closed"]


def done_quietly(program, *words):
    result = ctl(program, *words)
    assert result.returncode == 0
    return result.stdout


def test_snapshot_lasts_until_it_is_taken(tmp_path):
    with Program(tmp_path, *BOTH) as program:
        program("begin outer", "spin 0.2")
        done_quietly(program, "snapshot", tmp_path / "copy")
        (copy,) = commanded.recordings(tmp_path / "copy")
        assert seconds(copy, "outer") >= 0.2


def test_snapshot_where_there_is_something(tmp_path):
    with Program(tmp_path) as program:
        program("visit work 1")
        refused(ctl(program, "snapshot", tmp_path), 1, "cannot make the directory")
        assert not (program.directory / "snapshots").exists()


def test_status_of_all_states(tmp_path):
    with Program(tmp_path, "-w", "1000") as program:
        program("fork child 1")
        program.tell("exec")
        program("visit work 1")
        shown = json.loads(done(program, "status", "--json"))
        assert shown["living"] == 1
        assert sorted(each["state"] for each in shown["processes"]) == [
            "ended",
            "replaced",
            "stopped",
        ]
        text = done(program, "status")
        assert text.split()[:3] == ["PID", "PROGRAM", "STATE"]
        assert "outside of its windows" in text
        program.kill()
        assert sorted(state for state, _ in states(program)) == ["ended", "killed", "replaced"]


def test_ended_run(tmp_path):
    with Program(tmp_path) as program:
        program("visit work 1")
        program.end()
        for word in ("stop", "start", "flush", "snapshot"):
            refused(ctl(program, word), 1, "has ended; 'kymo report' shows it")
        assert states(program) == [("ended", [])]
        assert sorted(os.listdir(program.directory)) == sorted(
            path.name for path in program.directory.glob("*.kymo")
        )


def test_process_id_that_was_given_again(tmp_path):
    """A killed program's recording whose process id a younger process has now."""
    with Program(tmp_path) as program:
        program("visit work 1")
        program.kill()
        (path,) = program.directory.glob("*.kymo")
        data = bytearray(path.read_bytes())
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
            # The recording began well before this process did, which the kernel counts in
            # hundredths of seconds.
            pid, ticks_off = other.pid, 10**9
            for offset in (304 + 8, 304 + 16):
                value = int.from_bytes(data[offset : offset + 8], "little") - ticks_off
                data[offset : offset + 8] = value.to_bytes(8, "little")
            data[40:44] = pid.to_bytes(4, "little")
            path.write_bytes(data)
            assert states(program) == [("killed", [])]
            refused(ctl(program, "stop"), 1, "has ended")
            other.stdin.close()


def test_other_machine(tmp_path):
    with Program(tmp_path) as program:
        program("visit work 1")
        copy = tmp_path / "copy"
        copy.mkdir()
        (path,) = program.directory.glob("*.kymo")
        host = os.uname().nodename.encode() + b"\0"
        other = b"x" * (len(host) - 1) + b"\0"
        data = path.read_bytes()
        assert data.count(b"hostname\0" + host) == 1
        (copy / path.name).write_bytes(data.replace(b"hostname\0" + host, b"hostname\0" + other))
        refused(ctl(copy, "stop"), 1, f"control it on '{other[:-1].decode()}'")
        assert states(copy) == [("elsewhere", [])]


def test_no_run(tmp_path):
    refused(ctl(tmp_path / "nothing", "stop", cwd=tmp_path), 1, "No such file or directory")
    refused(ctl(tmp_path, "stop"), 1, "no recordings")
    (tmp_path / "text").write_text("no recording")
    refused(ctl(tmp_path / "text", "stop", cwd=tmp_path), 1, "is not a recording of kymo")


@pytest.mark.parametrize(
    "words, reason",
    [
        ([], "give the directory of a run and what to do"),
        (["run"], "give the directory of a run and what to do"),
        (["run", "halt"], "'halt' is not one of start, stop, flush, snapshot, status"),
        (["run", "stop", "dir"], "only snapshot takes a directory"),
        (["run", "stop", "--json"], "only status has a form as JSON"),
        (["run", "snapshot", "a", "b"], "give the directory"),
        (["run", "stop", "--fast"], "--fast"),
    ],
)
def test_usage(tmp_path, words, reason):
    refused(support.run_kymo(["ctl", *words], cwd=tmp_path), 2, reason)


def as_nobody(command, cwd):
    """Run a command as another user; the test is skipped where that cannot be done."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become another user")
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    return support.run([*prefix, *command], cwd=cwd)


@pytest.mark.parametrize("access", ["user", "all"])
def test_run_of_another_user(tmp_path, access):
    with Program(tmp_path, env={"KYMO_OUTPUT_ACCESS": access}) as program:
        program("visit work 1")
        binary = shutil.copy(support.KYMO, tmp_path / "kymo")
        for path in (tmp_path, *tmp_path.parents):
            if as_nobody(["test", "-x", path], "/").returncode:
                if path.stat().st_uid != os.geteuid() or path == tmp_path.parents[-1]:
                    pytest.skip("another user cannot come here")
                path.chmod(path.stat().st_mode | 0o055)
        for word in ("stop", "start"):
            result = as_nobody([binary, "ctl", program.directory, word], "/")
            refused(result, 1, "Permission denied")
        result = as_nobody([binary, "ctl", program.directory, "status"], "/")
        assert ("recording" in result.stdout) == (access == "all")
        assert states(program) == [("recording", [])]

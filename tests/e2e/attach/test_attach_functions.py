"""kymo attach --functions: a program that runs is instrumented, notices nothing, and is as it
was afterwards."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import attached_runs
import lifecycle_runs
import pytest
import support
from attached_runs import FINE, Target, attach, begin, calls, changed_text, wait_for_more_cpu
from cases import long_except

# Outputs are written at the end of some runs; here it is about what was recorded.
RECORDING_ALONE = {"KYMO_FINISH": "OFF"}
# Enough for a hundred thousand calls, each of which reports read one by one.
BRIEF = ("-d", "0.1")
BEFORE_S = 0.3  # of CPU time: longer than it is attached for
# A thread may be in the middle of something when counting begins and when it ends.
SLACK = 100

pytestmark = pytest.mark.skipif(
    not (support.BUILD / "lib" / "libkymo-functions.so").exists() or os.uname().machine != "x86_64",
    reason="functions are not instrumented by this build",
)


@pytest.fixture(scope="module")
def program():
    return lifecycle_runs.compile("attach_functions.cc", "-O2", compiler="g++")


def wait_for_calls(folder):
    """Until the recording, which goes on, has some."""
    deadline = time.monotonic() + support.TIMEOUT_S
    while "leaf" not in calls(folder):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def check_calls(found):
    assert found["leaf"] > 1000
    assert abs(found["leaf"] - 10 * found["ten_leaves"]) <= SLACK
    assert found["fib"] > found["ten_leaves"]
    assert found["throw_from"] > 0


def gone(pid):
    """The thread that kymo made is no longer there, and nobody traces the process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return "TracerPid:\t0\n" in status


@pytest.mark.parametrize("cost", ["counts", "coarse", "full"])
def test_a_running_program(program, tmp_path, cost):
    with Target(program) as target:
        result = attach(target, tmp_path, "--cost", cost, *BRIEF)
        assert result.returncode == 0, result.stderr
        assert "are instrumented" in result.stderr and "are restored" in result.stderr
        assert changed_text(target.pid) == 0
        assert gone(target.pid)
        assert target.end() == FINE
    check_calls(calls(tmp_path))


def report(folder, *options):
    result = support.run_kymo(["report", folder / "out", *options, "--format", "json"], cwd=folder)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("cost", long_except(["counts", "coarse", "full"], "counts", "full"))
def test_time_before_it_is_not_counted(program, tmp_path, cost):
    """Functions that are entered already are in the base from then on, as is what is in none: all
    rows come to the time of the threads since."""
    with Target(program) as target:
        attached_runs.wait_for_cpu(target.pid, BEFORE_S)  # in no recording
        begun = time.monotonic()
        result = attach(target, tmp_path, "--cost", cost, *BRIEF, env=RECORDING_ALONE)
        attached_s = time.monotonic() - begun
        assert result.returncode == 0, result.stderr
        assert target.end() == FINE
    flat = report(tmp_path, "--flat", "--top", "0")
    base = flat["base"]
    assert base["regions"] + base["outside"] + base["measuring"] == pytest.approx(base["time"])
    for view, rows in (("--flat", "regions"), ("--tree", "paths"), ("--by-module", "modules")):
        found = report(tmp_path, view, "--top", "0")[rows]
        assert sum(each["self"] for each in found) == pytest.approx(base["time"]), view
    threads = report(tmp_path, "--ranks", "--group", "thread")["groups"]
    assert sum(each["time"] for each in threads) == pytest.approx(base["time"])
    assert len(threads) == base["threads"] > 1
    for each in threads:
        assert 0 < each["time"] <= min(attached_s, flat["duration"] + 1e-6), each


@pytest.mark.parametrize("options", [(), ("-R", "^leaf$")], ids=["all", "chosen"])
def test_without_a_cache(program, tmp_path, options):
    nowhere = {"HOME": None, "XDG_CACHE_HOME": None}
    with Target(program) as target:
        result = attach(target, tmp_path, "-d", "0.3", *options, env=nowhere)
        assert result.returncode == 0, result.stderr
        assert changed_text(target.pid) == 0
        assert target.end() == FINE
    found = calls(tmp_path)
    assert found["leaf"] > 1000
    assert ("fib" in found) == (not options)


def test_loops(program, tmp_path):
    with Target(program) as target:
        result = attach(target, tmp_path, "-l", *BRIEF, env=RECORDING_ALONE)
        assert result.returncode == 0, result.stderr
        assert changed_text(target.pid) == 0
        assert target.end() == FINE
    found = calls(tmp_path)
    (loop,) = (name for name in found if name.startswith("fib, loop at line "))
    assert 100 < found[loop] <= found["fib"] + SLACK


def test_text_is_changed_meanwhile_and_a_signal_ends_it(program, tmp_path):
    with Target(program) as target:
        kymo = begin(target, tmp_path)
        assert changed_text(target.pid) > 0
        wait_for_more_cpu(target.pid, 0.2)
        kymo.send_signal(signal.SIGINT)
        _, error = kymo.communicate(timeout=support.TIMEOUT_S)
        assert kymo.returncode == 0, error
        assert changed_text(target.pid) == 0
        assert target.end() == FINE
    check_calls(calls(tmp_path))


def test_again_and_again(program, tmp_path):
    with Target(program) as target:
        opened = set()
        for number, cost in enumerate(("counts", "full", "counts")):
            folder = tmp_path / str(number)
            folder.mkdir()
            result = attach(target, folder, "--cost", cost, *BRIEF, env=RECORDING_ALONE)
            assert result.returncode == 0, result.stderr
            assert changed_text(target.pid) == 0
            check_calls(calls(folder))
            opened.add(len(os.listdir(f"/proc/{target.pid}/fd")))
        assert len(opened) == 1 and max(opened) < 12
        assert target.end() == FINE


def nice_values(pid):
    tasks = Path(f"/proc/{pid}/task").glob("*/stat")
    return {task.read_text().rpartition(")")[2].split()[16] for task in tasks}


def test_threads_keep_their_priority(program, tmp_path):
    """Who works while the process stands still may go first, but no thread stays so."""
    with Target(program) as target:
        before = nice_values(target.pid)
        kymo = begin(target, tmp_path, "--cost", "coarse")
        wait_for_calls(tmp_path)  # so is the thread there that moves the clock
        assert nice_values(target.pid) == before == nice_values(kymo.pid)
        kymo.send_signal(signal.SIGINT)
        kymo.communicate(timeout=support.TIMEOUT_S)
        assert nice_values(target.pid) == before
        assert target.end() == FINE


def test_the_benchmark_reads_what_is_said(program, tmp_path, monkeypatch):
    monkeypatch.setenv("KYMO_BUILD", str(support.BUILD))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(support.REPOSITORY / "bench")
    from suite.functions import functions_attach

    with Target(program) as target:
        begin_ms, end_ms, count = functions_attach.attach(target.pid, tmp_path)
        assert begin_ms > 0 and end_ms > 0 and count > 3
        assert target.end() == FINE


def test_selected_functions(program, tmp_path):
    with Target(program) as target:
        result = attach(target, tmp_path, "-R", "^leaf$", "-d", "0.3")
        assert result.returncode == 0, result.stderr
        assert target.end() == FINE
    found = calls(tmp_path)
    assert found["leaf"] > 1000 and "fib" not in found


@pytest.mark.parametrize("cost", long_except(["counts", "full"], "full"))
def test_all_libraries(program, tmp_path, cost):
    """Also the C library, by which the thread works that writes; exceptions pass."""
    with Target(program) as target:
        for number in range(2):
            folder = tmp_path / str(number)
            folder.mkdir()
            options = ("--module-include", ".*", "--cost", cost, *BRIEF)
            result = attach(target, folder, *options, env=RECORDING_ALONE)
            assert result.returncode == 0, result.stderr
            found = calls(folder)
            assert found["leaf"] > 1000
            assert any(count > 1000 for name, count in found.items() if "malloc" in name)
            assert any(name.startswith("__cxa_") for name in found)
        assert target.end() == FINE


def test_the_program_ends_first(program, tmp_path):
    with Target(program) as target:
        kymo = begin(target, tmp_path)
        wait_for_calls(tmp_path)
        assert target.end() == FINE
        _, error = kymo.communicate(timeout=support.TIMEOUT_S)
        assert kymo.returncode == 0, error
        assert "has ended" in error
    assert calls(tmp_path)["leaf"] > 0


def test_the_program_is_killed(program, tmp_path):
    with Target(program) as target:
        kymo = begin(target, tmp_path)
        wait_for_calls(tmp_path)
        target.process.kill()
        target.process.communicate()
        _, error = kymo.communicate(timeout=support.TIMEOUT_S)
        assert kymo.returncode == 0, error
    assert calls(tmp_path)["leaf"] > 0


def test_who_comes_after_a_kymo_that_was_killed(program, tmp_path):
    with Target(program) as target:
        kymo = begin(target, tmp_path)
        second = attach(target, tmp_path, "-d", "0.1")
        assert second.returncode == 1
        assert f"process {kymo.pid}" in second.stderr, second.stderr
        kymo.kill()
        kymo.communicate()
        assert changed_text(target.pid) > 0
        folder = tmp_path / "third"
        folder.mkdir()
        result = attach(target, folder, "-d", "0.2")
        assert result.returncode == 0, result.stderr
        assert changed_text(target.pid) == 0
        check_calls(calls(folder))
        assert target.end() == FINE


def test_a_python_program(tmp_path):
    """An interpreter that is stripped, with its own signal handling."""
    script = (
        "import sys, threading\n"
        "def work():\n"
        "    while not done: sum(len(str(i)) for i in range(500))\n"
        "done = []\n"
        "threads = [threading.Thread(target=work) for _ in range(2)]\n"
        "[each.start() for each in threads]\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "done.append(1)\n"
        "[each.join() for each in threads]\n"
        "print('fine')\n"
        "sys.exit(7)\n"
    )
    with Target("/usr/bin/python3", "-c", script) as target:
        result = attach(target, tmp_path, "-d", "0.3")
        assert result.returncode == 0, result.stderr
        assert changed_text(target.pid) == 0
        assert target.end() == FINE
    assert sum(calls(tmp_path).values()) > 1000


def refused(target, folder, *words):
    result = attach(target, folder, "-d", "1")
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1, result.stderr
    for word in words:
        assert word in result.stderr, result.stderr
    assert not (folder / "out").exists()


PLAIN = '#include <stdio.h>\nint main(void) { puts("ready"); fflush(stdout); return getchar(); }\n'


def build(folder, compiler, *options):
    (folder / "plain.c").write_text(PLAIN)
    subprocess.run([compiler, "-o", "plain", "plain.c", *options], cwd=folder, check=True)
    return folder / "plain"


def test_a_static_program_is_refused(tmp_path):
    with Target(build(tmp_path, "gcc", "-static")) as target:
        refused(target, tmp_path, "statically linked")


@pytest.mark.skipif(not shutil.which("musl-gcc"), reason="musl-gcc is missing")
def test_another_c_library_is_refused(tmp_path):
    with Target(build(tmp_path, "musl-gcc")) as target:
        refused(target, tmp_path, "musl")


def test_a_thread_sanitizer_is_refused(tmp_path):
    with Target(build(tmp_path, "gcc", "-fsanitize=thread")) as target:
        refused(target, tmp_path, "sanitizer")
        assert target.end()[1] == ord("\n")


def test_a_stopped_program_is_refused(tmp_path):
    with Target(build(tmp_path, "gcc")) as target:
        target.process.send_signal(signal.SIGSTOP)
        while " T " not in Path(f"/proc/{target.pid}/stat").read_text():
            time.sleep(0.001)
        refused(target, tmp_path, "stopped", "kill -CONT")
        target.process.send_signal(signal.SIGCONT)
        assert target.end()[1] == ord("\n")


def test_another_tracer_is_named(tmp_path):
    with Target(build(tmp_path, "gcc")) as target:
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.ptrace(0x4206, target.pid, None, None) == 0  # PTRACE_SEIZE
        refused(target, tmp_path, f"traced by process {os.getpid()}")


def test_nothing_that_is_selected(tmp_path):
    with Target(build(tmp_path, "gcc")) as target:
        result = attach(target, tmp_path, "-R", "^no_such_name$", "-d", "1")
        assert result.returncode == 1 and "no function" in result.stderr
        assert target.end()[1] == ord("\n")


@pytest.mark.parametrize(
    "options",
    [["--cost", "full"], ["-R", "x"], ["--functions", "--rate", "5"], ["--functions", "--dump"]],
)
def test_options_that_do_not_go_together(tmp_path, options):
    result = support.run_kymo(["attach", *options, os.getpid()], cwd=tmp_path)
    assert result.returncode == 2
    assert "--functions" in result.stderr

"""kymo attach while its target, or itself, begins, changes and ends."""

import os
import signal
import subprocess
import time
from pathlib import Path

import attach_runs
import pytest
import support
from attach_runs import Target, attach
from attached_runs import wait_for_more_cpu

ENDED = 2  # states of a recording
REPLACED = 3


class Attached:
    """kymo attach while it runs; it has begun to record when this is there."""

    def __init__(self, target, folder, *options):
        self.folder = Path(folder)
        self.process = subprocess.Popen(
            [str(support.KYMO), "attach", *options, str(target.pid)],
            cwd=str(folder),
            env=support.clean_environment(
                folder,
                {
                    "KYMO_OUTPUT_PATH": self.folder / "out",
                    "KYMO_TIME_OUTPUT": "OFF",
                    "KYMO_FINISH": "OFF",
                },
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr.readline().startswith("kymo: sampling process")
        self.wait_for(lambda found: any(each.samples for each in found))

    def recordings(self):
        return [attach_runs.load(path) for path in support.find_recordings(self.folder / "out")]

    def meets(self, condition):
        try:
            return condition(self.recordings())
        except IndexError:  # of a sample whose stack was written behind the reader's back
            return False

    def wait_for(self, condition):
        """Until what is recorded so far meets the condition."""
        deadline = time.monotonic() + support.TIMEOUT_S
        while not self.meets(condition):
            assert self.process.poll() is None, self.process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self, number=signal.SIGINT):
        """What it said, when it has ended with status 0."""
        if number:
            self.process.send_signal(number)
        _, said = self.process.communicate(timeout=support.TIMEOUT_S)
        assert self.process.returncode == 0, said
        return said


def functions_of(recording):
    return {name for sample in recording.samples for name in sample.functions}


def lives(python, **options):
    return Target(python.executable, script="attach_lives.py", **options)


def tell(target, word):
    target.process.stdin.write(word + "\n")
    target.process.stdin.flush()


def test_until_it_is_told_to_end(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        attached = Attached(target, tmp_path)
        said = attached.end()
        assert target.status("State").startswith(("R", "S"))
        assert target.end() == attach_runs.UNTOUCHED
    assert " samples in " in said
    (found,) = attached.recordings()
    assert found.state == ENDED and found.samples


def test_killed(newest_python, tmp_path):
    """What it has seen so far can be read; the target runs on."""
    with Target(newest_python.executable) as target:
        attached = Attached(target, tmp_path)
        attached.wait_for(lambda found: "hot" in functions_of(found[0]))
        attached.process.kill()
        attached.process.communicate()
        (found,) = attached.recordings()
        assert found.state == 1 and found.samples
        report = support.run_kymo(["report", "out"], cwd=tmp_path)
        assert report.returncode == 0 and "hot" in report.stdout
        assert target.end() == attach_runs.UNTOUCHED


@pytest.mark.parametrize("options", [("--native",), ("--blocking",)])
def test_killed_while_it_stops_threads(newest_python, tmp_path, options):
    """However often: none stays stopped, none stays traced."""
    with Target(newest_python.executable) as target:
        for i in range(4):
            folder = tmp_path / str(i)
            folder.mkdir()
            attached = Attached(target, folder, "-r", "5000", *options)
            attached.process.kill()
            attached.process.communicate()
            assert target.status("TracerPid") == "0"
            assert target.status("State").startswith(("R", "S"))
        assert target.end() == attach_runs.UNTOUCHED


def test_switched_off_and_on(newest_python, tmp_path):
    """By kymo ctl, as any other run."""
    with Target(newest_python.executable) as target:
        attached = Attached(target, tmp_path, "-r", "500")
        assert support.run_kymo(["ctl", "out", "stop"], cwd=tmp_path).returncode == 0
        stopped_ns = time.monotonic_ns()
        wait_for_more_cpu(target.pid, 0.3)
        started_ns = time.monotonic_ns()
        assert support.run_kymo(["ctl", "out", "start"], cwd=tmp_path).returncode == 0
        attached.wait_for(lambda found: found[0].samples[-1].ns > started_ns)
        attached.end()
    (found,) = attached.recordings()
    assert any(sample.ns < stopped_ns for sample in found.samples)
    # One look may have been under way.
    late = [each.thread for each in found.samples if stopped_ns < each.ns < started_ns]
    assert len(late) == len(set(late)), late
    assert all(sample.since_ns < started_ns - stopped_ns for sample in found.samples)


def test_target_ends(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        attached = Attached(target, tmp_path)
        assert target.end() == attach_runs.UNTOUCHED
        attached.end(number=None)
    (found,) = attached.recordings()
    assert found.state == ENDED and found.samples


def test_main_thread_ends_first(newest_python, tmp_path):
    """Its memory seems gone then; it is not another program for that, and the others go on."""
    code = (
        "import ctypes, os, sys, threading\n"
        "told = threading.Event()\n"
        "read = sys.stdin.readline\n"
        "work = lambda: (read(), told.set(), read(), os._exit(0))\n"
        "threading.Thread(target=work).start()\n"
        "told.wait()\n"
        "ctypes.CDLL(None).syscall(60, 0)\n"
    )
    with subprocess.Popen(
        [newest_python.executable, "-c", code], stdin=subprocess.PIPE, text=True
    ) as target:
        attached = Attached(target, tmp_path)
        target.stdin.write("end the main thread\n")
        target.stdin.flush()
        status = Path(f"/proc/{target.pid}/status")
        while "State:\tZ" not in status.read_text():
            time.sleep(0.01)
        ended = len(attached.recordings()[0].samples)
        attached.wait_for(lambda found: len(found[0].samples) > ended + 20)
        target.communicate("end\n")
        attached.end(number=None)
    (found,) = attached.recordings()
    assert found.state == ENDED and found.samples


def test_target_is_killed(newest_python, tmp_path):
    with Target(newest_python.executable) as target:
        attached = Attached(target, tmp_path)
        target.process.kill()
        attached.end(number=None)


def test_threads_come_and_go(newest_python, tmp_path):
    with lives(newest_python) as target:
        attached = Attached(target, tmp_path, "-r", "300")
        tell(target, "thread")
        assert target.process.stdout.readline() == "done\n"
        attached.wait_for(lambda found: any(each["end"] for each in found[0].threads.values()))
        attached.end()
    (found,) = attached.recordings()
    (number,) = [number for number, each in found.threads.items() if each["end"]]
    names = {name for each in found.samples if each.thread == number for name in each.functions}
    assert "brief" in names
    assert found.threads[0]["end"] == 0


def test_exec(python, tmp_path):
    """The program that takes its place gets a recording of its own."""
    with lives(python) as target:
        attached = Attached(target, tmp_path)
        tell(target, "exec")
        assert target.process.stdout.readline() == "ready\n"
        attached.wait_for(lambda found: any("after_exec" in functions_of(each) for each in found))
        attached.end()
        tell(target, "exit")
        assert target.end()[1] == 7
    before, after = sorted(attached.recordings(), key=lambda each: each.samples[0].ns)
    assert (before.state, after.state) == (REPLACED, ENDED)
    assert "before_exec" in functions_of(before) and "after_exec" not in functions_of(before)
    assert "after_exec" in functions_of(after) and "before_exec" not in functions_of(after)


def test_exec_of_another_program(newest_python, tmp_path):
    with lives(newest_python) as target:
        attached = Attached(target, tmp_path)
        tell(target, "other")
        said = attached.end(number=None)
    assert "replaced by another" in said and "no Python" in said
    (found,) = attached.recordings()
    assert found.state == REPLACED


def test_fork_and_children(newest_python, tmp_path):
    """A forked child is a process of its own, if it is asked for."""
    with lives(newest_python) as target:
        for name in ("alone", "family"):
            (tmp_path / name).mkdir()
        alone = Attached(target, tmp_path / "alone")
        family = Attached(target, tmp_path / "family", "--children")
        tell(target, "fork")
        assert target.process.stdout.readline() == "done\n"
        family.wait_for(lambda found: any("forked" in functions_of(each) for each in found))
        family.end()
        alone.end()
        child = max(each.pid for each in family.recordings())
        os.kill(child, signal.SIGKILL)
    assert len(alone.recordings()) == 1
    parent, forked = sorted(family.recordings(), key=lambda each: each.pid != target.pid)
    assert parent.pid == target.pid and "forked" not in functions_of(parent)
    assert "forked" in functions_of(forked) and len(forked.threads) == 1


def test_children_that_are_started(newest_python, tmp_path):
    with Target(newest_python.executable, "child") as target:
        attached = Attached(target, tmp_path, "--children")
        attached.wait_for(lambda found: sum("work" in functions_of(each) for each in found) == 2)
        attached.end()
        assert target.end() == attach_runs.UNTOUCHED


def test_children_of_another_program(newest_python, tmp_path):
    """A parent that is no Python: its children are recorded, those too that come later."""
    work = f"{newest_python.executable} {support.program('attach_work.py')} <&3 &"
    script = f"exec 3<&0; {work} until [ -e go ]; do sleep 0.02; done; {work} wait"
    with subprocess.Popen(
        ["sh", "-c", script],
        cwd=str(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as shell:
        assert shell.stdout.readline() == "ready\n"
        alone = attach(shell, tmp_path / "alone", "-d", "0.1")
        assert alone.returncode == 0 and "--children looks for Python below it" in alone.stderr
        attached = Attached(shell, tmp_path, "--children")
        attached.wait_for(lambda found: sum("work" in functions_of(each) for each in found) == 1)
        (tmp_path / "go").touch()
        attached.wait_for(lambda found: sum("work" in functions_of(each) for each in found) == 2)
        attached.end()
        shell.stdin.close()
    assert shell.pid not in {each.pid for each in attached.recordings()}


def test_while_it_starts(python, tmp_path):
    """From the first moment on: it waits for the interpreter to begin."""
    code = "total = 0\nwhile True: total += sum(range(100))"
    process = subprocess.Popen([python.executable, "-c", code])
    try:
        result = attach(process.pid, tmp_path, "-d", "0.2", "-r", "200", env={"KYMO_FINISH": "OFF"})
        assert result.returncode == 0, result.stderr
    finally:
        process.kill()
        process.wait()
    (path,) = support.find_recordings(tmp_path / "out")
    assert attach_runs.load(path).samples


def test_once_it_is_finalised(newest_python, tmp_path):
    """Python has ended, the process has not: one line, or the end of the process."""
    code = (
        "import ctypes, time\n"
        "libc = ctypes.CDLL(None)\n"
        "print('ready', flush=True)\n"
        "pause = ctypes.CFUNCTYPE(None)(('pause', libc))\n"
        "ctypes.pythonapi.Py_AtExit(pause)\n"
    )
    process = subprocess.Popen([newest_python.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        deadline = time.monotonic() + support.TIMEOUT_S
        while True:
            result = attach(process.pid, tmp_path, "-d", "0.05")
            # While Python ends there may be nothing left to sample.
            is_between = result.returncode == 0 or "no sample was taken" in result.stderr
            if not is_between or time.monotonic() > deadline:
                break
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.splitlines()[-1] == f"kymo: Python in process {process.pid} has ended"
    finally:
        process.kill()
        process.wait()

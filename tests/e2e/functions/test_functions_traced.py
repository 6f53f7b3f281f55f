"""Programs with time windows that somebody else traces: nobody can stop their threads then, so
that jumps stay as they are, in the text or out of it.  They go on, and the windows hold."""

import ctypes
import os
import time
from pathlib import Path

import lifecycle_runs
import pytest
import support
from attached_runs import FINE, Target, changed_text
from functions_runs import KYMO, OFF, ON, Recording

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
SHUT_S, OPEN_S = 0.7, 0.2

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="text is taken out on x86-64 alone"
)


@pytest.fixture(scope="module")
def program():
    return lifecycle_runs.compile("attach_scenes.c", "-O2", "-ldl")


def target(folder, *command):
    environment = support.clean_environment(
        folder,
        {
            "KYMO_TRACE_PERIODS": f"{SHUT_S}:{OPEN_S}:0",
            "KYMO_OUTPUT_PATH": folder / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_FINISH": "OFF",
        },
    )
    return Target(KYMO, "run", "-q", "--functions=full", "--", *command, env=environment)


def process_of(pid, program):
    """The process below pid, or itself, that runs program."""
    if os.readlink(f"/proc/{pid}/exe") == str(program):
        return pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return next((found for child in children if (found := process_of(int(child), program))), 0)


def events(folder, pid):
    (path,) = (folder / "out").rglob(f"attach_scenes-{pid}.kymo")
    return list(Recording(path).events().values())


def has_calls(folder, pid):
    return any(event.kind not in (OFF, ON) for each in events(folder, pid) for event in each)


def wait_until(holds):
    deadline = time.monotonic() + support.TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def edges(folder, pid):
    return [e for each in events(folder, pid) for e in each if e.kind in (OFF, ON)]


def check_windows(folder, pid):
    """Nothing was recorded while they were shut, which is most of the time."""
    (thread,) = events(folder, pid)
    marks = [event for event in thread if event.kind in (OFF, ON)]
    assert [mark.kind for mark in marks] == [OFF, ON] * (len(marks) // 2)
    times = [mark.ticks for mark in marks]
    shut = [on - off for off, on in zip(times[::2], times[1::2])]
    was_open = [off - on for on, off in zip(times[1::2], times[2::2])]
    assert was_open and max(was_open) < min(shut)
    for off, on in zip(times[::2], times[1::2]):
        assert not [e for e in thread if e.kind not in (OFF, ON) and off < e.ticks < on]


def test_traced_from_the_start(program, tmp_path):
    strace = ["strace", "-f", "-e", "trace=none", "-o", "/dev/null"]
    with target(tmp_path, *strace, program, "alone") as started:
        pid = process_of(started.pid, program)
        assert changed_text(pid) > 0
        wait_until(lambda: has_calls(tmp_path, pid) and len(edges(tmp_path, pid)) >= 4)
        assert changed_text(pid) > 0
        assert started.end() == FINE
    check_windows(tmp_path, pid)


def let_go(libc, pid):
    assert libc.ptrace(INTERRUPT, pid, None, None) == 0
    assert os.waitpid(pid, 0x40000000)[0] == pid  # __WALL
    assert libc.ptrace(DETACH, pid, None, None) == 0


def seize_between_windows(libc, pid):
    """From here on nobody else can put the jumps back."""
    while True:
        wait_until(lambda: changed_text(pid) == 0)
        if libc.ptrace(SEIZE, pid, None, None) == 0:
            if changed_text(pid) == 0:
                return
            let_go(libc, pid)


def test_traced_while_the_text_is_as_it_was(program, tmp_path):
    libc = ctypes.CDLL(None, use_errno=True)
    with target(tmp_path, program, "alone") as started:
        pid = process_of(started.pid, program)
        seize_between_windows(libc, pid)
        before = len(edges(tmp_path, pid))
        time.sleep(2 * (SHUT_S + OPEN_S))  # windows, of which nothing can be recorded
        was_out = changed_text(pid) == 0
        let_go(libc, pid)
        assert was_out
        wait_until(lambda: changed_text(pid) > 0)
        wait_until(lambda: len(edges(tmp_path, pid)) > before)
        assert started.end() == FINE

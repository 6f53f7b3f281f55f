"""How long a run was that is killed: known in every kind of recording, also in one long call."""

import concurrent.futures
import dataclasses
import os
import signal
import subprocess
import time

import functions_support as functions
import hostile_support as hostile
import native_support as native
import pytest
import support
from cases import long_except

# Two beats of who keeps the time, where it did not see the end itself.
RESOLUTION_S = 2.0
KILLED_AFTER_S = 2.0


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    options: tuple  # of the command; None: a Python program
    env: dict

    def __str__(self):
        return self.name


KINDS = [
    Kind("python", None, {}),
    Kind("python-trace", None, {"KYMO_TRACE": "ON", "KYMO_PROFILE": "OFF"}),
    Kind("run", ("run",), {}),
    Kind("sample", ("sample",), {}),
    Kind("counts", ("instrument", "--cost", "counts"), {}),
    Kind("coarse", ("instrument", "--cost", "coarse"), {}),
    Kind("full", ("instrument", "--cost", "full"), {}),
]


def command(kind, manner):
    if kind.options is None:
        # The newest one: the way of the time does not depend on the interpreter.
        python = support.interpreters()[-1]
        return hostile.command(python, [support.program("killed_length.py"), manner])
    program = native.compile("killed_length.c")
    return [support.KYMO, *kind.options, "-q", "--", program, manner]


def environment(kind, cwd):
    own = {"PYTHONPATH": support.PACKAGE_DIR, "KYMO_FINISH": "ON", "KYMO_QUIET": "ON"}
    return native.environment(cwd, {**own, **functions.environment(kind.env)})


def is_finished(cwd):
    """Who keeps the time writes the outputs when the program is killed, and that is after it."""
    native.wait_until((cwd / "out" / "metadata.json").exists, "nobody has seen to the end")


def kill(kind, manner, cwd, number):
    """The least and the most that the run can have taken."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in command(kind, manner)],
        env=environment(kind, cwd),
        cwd=str(cwd),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    ready = time.monotonic()
    time.sleep(KILLED_AFTER_S)
    process.send_signal(number)
    killed = time.monotonic()
    process.communicate()
    most = time.monotonic() - begun
    assert process.returncode == -number
    is_finished(cwd)
    return killed - ready, most


def check_length(out, least, most):
    report = hostile.report(out)
    # The resolution is for a machine on which nobody gets to run; mostly it is a millisecond.
    assert least - RESOLUTION_S <= report["duration"] <= most + 0.1
    assert report["duration"] > KILLED_AFTER_S / 2
    return report


@pytest.fixture(scope="module")
def waited(tmp_path_factory):
    """{kind: (folder, least, most)} of programs that only wait, which they do beside each other."""
    native.compile("killed_length.c")
    folders = [tmp_path_factory.mktemp(str(kind)) for kind in KINDS]

    def run(kind, folder):
        return (folder, *kill(kind, "waits", folder, signal.SIGKILL))

    with concurrent.futures.ThreadPoolExecutor(len(KINDS)) as pool:
        return dict(zip([kind.name for kind in KINDS], pool.map(run, KINDS, folders)))


@pytest.mark.parametrize("manner", long_except(["calls", "waits"], "waits"))
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_length_is_known(kind, manner, tmp_path, waited):
    if manner == "waits":
        folder, least, most = waited[kind.name]
    else:
        folder = tmp_path
        least, most = kill(kind, manner, folder, signal.SIGKILL)
    report = check_length(folder / "out", least, most)
    for row in report.get("regions", []):
        assert row["self_percent"] <= 100
        assert row["total"] <= report["duration"] * 1.001
    # Counts know of calls when they end: there it is the program's own time.
    if kind.name in ("python", "python-trace", "coarse", "full") and manner == "waits":
        rest = [row for row in report["regions"] if row["name"] == "rest"]
        assert sum(row["total"] for row in rest) > KILLED_AFTER_S / 2


def test_terminated_is_known(tmp_path):
    least, most = kill(KINDS[4], "waits", tmp_path, signal.SIGTERM)
    check_length(tmp_path / "out", least, most)


def test_children_are_known(tmp_path):
    """Each process of a run has its own length."""
    begun = time.monotonic()
    program = native.compile("killed_length.c")
    process = subprocess.Popen(
        [support.KYMO, "instrument", "--cost", "full", "-q", "--", program, "forks"],
        env=environment(KINDS[-1], tmp_path),
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    child = int(process.stdout.readline())
    time.sleep(KILLED_AFTER_S)
    os.kill(child, signal.SIGKILL)
    most = time.monotonic() - begun
    process.wait()
    process.stdout.close()
    is_finished(tmp_path)
    (header,) = hostile.processes(tmp_path / "out")[child]
    recording = hostile.read(header.path)
    length = recording.clock.since_start(recording.end) / 1e9
    assert KILLED_AFTER_S / 2 < length <= most + 0.1


def test_kymo_that_waits_keeps_it(tmp_path):
    """With --fork it is the command itself that does."""
    kind = Kind("fork", ("run", "--fork"), {})
    begun = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in command(kind, "waits")],
        env=environment(kind, tmp_path),
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    ready = time.monotonic()
    # A beat, which is the first look, and what two cores that are busy need.
    time.sleep(2 * KILLED_AFTER_S)
    (recording,) = support.find_recordings(tmp_path)
    os.kill(hostile.read(recording).header.pid, signal.SIGKILL)
    killed = time.monotonic()
    process.communicate()
    most = time.monotonic() - begun
    check_length(tmp_path / "out", killed - ready, most)

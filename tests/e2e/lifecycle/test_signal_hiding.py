"""Nothing of sampling's signals is seen by a program: calls wait as long as they should and end
only by the program's own signals, masks and actions are what the program has made them."""

import collections
import subprocess

import hiding_runs
import pytest

WAITS, MASKS, TRANSFERS = "hiding_waits.c", "hiding_masks.c", "hiding_transfers.c"


def check(source, kind, tmp_path, **more):
    return hiding_runs.check([hiding_runs.compile(source), kind], tmp_path, **more)


def test_the_storm_is_one(tmp_path):
    """Without signal hiding the signals are felt: the other tests can fail."""
    program = [hiding_runs.compile(WAITS), "limits"]
    alone = hiding_runs.run(program, tmp_path, [hiding_runs.storm()])
    ends = collections.Counter(line.split()[-1] for line in alone.stdout.splitlines())
    assert ends["EINTR"] >= 18
    try:
        transfers = [hiding_runs.compile(TRANSFERS)]
        short = hiding_runs.run(transfers, tmp_path, [hiding_runs.storm()], timeout=10)
        assert "write: 4194304" not in short.stdout
    except subprocess.TimeoutExpired:
        pass  # the other end waits for what was not written


def test_limits(tmp_path):
    """Calls with a limit of time end when it has passed, in spite of forty interruptions."""
    text = check(WAITS, "limits", tmp_path)
    assert "EINTR" not in text and "after" not in text
    assert text.splitlines()[-1] == "usleep: 0"


def test_own_signals(tmp_path):
    """The program's handlers end the calls that they end without sampling, with and without
    SA_RESTART; what is left of the time is told."""
    text = check(WAITS, "handlers", tmp_path)
    lines = text.splitlines()
    assert sum(line.endswith("-1 EINTR") for line in lines) >= 55
    assert "nanosleep: -1 EINTR\n    handled 1, rest 1" in text


def test_no_own_signal_is_slept_over(tmp_path):
    """Each of thousands of signals ends the call in which it came."""
    text = check(WAITS, "wakes", tmp_path)
    for line in text.splitlines():
        assert line.endswith(": 3000 ended, 3000 handled")


@pytest.mark.parametrize("kind", ["masks", "waits", "actions", "timers", "queue", "children"])
def test_signals(kind, tmp_path):
    assert check(MASKS, kind, tmp_path)


def test_masks_are_the_programs(tmp_path):
    text = check(MASKS, "masks", tmp_path)
    everything = [n for n in range(1, 65) if n not in (9, 19, 32, 33)]
    assert f"all: {' '.join(map(str, everything))}" in text.splitlines()


@pytest.mark.parametrize("keeps", [{}, {"STORM_KEEP": "1"}], ids=["given", "kept"])
def test_a_signal_that_the_program_uses_too(keeps, tmp_path):
    """It is given to the program; where that cannot be done its handler is called all the
    same, and the default action is done."""
    text = check(MASKS, "wanted", tmp_path, status=-64, env=keeps)
    assert "handled 10, by kill 1" in text and "not reached" not in text


def test_a_signal_that_the_program_waits_for(tmp_path):
    assert check(MASKS, "awaited", tmp_path).splitlines()[-2] == "1"


def test_transfers(tmp_path):
    """A write of four megabytes is one, and MSG_WAITALL waits for all."""
    text = check(TRANSFERS, "", tmp_path)
    assert text.startswith("write: 4194304 1\nwritev: 4194304 1\n")


@pytest.mark.parametrize("flags", [("-D_FORTIFY_SOURCE=2", "-O2"), ("-static-pie",)])
def test_other_builds(flags, tmp_path):
    """Checked variants of calls; and a program that nothing is preloaded into runs on."""
    program = [hiding_runs.compile(WAITS, *flags), "limits"]
    assert hiding_runs.check(program, tmp_path).count("\n") == 25


def test_without_sampling(tmp_path):
    """The library alone changes nothing."""
    for source, kind in ((MASKS, "masks"), (MASKS, "actions"), (MASKS, "waits")):
        program = [hiding_runs.compile(source), kind]
        bare = hiding_runs.run(program, tmp_path)
        alone = hiding_runs.run(program, tmp_path, [hiding_runs.SHIELD])
        assert (alone.stdout, alone.returncode) == (bare.stdout, bare.returncode)

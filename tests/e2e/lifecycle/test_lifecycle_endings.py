"""However a native program ends: its own status and output, a recording of all it did."""

import json

import lifecycle_runs
import pytest
import support

ORDERLY = {
    "return": 5,
    "exit": 5,
    "_exit": 5,
    "_Exit": 5,
    "quick_exit": 5,
    "wide": 5,
    "handlers": 5,
    "exit_again": 5,
    "leave_at_exit": 5,
    "from_thread": 5,
    "spinning_threads": 5,
    "creating_threads": 5,
    "main_gone": 5,
    "jump_from_abort": 5,
    "abort": -6,
}
KILLED = {"SEGV": -11, "KILL": -9, "TERM": -15, "ILL": -4}


def program(kind):
    return [lifecycle_runs.compile("lifecycle_endings.c"), kind]


@pytest.mark.parametrize("kind", ORDERLY)
def test_orderly(tmp_path, kind):
    bare, (recording,) = lifecycle_runs.run_both(program(kind), tmp_path)
    assert bare.returncode == ORDERLY[kind]
    header = recording.header
    assert header.state == lifecycle_runs.CLOSED and header.end_ticks > header.start_ticks
    assert header.exit_status == (bare.returncode if bare.returncode >= 0 else 128 + 6)
    assert lifecycle_runs.paths(recording)["lifecycle_endings"] == 1
    assert not any(node.enter for node, _, _ in recording.all_nodes())


@pytest.mark.parametrize("kind", KILLED)
def test_killed(tmp_path, kind):
    bare, (recording,) = lifecycle_runs.run_both(program(kind), tmp_path)
    assert bare.returncode == KILLED[kind]
    assert recording.header.state == lifecycle_runs.OPEN
    assert lifecycle_runs.paths(recording)["lifecycle_endings"] == 1


def test_daemon(tmp_path):
    """The parent ends in daemon(), and is the one that is waited for."""
    _, found = lifecycle_runs.run_both(program("daemon"), tmp_path)
    assert [recording.header.state for recording in found] == [lifecycle_runs.CLOSED] * 2
    assert [recording.header.exit_status for recording in found] == [0, 4]
    assert found[1].header.parent_pid == found[0].header.pid


@pytest.mark.parametrize("kind", ["return", "_exit", "quick_exit", "abort", "from_thread"])
@pytest.mark.parametrize("options", [[], ["--fork"]])
def test_outputs(tmp_path, kind, options):
    """Whoever finishes the run, its outputs are there when the command ends."""
    lifecycle_runs.run(program(kind), tmp_path, "-q", *options, env={"KYMO_FINISH": "ON"})
    written = json.loads((tmp_path / "out" / "functions.json").read_text())
    assert written


def test_finishing_is_not_seen(tmp_path):
    """The command that writes the outputs is no child that the program hears of."""
    result = lifecycle_runs.run(
        program("hears_of_children"), tmp_path, "-q", env={"KYMO_FINISH": "ON"}
    )
    assert result.returncode == 5 and result.stdout == "begins\n"
    assert (tmp_path / "out" / "functions.json").exists()


def test_nothing_is_recorded_when_disabled(tmp_path):
    _, found = lifecycle_runs.run_both(program("return"), tmp_path, env={"KYMO_ENABLED": "OFF"})
    assert found == []


def test_cannot_record(tmp_path):
    """One line, and the program runs on."""
    environment = {
        "LD_PRELOAD": support.BUILD / "lib" / "libkymo-lifecycle.so",
        "KYMO_RUN_DIR": tmp_path / "gone",
    }
    result = support.run(program("return"), cwd=tmp_path, env=environment)
    assert result.returncode == 5 and result.stdout == "begins\n"
    (line,) = result.stderr.splitlines()
    assert line.startswith("kymo: the run directory ") and "unrecorded" in line

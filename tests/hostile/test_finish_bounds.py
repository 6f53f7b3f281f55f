"""The end of a program whose outputs take for ever, or more room than they may."""

import os

import pytest
import support

PROGRAM = """
def step(n):
    return n

for i in range(40000):
    step(i)
"""


@pytest.fixture
def traced(tmp_path):
    """Run the program with a trace; settings are added."""
    (tmp_path / "steps.py").write_text(PROGRAM)

    def run(**settings):
        environment = {"KYMO_TRACE": "ON", **settings}
        python = support.interpreters()[-1]
        return support.run_kymo_python(python, ["steps.py"], cwd=tmp_path, env=environment)

    return run


def test_end_does_not_wait_for_ever(traced, tmp_path):
    """The trace goes into a pipe that nobody reads until the program has ended."""
    pipe = tmp_path / "trace"
    os.mkfifo(pipe)
    done = traced(KYMO_PERFETTO_FILE=pipe, KYMO_FINISH_WAIT="0.5")
    assert done.returncode == 0
    assert "they are written in the background" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    # The background goes on, and says nothing any more.
    with open(pipe, "rb") as trace:
        assert len(trace.read()) > 100000
    (recording,) = support.find_recordings(tmp_path / "out")
    assert (recording.parent / "wall_clock.txt").exists()


def test_files_do_not_grow_for_ever(traced, tmp_path):
    done = traced(KYMO_FINISH_SIZE="1", KYMO_PERFETTO_FILE=tmp_path / "large.trace")
    whole = traced(KYMO_PERFETTO_FILE=tmp_path / "whole.trace", KYMO_OUTPUT_PATH=tmp_path / "b")
    assert (tmp_path / "whole.trace").stat().st_size > 1 << 20, whole.stderr
    assert done.returncode == 0
    assert not (tmp_path / "large.trace").exists()
    assert "large.trace" in done.stderr and "File too large" in done.stderr
    (recording,) = support.find_recordings(tmp_path / "out")
    assert (recording.parent / "wall_clock.txt").exists()

"""Python programs whose recording is switched off and on: calls that were open are closed,
their returns come later and count for nothing."""

import subprocess

import commanded
import pytest
import support
from commanded import visits

pytestmark = pytest.mark.alike_versions


class Script:
    """tests/programs/commanded.py under Kymo."""

    def __init__(self, python, folder, *options, env=None):
        settings = {
            "KYMO_OUTPUT_PATH": folder / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_QUIET": "ON",
            "KYMO_FINISH": "OFF",
            "PYTHONPATH": support.PACKAGE_DIR,
        }
        settings.update(env or {})
        self.directory = folder / "out"
        command = [python.executable, "-m", "kymo", *options, "--"]
        self.process = subprocess.Popen(
            [*command, str(support.program("commanded.py"))],
            cwd=str(folder),
            env=support.clean_environment(folder, settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.await_it("begin")

    def __call__(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            if line != "return":
                self.await_it(line)

    def await_it(self, line):
        assert self.process.stdout.readline() == "ok\n", line

    def ctl(self, word):
        result = support.run_kymo(["ctl", self.directory, word], cwd=self.directory)
        assert (result.returncode, result.stderr) == (0, "")

    def end(self):
        self.process.communicate(timeout=support.TIMEOUT_S)
        assert self.process.returncode == 0
        (recording,) = commanded.recordings(self.directory)
        assert [thread["resynced"] for thread in recording["threads"]] == [0]
        return recording


OPTIONS = [(), ("-T",), ("-T", "--trace-c")]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_stop_in_calls(python, tmp_path, options):
    script = Script(python, tmp_path, *options)
    script("work 2", "call", "call", "work 1")
    script.ctl("stop")
    script("work 100", "return", "next", "call", "work 100")
    script.ctl("start")
    script("work 3", "return", "next", "return", "work 4")
    recording = script.end()
    assert visits(recording, "obey") == 3
    assert visits(recording, "work") == 4
    assert visits(recording, "leaf") == 2 + 1 + 3 + 1 + 4


def test_stop_unseen(python, tmp_path):
    script = Script(python, tmp_path, "-T")
    script("call", "call")
    script.ctl("stop")
    script.ctl("start")
    script("return", "return", "call", "work 1", "return", "work 2")
    recording = script.end()
    assert (visits(recording, "obey"), visits(recording, "leaf")) == (4, 3)


def test_regions_across_a_stop(python, tmp_path):
    script = Script(python, tmp_path, "-T")
    script("inside outer", "region one")
    script.ctl("stop")
    script("inside unseen", "region unseen")
    script.ctl("start")
    script("region two", "return", "region two", "return", "region three")
    recording = script.end()
    seen = {name: visits(recording, name) for name in ("outer", "one", "two", "three", "unseen")}
    assert seen == {"outer": 1, "one": 1, "two": 2, "three": 1, "unseen": 0}
    assert not [note for note in recording["notes"] if note[0] in (5, 6)]


def test_hidden_calls_across_a_stop(python, tmp_path):
    """What lies below a function that is left out stays so when the stop was inside of it."""
    script = Script(python, tmp_path, "-T", "-E", "^nested$")
    script("nest", "work 1", "nest", "work 1")
    script.ctl("stop")
    script("return", "work 1", "nest", "nest", "return", "work 1")
    script.ctl("start")
    script("work 10", "return", "work 10", "return", "work 2")
    recording = script.end()
    assert (visits(recording, "work"), visits(recording, "leaf")) == (1, 2)


def test_selected_regions(python, tmp_path):
    script = Script(python, tmp_path, "-T", env={"KYMO_SELECTED_REGIONS": "wanted"})
    script("work 100", "region other", "region wanted", "work 100")
    script("inside wanted", "work 2", "region other", "return", "work 100")
    recording = script.end()
    assert visits(recording, "wanted") == 2
    assert visits(recording, "other") == 1
    assert (visits(recording, "work"), visits(recording, "leaf")) == (1, 1 + 2 + 1)


def test_windows(python, tmp_path):
    script = Script(python, tmp_path, "-T", env={"KYMO_TRACE_DELAY": "1000"})
    script("work 100", "call", "return")
    recording = script.end()
    assert recording["nodes"] == [] or visits(recording, "leaf") == 0

"""A program that executes commands of a test, under `kymo run`, and its recordings."""

import json
import subprocess
from pathlib import Path

import kymo_decoder
import pytest
import support

DUMP = support.BUILD / "tests" / "dump_recording"
INCLUDE = support.REPOSITORY / "include"


def compile(folder):
    """The program, compiled in folder."""
    binary = Path(folder) / "commanded"
    if not binary.exists():
        source = support.program("commanded.c")
        command = ["cc", "-O1", "-I", INCLUDE, "-o", binary, source, "-pthread", "-ldl"]
        result = support.run(command, cwd=folder)
        assert result.returncode == 0, result.stderr
    return binary


class Program:
    """The running program; call it with a command, which it has executed on return."""

    def __init__(self, folder, *options, env=None, finish=False, kymo=support.KYMO):
        settings = {
            "KYMO_OUTPUT_PATH": Path(folder) / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_QUIET": "ON",
            "KYMO_FINISH": "ON" if finish else "OFF",
        }
        settings.update(env or {})
        self.directory = Path(folder) / "out"
        self.process = subprocess.Popen(
            [str(part) for part in [kymo, "run", *options, "--", compile(folder)]],
            cwd=str(folder),
            env=support.clean_environment(folder, settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self("spin 0")  # its recording is there

    def __call__(self, *lines):
        for line in lines:
            self.tell(line)
            assert self.process.stdout.readline() == "ok\n", line

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    @property
    def pid(self):
        return self.process.pid

    def end(self):
        """Its recordings, as the decoder reads them, when it has ended without a signal."""
        self.process.stdin.close()
        assert self.process.wait(support.TIMEOUT_S) == 0
        self.process.stdout.close()
        return recordings(self.directory)

    def kill(self):
        self.process.kill()
        self.process.wait(support.TIMEOUT_S)
        self.process.stdin.close()
        self.process.stdout.close()
        return recordings(self.directory)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.kill()


def recordings(directory):
    """Recordings of a run in the order of their start, read twice and compared."""
    found = [decoded(path) for path in sorted(Path(directory).glob("*.kymo"))]
    return sorted(found, key=lambda each: each["end_realtime_ns"] - each["end_ns"])


def decoded(path):
    shown = json.loads(json.dumps(kymo_decoder.load(path)))
    dump = subprocess.run([DUMP, path], stdout=subprocess.PIPE, check=True, timeout=60).stdout
    nodes = json.loads(dump)["nodes"]
    assert len(nodes) == len(shown["nodes"])
    for left, right in zip(nodes, shown["nodes"]):
        for key in ("thread", "depth", "region", "count", "closed", "open"):
            assert left[key] == right[key]
        assert left["sum_ns"] == pytest.approx(right["sum_ns"], abs=1)
    return shown


def seconds(recording, name, thread=None):
    """Time of all paths that end in a region."""
    return sum(node["sum_ns"] for node in _nodes(recording, name, thread)) * 1e-9


def visits(recording, name, thread=None):
    return sum(node["count"] for node in _nodes(recording, name, thread))


def depths(recording, name):
    return {node["depth"] for node in _nodes(recording, name)}


def _nodes(recording, name, thread=None):
    for node in recording["nodes"]:
        region = recording["regions"][node["region"]]
        if region["name"] == name and thread in (None, node["thread"]):
            yield node

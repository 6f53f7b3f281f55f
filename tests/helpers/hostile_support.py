"""Shared by the hostile tests: runs compared with the bare interpreter, and their contents."""

import json
import os
import subprocess
from pathlib import Path

import kymo_decoder
import support

# Nothing is written at the end: these tests read the recordings themselves.
ENVIRONMENT = {"KYMO_FINISH": "OFF"}

NOT_CLOSED = "recording not closed"
WERE_OPEN = "regions were open"


class Quiet:
    """An interpreter that does not warn; from 3.12 on it warns of forks with several threads."""

    def __init__(self, python):
        self.executable = python.executable
        self.flags = ["-W", "ignore"]


def bare_command(python, args):
    return [python.executable, *getattr(python, "flags", []), *[str(each) for each in args]]


def command(python, args):
    """The command line that profiles a program."""
    return bare_command(python, ["-m", "kymo", *args])


def environment(cwd, extra=None):
    """The environment for such a command line: outputs go to cwd/out."""
    own = {
        "PYTHONPATH": support.PACKAGE_DIR,
        "KYMO_OUTPUT_PATH": Path(cwd) / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        **ENVIRONMENT,
    }
    own.update(extra or {})
    return support.clean_environment(cwd, own)


def run(python, args, cwd, env=None, wrapper=(), timeout=support.TIMEOUT_S, **options):
    """Profile a program to its end; wrapper is a command before it, such as a shell."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run(
        [*wrapper, *command(python, args)],
        cwd=str(cwd),
        env=environment(cwd, env),
        timeout=timeout,
        text=True,
        **options,
    )


def run_bare(python, args, cwd, wrapper=(), timeout=support.TIMEOUT_S, **options):
    """The same without Kymo."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run(
        [*wrapper, *bare_command(python, args)],
        cwd=str(cwd),
        env=support.clean_environment(cwd),
        timeout=timeout,
        text=True,
        **options,
    )


def said(process):
    """The lines that Kymo printed."""
    return [line for line in process.stderr.splitlines() if line.startswith("kymo: ")]


def assert_undisturbed(bare, profiled):
    """Same status and outputs as the bare interpreter's, except Kymo's own lines."""
    own = [line for line in profiled.stderr.splitlines() if not line.startswith("kymo: ")]
    assert own == bare.stderr.splitlines()
    assert profiled.stdout == bare.stdout
    assert profiled.returncode == bare.returncode


def report(directory, *args):
    """What `kymo report` makes of a run, also of another user's; it must be able to read it."""
    words = ["report", "--force", directory, "--format", "json", *args]
    process = support.run_kymo(words, cwd=directory)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def calls(directory):
    """Calls by name, in all threads and processes."""
    counts = {}
    for row in report(directory)["regions"]:
        counts[row["name"]] = counts.get(row["name"], 0) + row["calls"]
    return counts


def processes(directory):
    """The headers of all recordings, by process id, with the path and the notes."""
    found = {}
    for path in support.find_recordings(directory):
        recording = read(path)
        header = recording.header
        header.path = path
        header.exit_code = header.exit_status
        header.notes = {
            key.decode(): value.decode("utf-8", "replace")
            for note, key, value in recording.notes()
            if note.kind == 1
        }
        found.setdefault(header.pid, []).append(header)
    return found


def read(path):
    """A recording by the second decoder, without problems."""
    recording = kymo_decoder.Recording(Path(path).read_bytes())
    assert recording.problems == []
    return recording


def trees(recording):
    """Per thread number {path of names: node}."""
    names = {number: recording.string(region.name) for number, region in recording.regions.items()}
    return {number: _flatten(root, names) for number, root in recording.roots().items()}


def _flatten(root, names):
    nodes, path = {}, []
    for depth, node in root.walk():
        path[depth:] = [names[node.region]]
        nodes[tuple(path[1:])] = node
    return nodes


def is_root_user():
    """Whether this process may mount and pass permissions."""
    return os.geteuid() == 0

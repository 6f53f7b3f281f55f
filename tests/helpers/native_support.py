"""Shared by the tests of native programs: compiling, runs compared with the bare program, and
their recordings."""

import atexit
import collections
import functools
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import hostile_support as hostile
import pytest
import support

INCLUDE = support.REPOSITORY / "include"
LIBRARIES = support.BUILD / "lib"

# Options of recording: the default, and everything.
MODES = {
    "default": [],
    "all": ["--profile", "--trace", "--locks=all"],
}
ALL = MODES["all"]

STATE_OPEN, STATE_CLOSED, STATE_REPLACED = 1, 2, 3
NOTE_WARNING, NOTE_LOSS = 5, 6


@functools.lru_cache(maxsize=None)
def folder():
    """The folder for programs that this test process has compiled."""
    folder = tempfile.mkdtemp(prefix="kymo-programs-")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@functools.lru_cache(maxsize=None)
def compile(name, *flags, compiler="gcc", output=None):
    """Path of a program from tests/programs, compiled once.  Names among the flags that end
    in .c are sources in the same folder."""
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    binary = folder() / (output or f"program-{compile.cache_info().currsize}")
    flags = [support.program(flag) if flag.endswith(".c") else flag for flag in flags]
    command = [compiler, "-O1", "-g", "-I", INCLUDE, "-o", binary, support.program(name), *flags]
    process = subprocess.run(
        [str(part) for part in [*command, "-pthread", "-ldl"]], capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    return binary


def command(program, options=()):
    """The command line that runs a program under Kymo; nothing is printed or written at the end."""
    return [support.KYMO, "run", "-q", *options, "--", *program]


def environment(cwd, extra=None):
    own = {"KYMO_OUTPUT_PATH": Path(cwd) / "out", "KYMO_TIME_OUTPUT": "OFF", "KYMO_FINISH": "OFF"}
    own.update(extra or {})
    return support.clean_environment(cwd, own)


def _run(line, cwd, env, options):
    cwd.mkdir(exist_ok=True)
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("timeout", support.TIMEOUT_S)
    options.setdefault("errors", "surrogateescape")
    line = [str(part) for part in line]
    return subprocess.run(line, cwd=str(cwd), env=env, text=True, **options)


def run(program, cwd, options=(), env=None, wrapper=(), **process_options):
    """Run under Kymo in cwd; wrapper is a command before it."""
    line = [*wrapper, *command(program, options)]
    return _run(line, cwd, environment(cwd, env), process_options)


def wait_until(is_so, what):
    """Wait for a process that is not a child; a hang must fail the test."""
    end = time.monotonic() + support.TIMEOUT_S
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def is_awaited(out):
    """Whether a process still runs that will write the outputs below that folder, after the end
    of a program that dropped privileges."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(out) in path.read_text(errors="replace"):
                return True
        except OSError:  # it has ended
            continue
    return False


def run_line(line, cwd, env=None, **process_options):
    """Run a command line of Kymo as it is."""
    return _run(line, cwd, environment(cwd, env), process_options)


def run_bare(program, cwd, env=None, wrapper=(), **process_options):
    own = {name: value for name, value in (env or {}).items() if not name.startswith("KYMO_")}
    return _run([*wrapper, *program], cwd, support.clean_environment(cwd, own), process_options)


def _is_ours(line):
    return line.startswith(("kymo: ", "kymo run: "))


class Both:
    """A program's run without Kymo and its run with it, whose outputs must be the same."""

    def __init__(self, program, cwd, options=(), *, status=5, normalise=str, **more):
        self.bare = run_bare(program, cwd / "bare", **more)
        self.cwd = cwd / "kymo"
        self.under = run(program, self.cwd, options, **more)
        seen = f"bare: {self.bare}\nunder Kymo: {self.under}"
        assert self.bare.returncode == status, seen
        assert self.under.returncode == self.bare.returncode, seen
        assert normalise(self.under.stdout) == normalise(self.bare.stdout), seen
        lines = (self.under.stderr or "").splitlines()
        self.said = [line for line in lines if _is_ours(line)]
        own = [line for line in lines if not _is_ours(line)]
        bare = (self.bare.stderr or "").splitlines()
        assert normalise("\n".join(own)) == normalise("\n".join(bare)), seen

    @functools.cached_property
    def out(self):
        return self.cwd / "out"

    @functools.cached_property
    def report(self):
        return hostile.report(self.out)

    @functools.cached_property
    def recordings(self):
        """Every recording by the second decoder, without problems; `kymo report` reads the
        run too."""
        found = [hostile.read(path) for path in support.find_recordings(self.out)]
        assert not found or self.report
        return found

    @functools.cached_property
    def calls(self):
        """Calls by name, without the objects that were waited for."""
        counts = collections.Counter()
        for name, number in hostile.calls(self.out).items():
            counts[name.split("(")[0]] += number
        return counts

    def states(self):
        return collections.Counter(recording.header.state for recording in self.recordings)

    def threads(self):
        return sum(len(recording.threads) for recording in self.recordings)

    def losses(self):
        """Texts of the notes on losses and suspect data in all recordings."""
        return [
            value.decode("utf-8", "replace")
            for recording in self.recordings
            for note, _, value in recording.notes()
            if note.kind in (NOTE_WARNING, NOTE_LOSS)
        ]

    def lost_events(self):
        return sum(t.lost_events for r in self.recordings for t in r.threads.values())


@pytest.fixture
def public_place():
    """A folder that other users can reach, with a short path."""
    place = Path(tempfile.mkdtemp(prefix="kymo-place-", dir="/tmp"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def can_be_reached(path):
    """Whether other users may access it."""
    return all(os.stat(parent).st_mode & 1 for parent in Path(path).parents)


def has(command_name, package):
    """Skip if a command is missing that the test needs."""
    if not shutil.which(command_name):
        pytest.skip(f"there is no {command_name} (package {package})")


def find_library(*names):
    """Path of a shared library of the system, or a skip."""
    folders = [Path("/usr/lib"), Path("/usr/lib64"), *Path("/usr/lib").glob("*-linux-gnu")]
    for name in names:
        for folder in folders:
            if (folder / name).exists():
                return folder / name
    pytest.skip(f"there is no {' or '.join(names)}")

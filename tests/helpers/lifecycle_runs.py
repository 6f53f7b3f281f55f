"""Compiling and running the native programs of the life-cycle tests, bare and recorded."""

import functools
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
import support

CLOSED, OPEN, REPLACED = 2, 1, 3
LOSS = 6
WAITING = ("pthread_join", "thrd_join", "pthread_barrier_wait")


@functools.lru_cache(maxsize=None)
def compile(source, *flags, compiler="cc"):
    """Path of a program of tests/programs, or a skip if it cannot be built here."""
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    folder = Path(tempfile.mkdtemp(prefix="kymo-life-"))
    binary = folder / Path(source).stem
    command = [compiler, "-O1", "-g", *flags, "-o", binary, support.program(source)]
    result = subprocess.run([*map(str, command), "-pthread"], capture_output=True, text=True)
    if result.returncode != 0 and flags:
        pytest.skip(f"{compiler} {' '.join(flags)} does not work here")
    assert result.returncode == 0, result.stderr
    return binary


def run_bare(program, cwd, env=None):
    return support.run(program, cwd=cwd, env=env)


def run(program, cwd, *options, env=None):
    """Run a program under `kymo run`, which writes only the recordings in cwd/out."""
    settings = {
        "KYMO_OUTPUT_PATH": cwd / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "KYMO_FINISH": "OFF",
        **(env or {}),
    }
    return support.run([support.KYMO, "run", *options, "--", *program], cwd=cwd, env=settings)


def run_both(program, cwd, *options, env=None):
    """The recordings of a program that behaves under Kymo as without."""
    bare, recorded = run_bare(program, cwd, env), run(program, cwd, *options, env=env)
    assert recorded.stdout == bare.stdout
    assert recorded.stderr == bare.stderr
    assert recorded.returncode == bare.returncode
    return bare, recordings(cwd)


def recordings(cwd):
    """All recordings of the run, by the second decoder, in the order of their starts."""
    found = [support.decode(path) for path in support.find_recordings(cwd / "out")]
    assert all(recording.problems == [] for recording in found)
    return sorted(found, key=lambda recording: recording.header.start_realtime_ns)


def paths(recording):
    """{path of names: visits} in the trees of all threads, of life-cycle regions; a path that
    was only inherited has no visits."""
    names = {key: recording.string(region.name) for key, region in recording.regions.items()}
    places, found = {}, Counter()
    for node, reference, _ in recording.all_nodes():
        above = places.get(node.parent, "") + "/" if places.get(node.parent) else ""
        places[reference] = above + names[node.region] if node.parent else ""
        if node.parent and names[node.region] not in WAITING:
            found[places[reference]] += node.count
    return found


def program_of(recording):
    return next(value.decode() for _, key, value in recording.notes() if key == b"program")


def losses(cwd):
    """Every loss noted in the run, as text."""
    return [
        value.decode()
        for recording in recordings(cwd)
        for note, _, value in recording.notes()
        if note.kind == LOSS
    ]


def states(found):
    return Counter(recording.header.state for recording in found)

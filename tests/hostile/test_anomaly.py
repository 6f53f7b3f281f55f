"""Every system call that the recording needs, failing once at every place it is made: the
program notices nothing, Kymo says at most a line a process, what is there can be read."""

import itertools
import os
import shutil
import subprocess

import hostile_support as hostile
import pytest
import support
from cases import long_except

WORK = support.program("steady_work.py")
PROCESSES = support.program("process_kinds.py")
TRACE = {"KYMO_TRACE": "ON"}
PLACES_MAX = 400  # more than there are: the loop must come to an end by itself


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """The library that makes calls fail, for LD_PRELOAD, and ours that makes them by it."""
    compiler = os.environ.get("CC", "cc")
    if not shutil.which(compiler):
        pytest.skip("there is no C compiler")
    library = tmp_path_factory.mktemp("shim") / "fail_call.so"
    source = support.REPOSITORY / "tests" / "hostile" / "fail_call.c"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return f"{library}:{support.REPLACEABLE / 'libkymo.so'}"


def fail_everywhere(call, run, tmp_path, shim):
    """run(directory, environment) with the first call failing, then the second, …; the
    number of places it is called at."""
    for number in itertools.count(1):
        assert number < PLACES_MAX
        directory = tmp_path / f"{call}-{number}"
        directory.mkdir()
        mark = directory / "mark"
        wish = call.replace("*", str(number))
        run(directory, {"LD_PRELOAD": shim, "FAIL_CALL": wish, "FAIL_MARK": mark, **TRACE})
        if not mark.exists():
            return number - 1
        shutil.rmtree(directory)


def check_readable(directory):
    for path in support.find_recordings(directory / "out"):
        hostile.read(path)


GROWTH = ["fallocate:*", "fallocate:*+", "mmap:*", "mmap:*+"]
FORKING = ["fallocate:*+", "mmap:*", "ftruncate:*", "renameat2:*", "link:*", "mmap:*+"]


@pytest.mark.slow
@pytest.mark.parametrize("call", long_except(GROWTH, "fallocate:*", "mmap:*+"))
def test_growing(newest_python, tmp_path, shim, call):
    bare = hostile.run_bare(newest_python, [WORK, 2000], tmp_path)

    def run(directory, environment):
        profiled = hostile.run(newest_python, [WORK, 2000], directory, environment)
        hostile.assert_undisturbed(bare, profiled)
        assert len(hostile.said(profiled)) <= 1
        check_readable(directory)

    assert fail_everywhere(call, run, tmp_path, shim) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("call", long_except(FORKING, *FORKING[:-1]))
def test_forking(newest_python, tmp_path, shim, call):
    """In a forked child as well, where everything is made anew."""
    python = hostile.Quiet(newest_python)

    def run(directory, environment):
        profiled = hostile.run(python, [PROCESSES, "fork_in_thread"], directory, environment)
        lines = profiled.stderr.splitlines()
        assert lines == hostile.said(profiled) and len(lines) <= 2
        assert profiled.returncode == 0
        assert sorted(line.split()[2] for line in profiled.stdout.splitlines()) == ["fork", "root"]
        check_readable(directory)

    assert fail_everywhere(call, run, tmp_path, shim) >= 1


def test_moving(python, tmp_path, shim):
    """RECORD_PATH: where a rename is refused for the file system's sake, it is copied."""

    def run(directory, environment):
        (directory / "local").mkdir()
        environment = {"KYMO_RECORD_PATH": directory / "local", **environment}
        profiled = hostile.run(python, [WORK, 2000], directory, environment)
        assert profiled.returncode == 5 and hostile.said(profiled) == []
        (path,) = support.find_recordings(directory / "out")
        assert not path.is_symlink() and hostile.read(path).is_closed
        assert list((directory / "local").iterdir()) == []

    assert fail_everywhere("rename:*", run, tmp_path, shim) >= 1

"""Shared by the tests of Python's stack: the library that walks it, and runs with it."""

import atexit
import functools
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import support

ARCHIVE = support.BUILD / "lib" / "libkymo_common.a"


@functools.lru_cache(maxsize=None)
def _folder():
    """The folder for programs that this test process has compiled."""
    folder = tempfile.mkdtemp(prefix="kymo-pystack-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@functools.lru_cache(maxsize=None)
def compile(source, output, *flags):
    """A program or library from tests/programs, linked with the code under test."""
    binary = _folder() / output
    command = ["cc", "-g", "-O1", "-Wall", "-D_GNU_SOURCE", "-I", support.REPOSITORY / "src"]
    command += ["-I", support.REPOSITORY / "include", *flags, support.program(source)]
    command += ["-o", binary, ARCHIVE, "-pthread", "-lrt", "-ldl"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return binary


def library(source="pystack_walk.c"):
    """The library for programs under test."""
    output = f"lib{Path(source).stem}.so"
    return compile(source, output, "-shared", "-fPIC", "-Wl,--exclude-libs,ALL")


def run_program(executable, name, *args, cwd, env=None, source="pystack_walk.c"):
    """What the program prints, which is JSON; its first argument is the library."""
    command = [executable, support.program(name), library(source), *args]
    done = support.run(command, cwd=cwd, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)

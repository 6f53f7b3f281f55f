"""Shared by the tests of instrumented native functions: builds of the programs of scenes,
and runs of any program with all of its functions recorded."""

import dataclasses
import functools
import shutil
import subprocess
from pathlib import Path

import native_support as native
import pytest
import support

COSTS = ["counts", "coarse", "full"]

# The status of a program of scenes whose scenes were all played.
PLAYED = 5


@dataclasses.dataclass(frozen=True)
class Build:
    """How a program is compiled; the source's name determines the language (C, C++, Fortran, …)."""

    name: str
    flags: tuple
    is_clang: bool = False
    is_stripped: bool = False

    def __str__(self):
        return self.name


BUILDS = [
    Build("O0", ("-O0",)),
    Build("O2", ("-O2",)),
    Build("Os", ("-Os", "-fcf-protection=none")),
    Build("lto", ("-O3", "-flto")),
    Build("cet", ("-O2", "-fcf-protection=full", "-fno-plt")),
    Build("clang", ("-O2",), is_clang=True),
    Build("frames", ("-O1", "-fno-omit-frame-pointer", "-mno-red-zone")),
    Build("stripped", ("-O2",), is_stripped=True),
    Build("no-pie", ("-O2", "-no-pie"), is_stripped=True),
]

COMPILERS = {
    ".c": ("gcc", "clang", ()),
    ".cc": ("g++", "clang++", ("-std=c++17",)),
    ".f90": ("gfortran", None, ("-fopenmp",)),
}


def find_build(name):
    return next(build for build in BUILDS if build.name == name)


@functools.lru_cache(maxsize=None)
def compile(source, build, *more):
    """Path of a program from tests/programs in a folder of its own."""
    gcc, clang, flags = COMPILERS[Path(source).suffix]
    compiler = clang if build.is_clang else gcc
    if not compiler or not shutil.which(compiler):
        pytest.skip(f"there is no {compiler or 'second compiler'}")
    folder = native.folder() / f"{Path(source).stem}-{build}"
    folder.mkdir()
    program = folder / "program"
    strip = ("-s",) if build.is_stripped else ()
    sources = [support.program(name) for name in (source, *more)]
    _compile([compiler, "-g", *build.flags, *flags, "-rdynamic", *strip, "-o", program, *sources])
    if Path(source).stem == "functions_plugins":
        for number, name in enumerate(["libone.so", "libtwo.so"], 1):
            plugin = support.program("functions_plugin.c")
            flags = [*build.flags, "-shared", "-fPIC", f"-DN={number}"]
            flags = [flag for flag in flags if flag != "-no-pie"]
            _compile([compiler, "-g", *flags, "-o", folder / name, plugin])
    return program


def _compile(line):
    line = [str(part) for part in [*line, "-pthread", "-ldl"]]
    # The folder for Fortran modules.
    process = subprocess.run(line, capture_output=True, text=True, cwd=str(native.folder()))
    assert process.returncode == 0, process.stderr


@functools.lru_cache(maxsize=None)
def bare(program, cwd):
    """What a program of scenes prints without Kymo."""
    result = native.run_bare([program], cwd)
    assert result.returncode == PLAYED, result
    assert result.stdout.count("\n") >= 4
    return result.stdout


# What is recorded: of the program, or of all its libraries, too.
SCOPES = {"program": [], "everything": ["-MI", ".*"]}


def command(program, cost, scope="everything"):
    """The command line that runs a program with its functions recorded."""
    options = ["--cost", cost, *SCOPES[scope]]
    return [support.KYMO, "instrument", "-q", *options, "--", *program]


def run(program, cwd, cost, scope="everything", env=None, **options):
    return native.run_line(command(program, cost, scope), cwd, env=environment(env), **options)


def environment(extra=None):
    """One cache of plans for all tests of a process."""
    return {"XDG_CACHE_HOME": native.folder() / "cache", **(extra or {})}


def rewrite(program, output, cost, cwd):
    """A copy of a program or library that is instrumented on disk."""
    line = [support.KYMO, "instrument", "-q", "--cost", cost, "-o", output, "--", program]
    result = native.run_line(line, cwd, env=environment())
    assert result.returncode == 0, result
    return output

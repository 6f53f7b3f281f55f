"""Small C programs for the benchmarks: compiling them, running them bare and recorded."""

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile

from suite import setup

PROGRAMS = os.path.join(setup.BENCH, "programs")
INCLUDE = os.path.join(setup.ROOT, "include")
KYMO = os.path.join(setup.BUILD, "bin", "kymo")

# What is recorded, as options of `kymo run`.
PROFILE, TRACE, BOTH = ["--mode", "profile"], ["--mode", "trace"], ["--profile", "--trace"]


class Missing(Exception):
    """A tool that is compared with is not there."""


@contextlib.contextmanager
def workplace():
    """A folder for binaries and recordings."""
    with tempfile.TemporaryDirectory(prefix="kymo-bench-") as folder:
        yield folder


def compile(folder, name, source, *flags):
    binary = os.path.join(folder, name)
    command = ["cc", "-O2", "-I", INCLUDE, "-I", PROGRAMS, os.path.join(PROGRAMS, source)]
    try:
        process = subprocess.run(
            [*command, "-o", binary, *flags, "-pthread"], capture_output=True, text=True
        )
    except OSError as error:
        raise Missing(str(error)) from error
    if process.returncode != 0:
        errors = [line for line in process.stderr.splitlines() if "error" in line.lower()]
        raise Missing((errors or ["it cannot be compiled"])[0])
    return binary


@functools.lru_cache(maxsize=None)
def has_run():
    """Whether the build's command knows `kymo run`."""
    process = subprocess.run([KYMO, "run", "--", "true"], capture_output=True, env=_quiet("/tmp"))
    return process.returncode == 0


def _quiet(folder):
    return setup.environment(folder, {"KYMO_ENABLED": "OFF"})


def under(options=()):
    """The command in front of a program that is to be recorded."""
    return [KYMO, "run", "-q", *options, "--"]


def answer(command, folder, settings=None):
    """What a program prints, run in a run directory of its own that is taken away again."""
    out = os.path.join(folder, "run")
    variables = setup.environment(out, settings)
    del variables["PYTHONPATH"]
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    shutil.rmtree(out, ignore_errors=True)
    if process.returncode != 0:
        lines = process.stderr.strip().splitlines() or [f"status {process.returncode}"]
        raise Missing(lines[-1])
    return process.stdout

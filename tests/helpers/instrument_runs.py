"""Shared by the tests of `kymo instrument`: a program, and its chosen and
recorded functions."""

import functools
import shutil
import subprocess

import native_support
import pytest
import support

PROGRAM = "instrument_choice.c"
CALLS = {
    "leaf": 60,
    "small": 10,
    "middle": 10,
    "shown": 1,
    "weakly": 1,
    "secret": 1,
    "told": 2,
    "main": 1,
}
ALL = set(CALLS)
# Functions that the linker and the compiler add to each program.
SYSTEM = {
    "_start",
    "_init",
    "_fini",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
}
# Traces on a clock that every machine has.
COARSE = ["--cost", "coarse"]


@functools.lru_cache(maxsize=None)
def program():
    return native_support.compile(PROGRAM, "-O2", output="instrument_choice")


@functools.lru_cache(maxsize=None)
def program_with_library():
    folder = native_support.folder()
    library = native_support.compile(
        "instrument_library.c",
        "-shared",
        "-fPIC",
        "-Wl,-soname,libinstrument_library.so",
        output="libinstrument_library.so",
    )
    return native_support.compile(
        PROGRAM,
        "-DWITH_LIBRARY",
        str(library),
        f"-Wl,-rpath,{folder}",
        output="instrument_with_library",
    )


def instrument(options, cwd, command=None, env=None):
    return support.run_kymo(
        ["instrument", *options, "--", *(command or [program()])], cwd=cwd, env=env
    )


def listed(options, cwd, what="instrumented", command=None, env=None):
    """Names of a list, without those of the system."""
    result = instrument(["--simulate", *options, f"--print-{what}"], cwd, command, env)
    assert (result.returncode, result.stderr) == (0, "")
    return set(result.stdout.splitlines()) - SYSTEM


def recorded(options, cwd, command=None, env=None, verb="instrument"):
    """{function: calls} of a run, of the program's own functions."""
    environment = {"KYMO_OUTPUT_PATH": cwd / "out", "KYMO_TIME_OUTPUT": "OFF", **(env or {})}
    shutil.rmtree(cwd / "out", ignore_errors=True)
    bare = subprocess.run([str(part) for part in command or [program()]], capture_output=True)
    result = support.run_kymo(
        [verb, "-q", *options, "--", *(command or [program()])], cwd=cwd, env=environment
    )
    assert (result.returncode, result.stdout) == (bare.returncode, bare.stdout.decode())
    if "not the processor's counter" in result.stderr:
        pytest.skip("the processor's counter does not run evenly on this machine")
    assert result.stderr == ""
    calls = support.region_calls(cwd / "out")
    return {name: calls[name] for name in calls if name in ALL or name == "library_step"}

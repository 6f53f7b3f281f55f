"""Programs for aarch64, run by an emulator with what is loaded into them built for it."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import functions_runs as runs
import pytest
from support import BUILD

ROOT = Path(__file__).resolve().parents[2]
SYSROOT = "/usr/aarch64-linux-gnu"
COMPILERS = {".c": "aarch64-linux-gnu-gcc", ".cc": "aarch64-linux-gnu-g++"}
NEEDED = ("qemu-aarch64", *COMPILERS.values(), "cmake", "ninja")
MISSING = [name for name in NEEDED if not shutil.which(name)]
needs_aarch64 = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
COSTS = ("counts", "coarse", "full")
LIBRARIES = ("libkymo-functions.so", "libkymo-lifecycle.so")
TIMEOUT_S = 300


def build(folder):
    """What was configured before is configured anew where it has to be, by ninja itself."""
    configure = [
        *("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder),
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'aarch64-linux-gnu.cmake'}",
        *("-DKYMO_USE_PYTHON=OFF", "-DKYMO_BUILD_TESTS=OFF", "-DKYMO_WERROR=ON"),
    ]
    make = ["ninja", "-C", folder, "kymo_runtime", "kymo_functions", "kymo_lifecycle"]
    for command in (make,) if (folder / "build.ninja").exists() else (configure, make):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def libraries():
    """The folder of the libraries, which are built if missing, by one test runner at a time."""
    folder = BUILD / "aarch64"
    with open(BUILD / "aarch64.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build(folder)
    return folder / "lib"


def compile(source, folder, *options):
    """The program of a source file; one that exists already is not made again."""
    program = folder / (source.stem + "".join(options).replace("=", ""))
    if not program.exists():
        compiler = COMPILERS[source.suffix]
        subprocess.run(
            [compiler, "-g", "-pthread", *options, "-o", program, source, "-ldl", "-lm"],
            check=True,
        )
    return program


def bare(program, *arguments):
    return subprocess.run(
        ["qemu-aarch64", "-L", SYSROOT, program, *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def record(program, folder, cost, *arguments):
    """As kymo run would: the plan, the libraries, the settings.  What it printed; recordings."""
    output = folder / f"out-{cost}-{len(list(folder.glob('out-*')))}"
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    plan = [runs.KYMO, "patch-plan", "--cost", cost, "--program", program]
    if cost == "counts":
        plan[4:4] = ["--variant", "exits"]
    subprocess.run(plan, env={**os.environ, **cache}, check=True, timeout=TIMEOUT_S)
    settings = {
        **cache,
        "LD_PRELOAD": ":".join(str(libraries_folder / name) for name in LIBRARIES),
        "KYMO_FUNCTIONS": "ON",
        "KYMO_FUNCTIONS_TIMING": cost,
        "KYMO_OUTPUT_PATH": output,
        "KYMO_FINISH": "OFF",
    }
    wanted = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
    done = subprocess.run(
        ["qemu-aarch64", "-L", SYSROOT, *wanted, program, *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return done, runs.recordings_below(output)


libraries_folder = None


def prepare():
    global libraries_folder
    libraries_folder = libraries_folder or libraries()

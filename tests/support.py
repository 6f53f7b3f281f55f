"""What every Python test needs: the build under test, its interpreters, runs of it.

The build is found through KYMO_BUILD (default: build/ beside tests/).  Every program
under test starts from clean_environment(): no setting of the person who runs the tests,
no configuration file, one output folder below the working directory.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("KYMO_BUILD", REPOSITORY / "build")).resolve()
KYMO = BUILD / "bin" / "kymo"
# Libraries whose system calls a test may replace; the others make them past the C library.
REPLACEABLE = BUILD / "lib-replaceable"
PACKAGE_DIR = BUILD / "python"
PROGRAMS = REPOSITORY / "tests" / "programs"

# Generous: a hang must fail a test, a slow machine must not.
TIMEOUT_S = 120

# Settings of Kymo and of the tools whose settings it reads as aliases.
SETTING_PREFIXES = ("KYMO_", "ROCPROFSYS_", "OMNITRACE_")
# Variables with such names that speak to the tests themselves.
SETTINGS_OF_TESTS = ("KYMO_BUILD", "KYMO_ACCEPT")


@dataclass(frozen=True)
class Interpreter:
    """A Python for which the build has a native module."""

    version: str  # "3.9"
    executable: str

    @property
    def number(self):
        """(3, 9), for comparisons."""
        return version_number(self.version)

    @property
    def release(self):
        """(3, 9, 18): what the executable says of itself."""
        return _release(self.executable)

    def __str__(self):
        return self.version


def program(name):
    """Path of the program under test of this name, in whichever room of tests/programs it is; a
    whole path stays as it is."""
    if os.path.isabs(name):
        return Path(name)
    found = list(PROGRAMS.rglob(name))
    assert len(found) == 1, f"tests/programs has {len(found)} files named {name}"
    return found[0]


@functools.lru_cache(maxsize=None)
def _release(executable):
    code = "import sys; print(*sys.version_info[:3])"
    answer = subprocess.check_output([executable, "-c", code], universal_newlines=True)
    return tuple(int(part) for part in answer.split())


def version_number(text):
    """ "3.9" as (3, 9)."""
    return tuple(int(part) for part in text.split("."))


@functools.lru_cache(maxsize=None)
def interpreters():
    """Every interpreter of the build whose native module is there, oldest first."""
    listing = PACKAGE_DIR / "interpreters.txt"
    if not listing.exists():
        return ()
    found = []
    for line in listing.read_text().splitlines():
        version, executable = line.split(" ", 1)
        tag = "cpython-" + version.replace(".", "")
        if list((PACKAGE_DIR / "kymo").glob(f"_native.{tag}-*.so")):
            found.append(Interpreter(version, executable))
    return tuple(found)


def interpreter(version):
    """The interpreter of one version, which must be there."""
    return next(each for each in interpreters() if each.version == version)


@functools.lru_cache(maxsize=None)
def static_python():
    """The newest of the system's interpreters that is stripped and has no library, or None."""
    found = sorted(Path("/usr/bin").glob("python3.*[0-9]"), key=lambda path: int(path.suffix[1:]))
    for path in reversed(found):
        linked = subprocess.run(["ldd", str(path)], stdout=subprocess.PIPE)
        if linked.returncode == 0 and b"libpython" not in linked.stdout:
            return str(path)
    return None


def clean_environment(cwd, extra=None):
    """An environment without settings, in which nothing outside cwd is read or written."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(SETTING_PREFIXES) and not name.startswith("PYTHON")
    }
    environment["HOME"] = str(cwd)
    environment["LC_ALL"] = "C.UTF-8"
    # Several tests may share a source file: its cache must not be written at the same time.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment.update(extra or {})
    return {name: str(value) for name, value in environment.items() if value is not None}


# What a process used before exec counts as its peak, so a small one starts the command.  It
# prints, as its last line, the most memory that any process of the command had, in KiB.
PEAK_OF_CHILD = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""
PEAK = (sys.executable, "-S", "-c", PEAK_OF_CHILD)


def run(command, *, cwd, env=None, input=None, timeout=TIMEOUT_S, text=True):
    """Run a command to its end and return its CompletedProcess; status is not checked.

    env is added to a clean environment; a value None takes a variable away."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=str(cwd),
        env=clean_environment(cwd, env),
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        timeout=timeout,
        text=text,
    )


def run_kymo(args, *, cwd, **options):
    """Run the kymo command."""
    return run([KYMO, *args], cwd=cwd, **options)


def replaceable_kymo(folder):
    """A command in a folder of its own that loads REPLACEABLE libraries where there are such."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    shutil.copy(KYMO, folder / "bin" / "kymo")
    for library in (BUILD / "lib").glob("libkymo*.so"):
        own = REPLACEABLE / library.name
        (folder / "lib" / library.name).symlink_to(own if own.exists() else library)
    return folder / "bin" / "kymo"


def run_kymo_python(python, args, *, cwd, env=None, **options):
    """Run `python -m kymo args` with an Interpreter or a version; TIME_OUTPUT is off and
    outputs go to cwd/out unless env says otherwise."""
    if isinstance(python, str):
        python = interpreter(python)
    environment = {
        "PYTHONPATH": PACKAGE_DIR,
        "KYMO_OUTPUT_PATH": Path(cwd) / "out",
        "KYMO_TIME_OUTPUT": "OFF",
    }
    environment.update(env or {})
    return run([python.executable, "-m", "kymo", *args], cwd=cwd, env=environment, **options)


def run_bare_python(python, args, *, cwd, **options):
    """The same program without Kymo, for comparison."""
    if isinstance(python, str):
        python = interpreter(python)
    return run([python.executable, *args], cwd=cwd, **options)


def target_packages(python):
    """Folder with greenlet and coverage for an interpreter, to be put on PYTHONPATH; the
    packages an interpreter can have are listed in tests/requirements-target.txt."""
    return BUILD / "test-packages" / python.version


def find_recordings(directory):
    """Paths of all recordings below a directory, in the order of their names; one that is
    still hidden has not begun."""
    paths = Path(directory).rglob("*.kymo")
    return sorted(path for path in paths if not path.name.startswith("."))


def region_calls(directory, *options):
    """{name: calls} of all regions of a run, as `kymo report` has them."""
    result = run_kymo(
        ["report", directory, "--format", "json", "--top", "0", *options], cwd=directory
    )
    assert result.returncode == 0, result.stderr
    calls = {}
    for region in json.loads(result.stdout)["regions"]:
        if region["calls"]:  # what is in no region has none
            calls[region["name"]] = calls.get(region["name"], 0) + region["calls"]
    return calls


def decode(path):
    """A recording as the second, independent decoder reads it."""
    import kymo_decoder

    return kymo_decoder.Recording(Path(path).read_bytes())

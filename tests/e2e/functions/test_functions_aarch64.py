"""Instrumented programs for aarch64, under an emulator: they do what they do bare, and what is
recorded of them is what they called."""

import re
import subprocess

import aarch64_support as aarch64
import functions_runs as runs
import pytest
import support
from cases import long_except

pytestmark = aarch64.needs_aarch64
LEVELS = ("-O2", *(pytest.param(level, marks=pytest.mark.long) for level in ("-O0", "-O1", "-O3")))
WORK = 800 + 3 * 400
CALLS = {
    "work": 4,
    "run": 3,
    "leaf": WORK * 3 + WORK // 8 * 3 + 50,
    "ends_by_jump": WORK + WORK // 8,
    "ends_by_pointer": WORK,
    "table": WORK,
    "half": WORK,
    "fibonacci": 1973,
    "length": 1,
    "jump_out": 20 * 5,
    "handle": 50,
    "main": 1,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    aarch64.prepare()
    return tmp_path_factory.mktemp("aarch64")


_recorded = {}


def recorded(folder, cost, level):
    """(the program, what it did, its only recording); one recording for all tests that read it."""
    key = folder, cost, level
    if key not in _recorded:
        program = aarch64.compile(support.program("aarch64_calls.c"), folder, level)
        done, (recording,) = aarch64.record(program, folder, cost)
        _recorded[key] = program, done, recording
    return _recorded[key]


def nests(events):
    """Slots of open calls fall; an exit is of the innermost open call with its slot."""
    depth, most = [], 0
    for event in events:
        if event.kind == "enter":
            depth.append(event.slot)
            most = max(most, len(depth))
        elif event.kind == "exit":
            assert event.slot in depth
            while depth.pop() != event.slot:
                pass
    return most


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cost", long_except(aarch64.COSTS, "full"))
def test_calls_are_exact(folder, cost, level):
    program, done, recording = recorded(folder, cost, level)
    printed = aarch64.bare(program)
    assert (done.returncode, done.stdout, done.stderr) == (5, printed.stdout, "")
    calls = recording.calls()
    assert {name: calls[name] for name in CALLS} == CALLS
    if cost != "counts":
        assert max(nests(events) for events in recording.events().values()) >= 10


# throws.cc takes the emulator minutes, and its forks make threads, at which that fails with coarse.
PROGRAMS = [(name, cost) for name in ("calls.c", "jumps.c", "threads.c") for cost in aarch64.COSTS]
# All kinds of jumps, in the kind of code that test_calls_are_exact does not run.
KEPT = [("jumps.c", "counts")]


@pytest.mark.parametrize(
    "name, cost",
    [
        case if case in KEPT else pytest.param(*case, marks=pytest.mark.long)
        for case in [*PROGRAMS, ("throws.cc", "full")]
    ],
)
def test_program(folder, name, cost):
    """The programs that are hard on x86-64: all there is to a call, in every way."""
    level = "-O0" if (name, cost) == ("calls.c", "full") else "-O2"
    program = aarch64.compile(support.program(f"functions_{name}"), folder, level)
    printed = aarch64.bare(program)
    done, recordings = aarch64.record(program, folder, cost)
    assert (done.returncode, done.stdout) == (printed.returncode, printed.stdout), done.stderr
    assert sum(sum(recording.calls().values()) for recording in recordings) > 100


def test_signed_return_addresses(folder):
    """With landing pads and signatures the jump stands behind both."""
    source = support.program("aarch64_calls.c")
    program = aarch64.compile(source, folder, "-O2", "-mbranch-protection=standard")
    done, (recording,) = aarch64.record(program, folder, "full")
    assert (done.returncode, done.stdout) == (5, aarch64.bare(program).stdout), done.stderr
    calls = recording.calls()
    assert {name: calls[name] for name in CALLS} == CALLS


def test_the_host_reports(folder):
    _, _, recording = recorded(folder, "full", "-O2")
    report = subprocess.run(
        [runs.KYMO, "report", "--flat", recording.path], capture_output=True, text=True, check=True
    )
    assert "fibonacci" in report.stdout
    assert "1,973" in report.stdout


def test_nearly_all_of_the_c_library_is_instrumentable():
    """By its analysis alone, with all kinds of jumps that a compiler makes."""
    library = f"{aarch64.SYSROOT}/lib/libc.so.6"
    tool = support.BUILD / "tests" / "patch_coverage"
    done = subprocess.run([tool, library], capture_output=True, text=True, check=True)
    entries, exits = re.search(r"entries ([\d.]+)% exits ([\d.]+)%", done.stdout).groups()
    assert float(entries) > 98 and float(exits) > 97

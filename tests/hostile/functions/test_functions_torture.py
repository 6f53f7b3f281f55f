"""Programs that call in every way there is, with every one of their functions recorded: they
print what they print bare."""

import functions_support as functions
import native_support as native
import pytest

PROGRAMS = {
    "calls": ("functions_calls.c",),
    "jumps": ("functions_jumps.c",),
    "threads": ("functions_threads.c",),
    "processes": ("functions_processes.c",),
    "plugins": ("functions_plugins.c",),
    "throws": ("functions_throws.cc",),
    "conventions": ("functions_conventions.c", "functions_conventions.s"),
    "numbers": ("functions_numbers.f90",),
}


# Jumps are what compilers differ in most.
KEPT = {"O2": PROGRAMS, "clang": ["jumps"]}


def marks(name, build):
    """Most builds are long; one of each compiler is always tried."""
    return () if name in KEPT.get(str(build), ()) else pytest.mark.long


# There is no second compiler of Fortran.
BUILDS = [
    pytest.param(name, build, id=f"{name}-{build}", marks=marks(name, build))
    for name, (source, *_) in PROGRAMS.items()
    for build in functions.BUILDS
    if not (build.is_clang and source.endswith(".f90"))
]


def check(result, printed):
    assert result.returncode == functions.PLAYED, result
    assert result.stdout == printed
    assert not [line for line in result.stderr.splitlines() if line.startswith("kymo")]


@pytest.mark.parametrize("name, build", BUILDS)
def test_program(tmp_path, name, build):
    """In memory, at every cost; with its libraries, too, where that costs most."""
    program = functions.compile(PROGRAMS[name][0], build, *PROGRAMS[name][1:])
    printed = functions.bare(program, tmp_path)
    for cost in functions.COSTS:
        check(functions.run([program], tmp_path, cost, "program"), printed)
    for cost in ("counts", "full"):
        check(functions.run([program], tmp_path, cost), printed)


@pytest.mark.parametrize("name, build", BUILDS)
def test_rewritten(tmp_path, name, build):
    """A copy on disk, alone and recorded."""
    program = functions.compile(PROGRAMS[name][0], build, *PROGRAMS[name][1:])
    printed = functions.bare(program, tmp_path)
    # Beside the program, where it looks for what belongs to it.
    for cost in ("counts", "full"):
        copy = functions.rewrite(program, program.with_name(f"copy-{cost}"), cost, tmp_path)
        alone = native.run_bare([copy], tmp_path)
        assert (alone.returncode, alone.stdout) == (functions.PLAYED, printed)
        recorded = native.run([copy], tmp_path, env=functions.environment())
        check(recorded, printed)

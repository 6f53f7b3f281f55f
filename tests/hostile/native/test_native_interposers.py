"""Other libraries that stand between the program and libc: allocators, sanitizers, clocks."""

import subprocess
from pathlib import Path

import native_support as native
import pytest
import support
from cases import long_except

ALLOCATORS = {
    "tcmalloc": ("libtcmalloc.so.4", "libtcmalloc_minimal.so.4"),
    "jemalloc": ("libjemalloc.so.2",),
}


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


PROGRAMS = {
    "early": (("hostile_early.c",), "x", 4, 9),
    "threads": (("hostile_threads.c",), "detached", 5, 1),
    "processes": (("hostile_processes.c",), "in_thread", 5, 21),
    "locks": (("hostile_surroundings.c",), "work", 5, 2),
}


@pytest.mark.parametrize("allocator", ALLOCATORS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_allocators(tmp_path, options, allocator, name):
    sources, kind, status, _ = PROGRAMS[name]
    env = {"LD_PRELOAD": native.find_library(*ALLOCATORS[allocator])}
    both = native.Both([native.compile(*sources), kind], tmp_path, options, status=status, env=env)
    assert both.states()[native.STATE_CLOSED] == len(both.recordings) >= 1


# Not clang's for threads: it is part of the program, and takes our own tables for races.
SANITIZERS = [
    *[("gcc", kind) for kind in ("address", "undefined", "leak", "thread")],
    *[("clang", kind) for kind in ("address", "undefined", "leak")],
]


# Each of them with everything recorded; what the others add is another compiler, or less.
KEPT = [("locks", "all", "gcc", kind) for kind in ("address", "undefined", "leak", "thread")]
KEPT += [("threads", "all", "gcc", "thread"), ("threads", "default", "clang", "address")]
CASES = [(n, m, *s) for n in ("threads", "locks") for m in native.MODES for s in SANITIZERS]


@pytest.mark.parametrize("case", long_except(CASES, *KEPT), ids="-".join)
def test_sanitizers(tmp_path, case):
    name, mode, compiler, sanitizer = case
    options = native.MODES[mode]
    sources, kind, status, _ = PROGRAMS[name]
    program = native.compile(*sources, f"-fsanitize={sanitizer}", compiler=compiler)
    both = native.Both([program, kind], tmp_path, options, status=status)
    assert both.states()[native.STATE_CLOSED] == len(both.recordings) >= 1


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sanitizer_finds_its_fault(tmp_path, options, compiler):
    """Its report and its status are as without Kymo, in a child of the program too."""
    source = tmp_path / "fault.c"
    source.write_text(
        "#include <stdlib.h>\nint main(int argc, char **argv)\n"
        "{\n\tchar *block = malloc(8);\n\tblock[8 * argc] = 1;\n\treturn block[0];\n}\n"
    )
    program = native.compile(source, "-fsanitize=address", compiler=compiler)
    child = ["/bin/sh", "-c", f"{program} 2>/dev/null; echo $?"]
    both = native.Both(child, tmp_path, options, status=0)
    assert both.bare.stdout == "1\n"
    under = native.run([program], tmp_path / "alone", options)
    assert under.returncode == 1 and "heap-buffer-overflow" in under.stderr


COMMANDS = {
    "run": ["run"],
    "trace": ["run", "--trace"],
    "sample": ["sample"],
    "instrument": ["instrument"],
    "instrument-trace": ["instrument", "--trace"],
}


@pytest.fixture(params=COMMANDS)
def command(request):
    return [support.KYMO, *COMMANDS[request.param], "-q", "--"]


def beside(command, program, tmp_path, **env):
    """Runs a program bare and below a command, which must be the same to see."""
    runs = []
    for name, line in (("bare", program), ("kymo", [*command, *program])):
        (tmp_path / name).mkdir()
        own = {**native.environment(tmp_path / name), **{k: str(v) for k, v in env.items()}}
        runs.append(native._run(line, tmp_path / name, own, {}))
    bare, under = runs
    assert (under.returncode, under.stdout) == (bare.returncode, bare.stdout), under
    assert under.stderr == bare.stderr
    return bare, [native.hostile.read(path) for path in support.find_recordings(tmp_path)]


def is_true(recording):
    """Its times are the machine's: far from what the program was told, and forward."""
    header = recording.header
    assert header.end_ticks >= header.start_ticks
    assert header.start_realtime_ns > 1_600_000_000 * 10**9
    moments = [pair.monotonic_ns for pair in recording.clock.pairs]
    assert moments == sorted(moments) and moments[-1] - moments[0] < support.TIMEOUT_S * 10**9
    return True


SCRIPT = "date +%Y; (date +%m); sleep 0.01"


def forget_ended_processes():
    """libfaketime leaves names by their numbers behind: another process with one cannot start."""
    for name in Path("/dev/shm").glob("*faketime_*"):
        if not Path("/proc", name.name.rpartition("_")[2]).exists():
            name.unlink(missing_ok=True)


def test_faketime(tmp_path, command):
    """The program sees the other time, the recording the true one."""
    forget_ended_processes()
    native.has("faketime", "faketime")
    program = ["faketime", "2001-02-03 04:05:06", "/bin/sh", "-c", SCRIPT]
    bare, recordings = beside(command, program, tmp_path)
    assert (bare.returncode, bare.stdout) == (0, "2001\n02\n")
    assert recordings and all(map(is_true, recordings))


# It stands still, it jumps back, it runs ten times as fast.
@pytest.mark.parametrize("time", ["2001-02-03 04:05:06", "-10y", "@2001-02-03 04:05:06 x10"])
def test_faketime_around_kymo(tmp_path, command, time):
    """The command itself is told the other time."""
    forget_ended_processes()
    library = native.find_library("faketime/libfaketime.so.1")
    program = ["/bin/sh", "-c", SCRIPT]
    bare, recordings = beside(command, program, tmp_path, LD_PRELOAD=library, FAKETIME=time)
    assert bare.returncode == 0
    assert recordings and all(map(is_true, recordings))


def test_fakeroot(tmp_path, command):
    """Owners that are not, which a service of its own keeps in mind until the end."""
    native.has("fakeroot", "fakeroot")
    script = "id -u; touch it; chown 5:7 it; stat -c %u:%g it; exit 3"
    bare, recordings = beside(command, ["fakeroot", "/bin/sh", "-c", script], tmp_path)
    assert (bare.returncode, bare.stdout) == (3, "0\n5:7\n") and recordings


def test_eatmydata(tmp_path, command):
    native.has("eatmydata", "eatmydata")
    script = "echo text >it; sync it; cat it; exit 3"
    bare, recordings = beside(command, ["eatmydata", "/bin/sh", "-c", script], tmp_path)
    assert (bare.returncode, bare.stdout) == (3, "text\n") and recordings


def test_all_is_replaced(tmp_path, command):
    """A library whose functions are of no use any more when it has ended."""
    library = native.compile(
        "replaces_calls.c", "-shared", "-fPIC", output="libreplaces.so", compiler="gcc"
    )
    program = native.compile("hostile_threads.c")
    bare, recordings = beside(command, [program, "detached"], tmp_path, LD_PRELOAD=library)
    assert bare.returncode == 5 and recordings


def test_debugger(tmp_path):
    """Under gdb, which runs programs by a shell."""
    native.has("gdb", "gdb")
    program = native.compile("hostile_threads.c")
    line = ["gdb", "-q", "-batch", "-ex", "run", "--args", program, "forced"]
    under = native.run(line, tmp_path, native.ALL, stderr=subprocess.STDOUT)
    assert "100 ended by force" in under.stdout
    assert "exited with code 05" in under.stdout
    assert len(support.find_recordings(tmp_path / "out")) >= 2

"""Other libraries that stand between the program and libc: allocators, sanitizers, clocks."""

import subprocess

import native_support as native
import pytest
import support

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


@pytest.mark.parametrize("compiler, sanitizer", SANITIZERS)
@pytest.mark.parametrize("name", ["threads", "locks"])
def test_sanitizers(tmp_path, options, compiler, sanitizer, name):
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


def test_faketime(tmp_path, options):
    """The program sees the other time, the recording the true one."""
    native.has("faketime", "faketime")
    script = "date +%Y; (date +%m); sleep 0.01"
    wrapper = ["faketime", "2001-02-03 04:05:06"]
    both = native.Both(["/bin/sh", "-c", script], tmp_path, options, status=0, wrapper=wrapper)
    assert both.bare.stdout == "2001\n02\n"
    for recording in both.recordings:
        header = recording.header
        assert header.end_ticks >= header.start_ticks


def test_faketime_below_kymo(tmp_path, options):
    native.has("faketime", "faketime")
    program = ["faketime", "2001-02-03 04:05:06", "date", "+%Y"]
    both = native.Both(program, tmp_path, options, status=0)
    assert both.bare.stdout == "2001\n"
    assert both.states()[native.STATE_CLOSED] >= 1


def test_debugger(tmp_path):
    """Under gdb, which runs programs by a shell."""
    native.has("gdb", "gdb")
    program = native.compile("hostile_threads.c")
    line = ["gdb", "-q", "-batch", "-ex", "run", "--args", program, "forced"]
    under = native.run(line, tmp_path, native.ALL, stderr=subprocess.STDOUT)
    assert "100 ended by force" in under.stdout
    assert "exited with code 05" in under.stdout
    assert len(support.find_recordings(tmp_path / "out")) >= 2

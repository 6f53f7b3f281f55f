"""Functions of C++ have their full names in files without a symbol table of their own: from debug
information, from a debug file, from the symbols that some systems leave in stripped programs."""

import json
import struct
import subprocess

import pytest
import support

PROGRAM = """
namespace harbour { namespace tide {
__attribute__((noinline)) static double height(int n)
{
    volatile double s = 0;
    for (int i = 0; i < n; i++)
        s += i % 7;
    return s;
}
struct Basin {
    __attribute__((noinline)) double fill(int n) { return height(n) * 2; }
};
}}
int main()
{
    harbour::tide::Basin basin;
    double s = 0;
    for (int i = 0; i < 1000; i++)
        s += basin.fill(20000);
    return s < 0;
}
"""
SHT_PROGBITS, SHT_SYMTAB = 1, 2
HEIGHT, FILL = "harbour::tide::height", "harbour::tide::Basin::fill"


def debug_information(run, folder):
    """No usual tool takes the symbols alone: here their section is made one that means nothing."""
    data = bytearray((folder / "whole").read_bytes())
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for at in range(table, table + size * count, size):
        if struct.unpack_from("<I", data, at + 4)[0] == SHT_SYMTAB:
            struct.pack_into("<I", data, at + 4, SHT_PROGBITS)
    (folder / "work").write_bytes(data)
    (folder / "work").chmod(0o755)


def debug_file(run, _folder):
    run("objcopy", "--only-keep-debug", "whole", "work.debug")
    run("strip", "--strip-all", "-o", "bare", "whole")
    run("objcopy", "--add-gnu-debuglink=work.debug", "bare", "work")


def compressed_symbols(run, _folder):
    """As Fedora makes it: only the symbols that the loader does not need."""
    run("strip", "--strip-all", "-o", "bare", "whole")
    run("objcopy", "--only-keep-debug", "whole", "debug")
    run("objcopy", "--strip-all", "--keep-symbols=kept", "debug", "symbols")
    run("xz", "-f", "symbols")
    run("objcopy", "--add-section", ".gnu_debugdata=symbols.xz", "bare", "work")


@pytest.fixture(params=[debug_information, debug_file, compressed_symbols])
def work(request, tmp_path):
    def run(*command):
        subprocess.run(command, cwd=tmp_path, check=True)

    (tmp_path / "work.cc").write_text(PROGRAM)
    (tmp_path / "kept").write_text("_ZN7harbour4tideL6heightEi\n_ZN7harbour4tide5Basin4fillEi\n")
    run("g++", "-g", "-O1", "-Wl,--build-id", "-o", "whole", "work.cc")
    request.param(run, tmp_path)
    sections = subprocess.run(
        ["readelf", "-S", "-W", "work"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert " SYMTAB " not in sections.stdout
    (tmp_path / "whole").unlink()
    return tmp_path / "work"


def bare(name):
    """Debug information does not spell the parameters of local functions."""
    return name.split("(int)")[0]


def regions(folder, *command):
    environment = {"KYMO_OUTPUT_PATH": folder / "out", "KYMO_TIME_OUTPUT": "OFF"}
    finished = support.run_kymo([*command, "--", folder / "work"], cwd=folder, env=environment)
    assert finished.returncode == 0, finished.stderr
    told = support.run_kymo(["report", "out", "--top", "0", "--format", "json"], cwd=folder)
    assert told.returncode == 0, told.stderr
    return {bare(row["name"]): row for row in json.loads(told.stdout)["regions"]}


def test_counted_functions(work):
    found = regions(work.parent, "instrument")
    assert found[HEIGHT]["calls"] == found[FILL]["calls"] == 1000


def test_sampled_functions(work):
    assert {HEIGHT, FILL} <= set(regions(work.parent, "sample"))


def test_symbols_that_are_no_file_are_passed_by(tmp_path):
    (tmp_path / "work.c").write_text("int main(void) { return 0; }")
    (tmp_path / "junk").write_bytes(b"\xfd7zXZ\0" + bytes(range(256)))
    commands = (
        "gcc -s -o bare work.c",
        "objcopy --add-section .gnu_debugdata=junk bare work",
    )
    for command in commands:
        subprocess.run(command.split(), cwd=tmp_path, check=True)
    assert regions(tmp_path, "instrument")

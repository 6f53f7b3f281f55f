"""The headers alone: every language they promise, and programs without Kymo."""

import shutil

import annotate_runs as annotate
import pytest
import support

C = ["c11", "gnu17", "c2x"]
CXX = ["c++11", "c++14", "c++17", "c++20"]
COMPILERS = [
    *[("gcc", standard) for standard in C],
    *[("clang", standard) for standard in C],
    *[("g++", standard) for standard in CXX],
    *[("clang++", standard) for standard in CXX],
]
OLDEST_AND_NEWEST = [each for each in COMPILERS if each[1] in (C[0], C[-1], CXX[0], CXX[-1])]
FORMS = {
    "plain": ["-O0"],
    "optimised": ["-O2", "-Wshadow", "-Wconversion"],
    "disabled": ["-O1", "-DKYMO_DISABLE"],
}
EVERYTHING = "annotate_all.c"


def compilers():
    """All of them; of the standards between the oldest and the newest one they are long."""
    for each in COMPILERS:
        marks = [] if each in OLDEST_AND_NEWEST else pytest.mark.long
        yield pytest.param(*each, marks=marks)


def syntax(tmp_path, compiler, text, *flags):
    language = "c++" if compiler.endswith("++") else "c"
    source = tmp_path / "header.c"
    source.write_text(text)
    command = [compiler, *annotate.WARNINGS, f"-I{annotate.INCLUDE}", "-x", language, *flags]
    result = support.run([*command, "-c", source, "-o", tmp_path / "o"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(("compiler", "standard"), compilers())
def test_header_compiles_alone(tmp_path, compiler, standard):
    for flags in FORMS.values():
        text = "#include <kymo/kymo.h>\n#include <kymo/kymo.h>\n"
        syntax(tmp_path, compiler, text, f"-std={standard}", *flags)
    text = support.program(EVERYTHING).read_text()
    syntax(tmp_path, compiler, text, f"-std={standard}", "-O1", "-D_GNU_SOURCE")


@pytest.mark.parametrize("compiler", ["gcc", "g++", "clang", "clang++"])
def test_header_goes_with_that_of_collectors(tmp_path, compiler):
    include = [
        "-I" + str(support.REPOSITORY / "src"),
        "-Wno-pedantic",
        "-Wno-missing-field-initializers",
    ]
    both = ["kymo/kymo.h", "kymo/collector.h"]
    for order in (both, both[::-1]):
        text = "".join(f"#include <{header}>\n" for header in order)
        syntax(tmp_path, compiler, text, "-O1", "-D_GNU_SOURCE", *include)


def test_header_compiles_for_other_processors(tmp_path):
    text = "#include <kymo/kymo.h>\nint f(void);\nint f(void) { return kymo_stop(); }\n"
    for target in ("aarch64-linux-gnu", "i686-linux-gnu", "riscv64-linux-gnu"):
        syntax(tmp_path, "clang", text, f"--target={target}", "-ffreestanding")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_nothing_is_left_when_disabled(tmp_path, compiler):
    program = annotate.compile(
        tmp_path, EVERYTHING, "-O1", "-DKYMO_DISABLE", compiler=compiler, output="off"
    )
    symbols = support.run(["nm", program], cwd=tmp_path).stdout
    assert "kymo_slot" not in symbols and "kymo_bind" not in symbols
    assert "Kymo" not in support.run(["readelf", "-nW", program], cwd=tmp_path).stdout
    output, found = annotate.run(tmp_path, [program], TRACE="ON")
    assert all_not_loaded(output)
    assert set(annotate.paths(found[0])) == set()


def all_not_loaded(output):
    lines = output.splitlines()
    results = {line.rsplit(" ", 1)[1] for line in lines[1:]}
    return lines[0] == "kymo_is_loaded() 0" and results == {str(annotate.NOT_LOADED)}


@pytest.mark.parametrize("flags", [[], ["-static"], ["-no-pie"]], ids=" ".join)
def test_without_kymo_every_call_says_so(tmp_path, flags):
    program = annotate.compile(tmp_path, EVERYTHING, *flags)
    result = support.run([program], cwd=tmp_path)
    assert result.returncode == 0 and result.stderr == ""
    assert all_not_loaded(result.stdout)


def test_static_programs_are_left_alone(tmp_path):
    program = annotate.compile(tmp_path, EVERYTHING, "-static")
    environment = {"LD_PRELOAD": annotate.PRELOADED, **annotate.silent(tmp_path)}
    result = support.run([program], cwd=tmp_path, env=environment)
    assert result.returncode == 0 and all_not_loaded(result.stdout)
    assert not (tmp_path / "out").exists()


LINKED = [
    ["-O0"],
    ["-O2", "-no-pie", "-fno-pie"],
    ["-O2", "-flto"],
    ["-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
    ["-O2", "-fvisibility=hidden", "-s"],
]


@pytest.mark.parametrize("flags", LINKED, ids=" ".join)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_slot_is_found_however_linked(tmp_path, compiler, flags):
    if compiler == "clang" and "-flto" in flags and not shutil.which("ld.lld"):
        flags = [flag for flag in flags if flag != "-flto"]
    program = annotate.compile(tmp_path, EVERYTHING, *flags, compiler=compiler)
    output, found = annotate.run(tmp_path, [program])
    assert output.startswith("kymo_is_loaded() 1\n")
    assert annotate.paths(found[0])["phase/n=2/solver=cg/by name"] == 1

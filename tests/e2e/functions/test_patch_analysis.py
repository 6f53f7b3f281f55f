"""What the analysis of native code decides for each function: one function for each of its
rules, and programs of several compilers whose returns another disassembler counts."""

import re
import shutil
import subprocess
from dataclasses import dataclass

import functions_support
import pytest
import support
from cases import long_except

COVERAGE = support.BUILD / "tests" / "patch_coverage"

pytestmark = pytest.mark.skipif(
    not COVERAGE.exists(), reason="the build has no analysis of native code"
)


@dataclass
class Function:
    address: int
    size: int
    way: str
    entry: str
    returns: int
    jumps: int
    loops: int
    flags: str
    reason: str


def analyse(path):
    """{name: Function}, those without a name by their address."""
    result = subprocess.run(
        [COVERAGE, "-f", path], capture_output=True, text=True, timeout=support.TIMEOUT_S
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = {}
    for line in result.stdout.splitlines():
        fields = line.split("\t")
        if len(fields) == 10:
            name, address, size, way, entry, returns, jumps, loops, flags, reason = fields
            key = name if name != "-" else int(address, 16)
            found[key] = Function(
                int(address, 16),
                int(size),
                way,
                entry,
                int(returns),
                int(jumps),
                int(loops),
                flags,
                reason,
            )
    return found


def build(folder, compiler, *arguments, name="built"):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = folder / name
    result = subprocess.run([compiler, *arguments, "-o", path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return path


# way, entry, returns, jumps, loops, flags, reason
RULES = {
    "whole_instructions": ("exits", "cave", 1, 0, 0, "-", "fine"),
    "with_padding": ("exits", "padding", 1, 0, 0, "-", "fine"),
    "behind_endbr": ("exits", "jump", 1, 0, 0, "-", "fine"),
    "left_by_compiler": ("exits", "hook", 1, 0, 0, "-", "fine"),
    "short_with_cave": ("exits", "cave", 1, 0, 0, "-", "fine"),
    "neighbour": ("exits", "jump", 1, 0, 0, "-", "fine"),
    "one_byte": ("none", "-", 0, 0, 0, "-", "too-short"),
    "jumped_into": ("none", "-", 0, 0, 0, "-", "branch-into-entry"),
    "asks_where_it_is": ("none", "-", 0, 0, 0, "-", "not-movable"),
    "begins_with_trap": ("none", "-", 0, 0, 0, "-", "not-movable"),
    "displaces_lookup": ("none", "-", 0, 0, 0, "-", "not-movable"),
    "displaces_reader": ("exits", "cave", 1, 0, 0, "-", "fine"),
    "without_description": ("none", "-", 0, 0, 0, "-", "no-frame-rule"),
    "again_and_again": ("exits", "jump", 1, 0, 1, "-", "fine"),
    "again_by_loop": ("none", "-", 0, 0, 0, "-", "branch-into-entry"),
    "leaves_by_jumps": ("exits", "jump", 0, 3, 0, "-", "fine"),
    "leaves_by_import": ("exits", "jump", 0, 1, 0, "-", "fine"),
    "leaves_by_pointer": ("exits", "jump", 0, 1, 0, "-", "fine"),
    "leaves_with_frame": ("entries", "jump", 0, 0, 0, "-", "reads-return"),
    "switches": ("exits", "jump", 4, 0, 0, "-", "fine"),
    "computes_jump": ("call", "jump", 0, 0, 0, "-", "fine"),
    "return_without_room": ("call", "jump", 0, 0, 0, "-", "fine"),
    "reads_return": ("entries", "jump", 0, 0, 0, "-", "reads-return"),
    "jumps_to_reader": ("entries", "jump", 0, 0, 0, "-", "reads-return"),
    "_setjmp": ("entries", "jump", 0, 0, 0, "-", "reads-return"),
    "has_table_inside": ("call", "jump", 0, 0, 0, "-", "fine"),
    "does_not_decode": ("entries", "jump", 0, 0, 0, "-", "undecoded"),
    "falls_into_next": ("call", "jump", 0, 0, 0, "-", "fine"),
    "has_cold_part": ("exits", "jump", 2, 0, 0, "-", "fine"),
    "has_cold_part.cold": ("none", "-", 0, 0, 0, "-", "part"),
    "takes_carry": ("exits", "jump", 1, 0, 0, "entry", "fine"),
    "gives_comparison": ("exits", "jump", 1, 0, 0, "-exits", "fine"),
    "gives_carry": ("exits", "jump", 1, 0, 0, "-exits", "fine"),
    "asks_for_carry": ("exits", "cave", 1, 0, 0, "-", "fine"),
    "outer": ("call", "jump", 0, 0, 0, "-", "fine"),
    "inner": ("none", "-", 0, 0, 0, "-", "overlapping"),
    "calls_hook": ("none", "-", 0, 0, 0, "-", "instrumented"),
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    source = support.program("analysis_rules.s")
    return build(folder, "gcc", "-shared", "-nostdlib", "-Wl,-Bsymbolic", source)


@pytest.mark.parametrize("name", RULES)
def test_rule(rules, name):
    found = analyse(rules)[name]
    assert (
        found.way,
        found.entry,
        found.returns,
        found.jumps,
        found.loops,
        found.flags,
        found.reason,
    ) == RULES[name]


def test_stripped_is_the_same(rules, tmp_path):
    """Without a symbol table the unwind tables and exported symbols say the same."""
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, rules], check=True)
    whole, bare = analyse(rules), analyse(stripped)
    by_address = {function.address: function for function in bare.values()}
    part = whole.pop("has_cold_part.cold").address
    for name, function in whole.items():
        if isinstance(name, str):
            assert by_address[function.address] == function, name
    # Nothing calls it, and it comes back into the midst of another one.
    assert by_address[part].reason == "part"


def test_no_sections(rules, tmp_path):
    """A file whose table of sections was cut off."""
    contents = bytearray(rules.read_bytes())
    contents[0x28:0x30] = bytes(8)  # e_shoff
    contents[0x3C:0x40] = bytes(4)  # e_shnum, e_shstrndx
    path = tmp_path / "cut"
    path.write_bytes(contents)
    whole, bare = analyse(rules), analyse(path)
    for name in ("whole_instructions", "switches", "reads_return", "has_cold_part"):
        assert bare[name] == whole[name]


BUILDS = {
    "gcc -O0": ("gcc", "-O0"),
    "gcc -O2": ("gcc", "-O2"),
    "gcc -Os": ("gcc", "-Os"),
    "gcc -O3 -march=x86-64-v4": ("gcc", "-O3", "-march=x86-64-v4"),
    "gcc CET": ("gcc", "-O2", "-fcf-protection=full"),
    "gcc fixed": ("gcc", "-O2", "-no-pie", "-fno-pie"),
    "gcc no PLT": ("gcc", "-O2", "-fno-plt", "-Wl,-z,now"),
    "gcc RELR": ("gcc", "-O2", "-Wl,-z,pack-relative-relocs"),
    "clang -O2": ("clang", "-O2"),
    "clang -O0": ("clang", "-O0"),
}


def returns_by_function(path):
    """{name: number of returns} as objdump has it, cold parts with their functions."""
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True
    ).stdout
    counts, name = {}, None
    for line in listing.splitlines():
        if head := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
            name = re.sub(r"\.cold$", "", head[1])
            counts.setdefault(name, 0)
        elif re.search(r":\t(rep[z]? |bnd )?ret", line):
            counts[name] += 1
    return counts


SOURCES = ["functions_calls.c", "functions_jumps.c", "functions_throws.cc"]
MATRIX = [(SOURCES[0], flags) for flags in BUILDS] + [
    (source, flags) for source in SOURCES[1:] for flags in ("gcc -O2", "gcc CET", "clang -O2")
]


# C++ takes seconds to compile: by default the one build that others have, too.
SHARED = "gcc -O2"
KEPT = [case for case in MATRIX if case[0] != SOURCES[2]] + [(SOURCES[2], SHARED)]


def build_of(source, flags, folder):
    if flags == SHARED:
        return functions_support.compile(source, functions_support.find_build("O2"))
    compiler, *options = BUILDS[flags]
    if source.endswith(".cc"):
        compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
        options.append("-std=c++17")
    return build(folder, compiler, *options, "-pthread", support.program(source))


@pytest.mark.parametrize("case", long_except(MATRIX, *KEPT), ids=" ".join)
def test_all_returns_are_found(tmp_path, case):
    program = build_of(*case, tmp_path)
    functions, returns = analyse(program), returns_by_function(program)
    whole = {n: f for n, f in functions.items() if f.way == "exits" and n in returns}
    assert len(whole) > 10
    for name, function in whole.items():
        assert function.returns == returns[name], name
    candidates = [f for f in functions.values() if f.reason not in ("part", "stub", "start")]
    assert sum(f.way != "none" for f in candidates) >= 0.9 * len(candidates)


def test_room_for_patches(tmp_path):
    """-fpatchable-function-entry leaves room: no instruction is moved."""
    source = support.program("functions_calls.c")
    program = build(tmp_path, "gcc", "-O2", "-fpatchable-function-entry=5", "-pthread", source)
    found = [f for f in analyse(program).values() if f.way != "none"]
    assert len(found) > 10
    assert sum(f.entry == "hook" for f in found) > 0.9 * len(found)


@pytest.mark.parametrize("flag, way", [("-pg", "exits"), ("-finstrument-functions", "hook")])
def test_hooks_of_compilers(tmp_path, flag, way):
    """What reports its calls already is recorded by that; a call of mcount is in nobody's way."""
    source = support.program("functions_calls.c")
    program = build(tmp_path, "gcc", "-O2", flag, "-pthread", source)
    found = [f for f in analyse(program).values() if f.way == way]
    assert len(found) > 10


def refusal(path):
    result = subprocess.run([COVERAGE, path], capture_output=True, text=True)
    return result.stdout.splitlines()[0]


def changed(program, folder, offset, *values):
    contents = bytearray(program.read_bytes())
    contents[offset : offset + len(values)] = bytes(values)
    path = folder / "changed"
    path.write_bytes(contents)
    return path


@pytest.mark.parametrize(
    ("offset", "values", "text"),
    [
        (0, b"no", "it is not an ELF file"),
        (4, [1], "it is for a 32-bit processor"),
        (5, [2], "it is for a big-endian processor"),
        (16, [1, 0], "it is not linked: an object file"),
        (16, [4, 0], "it is neither a program nor a shared library"),
        (18, [243, 0], "it is for another kind of processor than x86-64 and aarch64"),
        (32, [0xFF, 0xFF, 0xFF, 0xFF], "its table of segments is damaged"),
        (54, [55, 0], "its table of segments is damaged"),
        (56, [0, 0], "its table of segments is damaged"),
    ],
)
def test_refusals(rules, tmp_path, offset, values, text):
    path = changed(rules, tmp_path, offset, *values)
    assert refusal(path) == f"cannot instrument '{path}': {text}"


def test_files_that_are_none(tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    assert refusal(empty) == f"cannot instrument '{empty}': it is not an ELF file"
    assert refusal(tmp_path) == f"cannot instrument '{tmp_path}': it is not an ELF file"
    missing = tmp_path / "missing"
    assert refusal(missing) == f"cannot open '{missing}': No such file or directory"


def test_every_length_of_a_file(rules, tmp_path):
    """However short it is cut, it is refused or analysed, in one line."""
    contents = rules.read_bytes()
    path = tmp_path / "cut"
    for size in range(1, len(contents), 499):
        path.write_bytes(contents[:size])
        result = subprocess.run([COVERAGE, path], capture_output=True, text=True)
        assert result.returncode in (0, 1), (size, result.stderr)
        assert len(result.stdout.splitlines()) == 2

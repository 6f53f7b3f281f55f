"""Functions, inlines and lines of native addresses, compared with what other tools say of the
same files: addr2line, objdump and nm."""

import re

import pytest
import support
from located import INLINED, addr2line, build, call, functions_of, instructions, locate

TEMPLATES = "locations_templates.cc"
FORTRAN = "locations_fortran.f90"

# As the compiler calls the parts and variants of a function.
VARIANT = re.compile(r"\.(cold|part|constprop|isra)\b.*| \[clone .*")


def is_part(rows, of):
    """Whether rows are all in another list, in its order."""
    rest = iter(of)
    return all(row in rest for row in rows)


COMPILED = [
    ("gcc", INLINED, "-g -O2"),
    ("gcc", INLINED, "-g -O2 -gdwarf-4 -no-pie"),
    ("gcc", INLINED, "-g1 -O2"),
    ("gcc", INLINED, "-g1 -O2 -static-pie"),
    ("gcc", INLINED, "-g -O2 -gz"),
    ("clang", INLINED, "-g -O2"),
    ("clang", INLINED, "-g -O1 -gdwarf-4"),
    ("g++", TEMPLATES, "-g -O2"),
    ("clang++", TEMPLATES, "-g -O1"),
    ("gfortran", FORTRAN, "-g -O2"),
]


def compiled():
    """All of them.  Long are a static program, of which names are read below, as it has all of
    the C library, and the second of two compilers' templates."""
    for each in COMPILED:
        is_long = "-static-pie" in each[2] or each[:2] == ("clang++", TEMPLATES)
        yield pytest.param(*each, marks=pytest.mark.long if is_long else [])


def rows_of(places):
    return [place.row for place in places]


@pytest.mark.parametrize(("compiler", "source", "flags"), compiled())
def test_lines_and_inlines(compiler, source, flags, tmp_path):
    program = build(tmp_path, compiler, source, *flags.split())
    addresses = instructions(program, "-j", ".text")
    ours, problems = locate(program, addresses)
    theirs = addr2line(program, addresses)
    assert not problems
    compared = inlined = 0
    for address in addresses:
        if not theirs[address][0].line:
            continue
        compared += 1
        inlined += len(ours[address]) > 1
        # addr2line leaves some out, but what it has is there.
        known = [place for place in theirs[address] if place.line]
        assert ours[address][0].row == theirs[address][0].row
        assert is_part(rows_of(known), rows_of(ours[address])), (ours[address], known)
        flags_found = [place.is_inlined for place in ours[address]]
        assert flags_found == [True] * (len(flags_found) - 1) + [False]
    assert compared > 30
    if source != FORTRAN:
        assert inlined >= 10


@pytest.mark.parametrize(("compiler", "flags"), [("gcc", "-gdwarf-5"), ("clang", "-gdwarf-4")])
def test_split_debug_information(compiler, flags, tmp_path):
    """Beside the program, as the compiler left it; without it there are names and lines."""
    whole = build(tmp_path, compiler, INLINED, "-O2", "-g", flags)
    addresses = instructions(whole, "-j", ".text")
    expected, _ = locate(whole, addresses)
    split = build(tmp_path, compiler, INLINED, "-O2", "-g", flags, "-gsplit-dwarf")
    found, _ = locate(split, addresses)
    assert functions_of(found) == functions_of(expected)
    for path in tmp_path.glob("*.dwo"):
        path.unlink()
    found, _ = locate(split, addresses)
    for address in addresses:
        assert len(found[address]) == 1
        assert found[address][0].line == expected[address][0].line
        if expected[address][-1].is_named:
            assert found[address][0].function == expected[address][-1].function


@pytest.mark.parametrize(("compiler", "flags"), [("gcc", "-g -O2"), ("clang", "-g -O2")])
def test_names_of_inlined_functions(compiler, flags, tmp_path):
    program = build(tmp_path, compiler, INLINED, *flags.split())
    addresses = instructions(program, "-j", ".text")
    ours, _ = locate(program, addresses)
    chains = {tuple(place.function for place in ours[each]) for each in addresses}
    assert ("twist", "scale", "deep", "work") in chains
    lines = {place.function: place.first_line for each in addresses for place in ours[each]}
    source = support.program(INLINED).read_text().splitlines()
    assert source[lines["work"] - 1].endswith("work(const char *text, int n)")
    assert source[lines["main"] - 1].startswith("int main(")
    theirs = addr2line(program, addresses)
    for address in addresses:
        outer = VARIANT.sub("", theirs[address][-1].function)
        if outer in ("main", "work", "exported") and ours[address][-1].is_named:
            assert ours[address][-1].function == outer


def test_choice_of_what_is_wanted(tmp_path):
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    addresses = instructions(program, "-j", ".text")
    everything, _ = locate(program, addresses)
    lines, _ = locate(program, addresses, "lines")
    names, _ = locate(program, addresses, "names")
    for address in addresses:
        outermost = everything[address][-1]
        assert [repr(place) for place in lines[address]] == [repr(outermost)]
        assert [place.line for place in names[address]] == [0]
        if outermost.is_named:
            assert names[address][0].function == outermost.function


def test_names_of_templates_and_modules(tmp_path):
    program = build(tmp_path, "g++", TEMPLATES, "-g", "-O1")
    ours, _ = locate(program, instructions(program, "-j", ".text"))
    names = {place.function for places in ours.values() for place in places}
    assert "shop::only_here(int)" in names
    assert any(name.startswith("std::vector<int, std::allocator<int> >::") for name in names)
    # Functions of one file have no linkage name where they are inlined.
    program = build(tmp_path, "g++", TEMPLATES, "-g", "-O2", name="optimized")
    ours, _ = locate(program, instructions(program, "-j", ".text"))
    names = {place.function for places in ours.values() for place in places}
    assert {"run::{lambda}::operator()", "(anonymous namespace)::local::get"} <= names
    program = build(tmp_path, "gfortran", FORTRAN, "-O2", name="fortran")
    ours, _ = locate(program, instructions(program, "-j", ".text"))
    assert "numbers::fill" in {places[0].function for places in ours.values()}


def symbols_of(program, *options):
    """[(start, end, name)] of functions, by nm."""
    rows = [line.split() for line in call("nm", "-S", *options, program).splitlines()]
    return [
        (int(row[0], 16), int(row[0], 16) + int(row[1], 16), VARIANT.sub("", row[3]))
        for row in rows
        if len(row) == 4 and row[2] in "tTwWi"
    ]


def test_names_without_debug_information(tmp_path):
    program = build(tmp_path, "gcc", INLINED, "-O2", "-static-pie")
    addresses = instructions(program, "-j", ".text")[::7]
    ours, _ = locate(program, addresses)
    names = {}
    for start, end, name in symbols_of(program):
        for address in range(start, end):
            names.setdefault(address, set()).add(name)
    compared = 0
    for address in addresses:
        expected = names.get(int(address, 16))
        compared += expected is not None
        assert expected is None or ours[address][0].function in expected
    assert compared > 1000


def test_stripped_functions_stay_together(tmp_path):
    """A function that no symbol names is not taken for the one before it."""
    whole = build(tmp_path, "gcc", INLINED, "-O2", "-rdynamic")
    stripped = tmp_path / "stripped"
    call("strip", "-o", stripped, whole)
    addresses = instructions(whole, "-j", ".text")
    ours, problems = locate(stripped, addresses)
    assert not problems
    for start, end, name in symbols_of(whole):
        if name not in ("work", "exported", "main"):
            continue
        found = {ours[each][0].function for each in addresses if start <= int(each, 16) < end}
        assert found == {name if name != "work" else f"stripped+{start:#x}"}
        assert ours[f"{start:x}"][0].is_named == (name != "work")


def test_functions_without_a_size(tmp_path):
    """They reach up to the next one, and what is behind a function with a size is not its own."""
    program = build(tmp_path, "gcc", "locations_sizeless.s", "-no-pie")
    starts = {}
    for line in call("nm", program).splitlines():
        *start, kind, name = line.split()
        if kind in "tT":
            starts[name] = int(start[0], 16)
    first, second, main = (starts[name] for name in ("first", "second", "main"))
    addresses = [f"{each:x}" for each in range(first, main + 4)]
    found, _ = locate(program, addresses)
    for address in addresses:
        value = int(address, 16)
        expected = "first" if value < second else "second" if value < main else "main"
        if value == main + 3:
            assert not found[address][0].is_named
        else:
            assert found[address][0].function == expected
    # Nor does the last function of a section reach into the next section.
    stub = re.search(r"\.plt\S* +PROGBITS +0*([0-9a-f]+)", call("readelf", "-SW", program))
    if stub:
        found, _ = locate(program, [stub.group(1)])
        assert found[stub.group(1)][0].function != "_init"


STUBS = ["-Wl,-z,lazy", "-Wl,-z,now", "-Wl,-z,ibtplt", "-fcf-protection -Wl,-z,ibtplt,-z,now"]


@pytest.mark.parametrize("flags", STUBS)
def test_stubs_have_the_names_of_what_they_call(flags, tmp_path):
    program = build(tmp_path, "gcc", INLINED, "-O2", *flags.split())
    call("strip", program)
    sections = re.findall(r" (\.plt\S*) ", call("readelf", "-SW", program))
    listing = call("objdump", "-d", *[f"-j{section}" for section in sections], program)
    labels = re.findall(r"^0*([0-9a-f]+) <(\S+@plt)>:", listing, re.MULTILINE)
    assert len(labels) >= 2
    ours, _ = locate(program, [address for address, _ in labels])
    for address, name in labels:
        assert ours[address][0].function == name

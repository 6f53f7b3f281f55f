"""Functions, inlines and lines of native addresses, compared with what other tools say of the
same files: addr2line, objdump and nm."""

import http.server
import random
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
import support

LOCATE = support.BUILD / "tests" / "locate_addresses"

INLINED = "locations_inlined.c"
TEMPLATES = "locations_templates.cc"
FORTRAN = "locations_fortran.f90"

# As the compiler calls the parts and variants of a function.
VARIANT = re.compile(r"\.(cold|part|constprop|isra)\b.*| \[clone .*")


def call(*command, input=None):
    result = subprocess.run(
        [str(part) for part in command], input=input, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def build(folder, compiler, source, *flags, name="program"):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = folder / name
    # In the folder, so that split debug information lies beside the program.
    subprocess.run([compiler, *flags, support.program(source), "-o", path], check=True, cwd=folder)
    return path


def instructions(program, *sections):
    """Addresses of all instructions, as hexadecimal digits."""
    listing = call("objdump", "-d", "--no-show-raw-insn", *sections, program)
    return re.findall(r"^ +([0-9a-f]+):\t", listing, re.MULTILINE)


class Place:
    """One function at an address."""

    def __init__(self, function, file, line, first_line="0", flags=""):
        self.function = function
        self.file = file.rsplit("/", 1)[-1]
        self.line = int(line)
        self.first_line = int(first_line)
        self.is_inlined = "i" in flags
        self.is_named = "n" in flags

    def __repr__(self):
        return f"{self.function} ({self.file}:{self.line})"

    @property
    def row(self):
        return (self.file, self.line)


def locate(program, addresses, *options, env=None):
    """({address: [Place]}, problems) as Kymo says."""
    result = support.run(
        [LOCATE, program, *options], cwd=program.parent, input="\n".join(addresses), env=env
    )
    assert result.returncode == 0, result.stderr
    found = {}
    for line in result.stdout.splitlines():
        address, *fields = line.split("\t")
        found.setdefault(address, []).append(Place(*fields))
    return found, result.stderr.splitlines()


def addr2line(program, addresses):
    """The same by binutils."""
    text = call("addr2line", "-a", "-i", "-f", "-C", "-e", program, input="\n".join(addresses))
    found = {}
    lines = iter(text.splitlines())
    places = None
    for line in lines:
        if re.fullmatch("0x[0-9a-f]+", line):
            places = found[line[2:].lstrip("0")] = []
            continue
        file, number = re.sub(r" \(discriminator \d+\)", "", next(lines)).rsplit(":", 1)
        places.append(Place(line, file, number.replace("?", "0")))
    return found


def functions_of(found):
    return {address: [repr(place) for place in places] for address, places in found.items()}


def is_part(rows, of):
    """Whether rows are all in another list, in its order."""
    rest = iter(of)
    return all(row in rest for row in rows)


COMPILED = [
    ("gcc", INLINED, "-g -O2"),
    ("gcc", INLINED, "-g -O2 -gdwarf-4 -no-pie"),
    ("gcc", INLINED, "-g1 -O2 -static-pie"),
    ("gcc", INLINED, "-g -O2 -gz"),
    ("clang", INLINED, "-g -O2"),
    ("clang", INLINED, "-g -O1 -gdwarf-4"),
    ("g++", TEMPLATES, "-g -O2"),
    ("clang++", TEMPLATES, "-g -O1"),
    ("gfortran", FORTRAN, "-g -O2"),
]


def rows_of(places):
    return [place.row for place in places]


@pytest.mark.parametrize(("compiler", "source", "flags"), COMPILED)
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


@pytest.mark.parametrize("place", ["beside", ".debug"])
@pytest.mark.parametrize("has_id", [True, False], ids=["build-id", "checksum"])
def test_separate_debug_file(place, has_id, tmp_path):
    flag = "-Wl,--build-id" if has_id else "-Wl,--build-id=none"
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2", flag)
    addresses = instructions(program, "-j", ".text")
    options = [f"build-id={build_id(program)}"] if has_id else []
    whole, _ = locate(program, addresses, *options)
    folder = tmp_path if place == "beside" else tmp_path / place
    folder.mkdir(exist_ok=True)
    debug = folder / "program.debug"
    call("objcopy", "--only-keep-debug", program, debug)
    call("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program)
    found, problems = locate(program, addresses, *options)
    assert functions_of(found) == functions_of(whole)
    assert not problems
    # One of another build is none.
    other = build(tmp_path, "gcc", INLINED, "-g", "-O1", flag, name="other")
    call("objcopy", "--only-keep-debug", other, debug)
    found, _ = locate(program, addresses, *options)
    assert {place.line for places in found.values() for place in places} == {0}


def test_debug_file_of_the_system():
    """By build id below /usr/lib/debug, where packages put them: that of the C library."""
    program = Path(re.search(r"libc\.so\.6 => (\S+)", call("ldd", LOCATE)).group(1)).resolve()
    identity = build_id(program)
    debug = Path("/usr/lib/debug/.build-id") / identity[:2] / f"{identity[2:]}.debug"
    if not debug.exists():
        pytest.skip(f"no {debug}: libc6-dbg is not installed")
    listing = call("nm", "-D", "--defined-only", program)
    qsort = re.search(r"^0*([0-9a-f]+) T qsort@", listing, re.MULTILINE).group(1)
    found, _ = locate(program, [qsort], f"build-id={identity}")
    assert [place.function for place in found[qsort]][-1].endswith("qsort")
    assert found[qsort][-1].file.endswith(".c") and found[qsort][-1].line > 0
    assert addr2line(debug, [qsort])[qsort][-1].row == found[qsort][-1].row


def build_id(program):
    return re.search("Build ID: ([0-9a-f]+)", call("readelf", "-n", program)).group(1)


def test_changed_and_missing_files_are_told_once(tmp_path):
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    addresses = instructions(program, "-j", ".text")
    found, problems = locate(program, addresses, "build-id=" + "0" * 40)
    assert problems == [f"functions stay without names: '{program}' was changed since"]
    for address in addresses:
        assert repr(found[address]) == f"[program+0x{address} (??:0)]"
        assert not found[address][0].is_named
    missing = tmp_path / "missing"
    _, problems = locate(missing, addresses)
    assert problems == [f"functions stay without names: '{missing}' cannot be read any more"]
    program.write_text("#!/bin/sh\n")
    _, problems = locate(program, addresses)
    assert problems == [
        f"functions stay without names: '{program}' is no program or library any more"
    ]


def test_damaged_files_end_well(tmp_path):
    """Bytes of the tables changed at random: whatever is said then, it is said."""
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    addresses = instructions(program, "-j", ".text")[::5]
    whole = program.read_bytes()
    pattern = r"\] (\.(?:debug|eh|sym|str|rela|dyn)\S*) +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)"
    sections = re.findall(pattern, call("readelf", "-SW", program))
    damaged = tmp_path / "damaged"
    for seed in range(60):
        choose = random.Random(seed)
        data = bytearray(whole)
        for _ in range(choose.choice([1, 5, 30])):
            _, offset, size = choose.choice(sections)
            reach = max(1, min(int(size, 16), choose.choice([64, 1 << 20])))
            data[int(offset, 16) + choose.randrange(reach)] = choose.randrange(256)
        damaged.write_bytes(data)
        result = subprocess.run(
            [LOCATE, damaged], input="\n".join(addresses).encode(), capture_output=True, timeout=60
        )
        assert result.returncode == 0, f"seed {seed}: {result.stderr}"
        assert len(result.stdout.splitlines()) >= len(addresses)


@pytest.fixture
def debug_server(tmp_path):
    """A server of debug files: (url, folder, paths that were asked for)."""
    asked = []
    folder = tmp_path / "server"

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder, asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_servers_are_asked_only_on_request(debug_server, tmp_path):
    url, folder, asked = debug_server
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    identity = build_id(program)
    addresses = instructions(program, "-j", ".text")
    whole, _ = locate(program, addresses)
    place = folder / "buildid" / identity
    place.mkdir(parents=True)
    call("objcopy", "--only-keep-debug", program, place / "debuginfo")
    call("strip", program)
    env = {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": tmp_path / "cache"}
    options = [f"build-id={identity}"]
    found, _ = locate(program, addresses, *options, env=env)
    assert not asked
    assert {place.line for places in found.values() for place in places} == {0}
    found, _ = locate(program, addresses, *options, "debuginfod", env=env)
    if not asked:
        pytest.skip("no libdebuginfod")
    assert functions_of(found) == functions_of(whole)

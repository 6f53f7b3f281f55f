"""`kymo instrument`: which functions are chosen, what is said of them, and that a run records
exactly these."""

import functools
import json
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree
from pathlib import Path

import native_support
import pytest
import support

PROGRAM = "instrument_choice.c"
CALLS = {
    "leaf": 60,
    "small": 10,
    "middle": 10,
    "shown": 1,
    "weakly": 1,
    "secret": 1,
    "told": 2,
    "main": 1,
}
ALL = set(CALLS)
# What the linker and the compiler put into each program.
SYSTEM = {
    "_start",
    "_init",
    "_fini",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
}
# Traces on a clock that every machine has.
COARSE = ["--cost", "coarse"]


@functools.lru_cache(maxsize=None)
def program():
    return native_support.compile(PROGRAM, "-O2", output="instrument_choice")


@functools.lru_cache(maxsize=None)
def program_with_library():
    folder = native_support.folder()
    library = native_support.compile(
        "instrument_library.c",
        "-shared",
        "-fPIC",
        "-Wl,-soname,libinstrument_library.so",
        output="libinstrument_library.so",
    )
    return native_support.compile(
        PROGRAM,
        "-DWITH_LIBRARY",
        str(library),
        f"-Wl,-rpath,{folder}",
        output="instrument_with_library",
    )


@pytest.fixture(autouse=True, scope="module")
def needs_analysis(tmp_path_factory):
    result = instrument(["--simulate"], tmp_path_factory.mktemp("analysis"))
    if "without Zydis" in result.stderr:
        pytest.skip("built without Zydis: nothing can be analysed")


def instrument(options, cwd, command=None, env=None):
    return support.run_kymo(
        ["instrument", *options, "--", *(command or [program()])], cwd=cwd, env=env
    )


def listed(options, cwd, what="instrumented", command=None, env=None):
    """Names of a list, but those of the system."""
    result = instrument(["--simulate", *options, f"--print-{what}"], cwd, command, env)
    assert (result.returncode, result.stderr) == (0, "")
    return set(result.stdout.splitlines()) - SYSTEM


def recorded(options, cwd, command=None, env=None, verb="instrument"):
    """{function: calls} of a run, of the program's own functions."""
    environment = {"KYMO_OUTPUT_PATH": cwd / "out", "KYMO_TIME_OUTPUT": "OFF", **(env or {})}
    shutil.rmtree(cwd / "out", ignore_errors=True)
    bare = subprocess.run([str(part) for part in command or [program()]], capture_output=True)
    result = support.run_kymo(
        [verb, "-q", *options, "--", *(command or [program()])], cwd=cwd, env=environment
    )
    assert (result.returncode, result.stdout) == (bare.returncode, bare.stdout.decode())
    if "not the processor's counter" in result.stderr:
        pytest.skip("the processor's counter does not run evenly on this machine")
    assert result.stderr == ""
    calls = support.region_calls(cwd / "out")
    return {name: calls[name] for name in calls if name in ALL or name == "library_step"}


# ---- the choice ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ALL),
        (["-R", "^s"], {"small", "shown", "secret"}),
        (["-R", "^small$", "^leaf$"], {"small", "leaf"}),
        (["-R", "^small$", "-R", "^leaf$"], {"small", "leaf"}),
        (["-R", "^(small|leaf)$"], {"small", "leaf"}),
        (["-R^small$"], {"small"}),
        (["--function-restrict=^small$"], {"small"}),
        (["-E", "l"], {"shown", "secret", "main"}),
        (["-E", "^s", "-R", "^s", "-I", "^s"], set()),
        (["-R", "^s.{4,5}$", "-E", "secret"], {"small", "shown"}),
        (["-r", "300"], {"shown"}),
        (["-r", "300", "-I", "leaf"], {"shown", "leaf"}),
        (["-i", "60", "-E", "main"], {"shown"}),
        (["-r", "300", "-i", "0"], {"shown"}),
        (["--linkage", "weak", "-R", "."], {"weakly"}),
        (
            ["--linkage", "global", "weak", "-E", "^_"],
            {"shown", "weakly", "main"},
        ),
        (["--visibility", "hidden", "-E", "^_"], {"secret"}),
        (["-r", "300", "--caller-include", "^puts$"], {"shown", "told"}),
        (["-r", "300", "--caller-include", "^leaf$"], {"shown", "small", "middle", "main"}),
        (["-MR", "nothing"], set()),
        (["-MEinstrument_choice"], set()),
    ],
)
def test_choice(options, expected, tmp_path):
    found = listed(options, tmp_path)
    # The linker may make a hidden function a local one.
    assert found - {"secret"} == expected - {"secret"}
    if "secret" not in expected and not any("visib" in str(option) for option in options):
        assert "secret" not in found
    assert listed(options, tmp_path, "excluded") == ALL - found


def test_settings_choose_like_options(tmp_path):
    env = {"KYMO_FUNCTIONS_RESTRICT": "'^small$' ^leaf$", "KYMO_FUNCTIONS_MIN_BYTES": "1000"}
    assert listed([], tmp_path, env=env) == set()
    # One least size given on the command line sets the other to 0.
    assert listed(["-i", "1"], tmp_path, env=env) == {"small", "leaf"}
    (tmp_path / "own.cfg").write_text("KYMO_FUNCTIONS_EXCLUDE = ^leaf$\n")
    env = {"KYMO_CONFIG_FILE": tmp_path / "own.cfg"}
    assert listed([], tmp_path, env=env) == ALL - {"leaf"}


def test_filter_file(tmp_path):
    (tmp_path / "rules").write_text(
        "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n INCLUDE s*\n EXCLUDE secret\n"
        "SCOREP_REGION_NAMES_END\n"
    )
    assert listed(["--filter-file", "rules"], tmp_path) == {"small", "shown"}


def test_names_of_cpp(tmp_path):
    binary = native_support.compile("instrument_names.cc", compiler="g++", output="names")
    cut = "mesh::cell::cut(int, double) const"
    for options in (
        ["-R", r"^mesh::cell::cut\(int, double\) const$"],
        ["-R", "^_ZNK4mesh4cell3cutEid$"],
    ):
        result = instrument(
            ["--simulate", *options, "--print-instrumented", "functions+"], tmp_path, [binary]
        )
        assert result.stdout.splitlines() == [cut]
    result = instrument(
        ["--simulate", "-R", "mesh", "--print-instrumented", "functions"], tmp_path, [binary]
    )
    assert set(result.stdout.splitlines()) == {
        "mesh::cell::cut",
        "mesh::cell::operator()",
        "int mesh::twice<int>",
    }
    result = instrument(
        ["--simulate", "-R", "cut", "--print-instrumented", "pair+"], tmp_path, [binary]
    )
    assert result.stdout == f"[names] {cut}\n"


def test_stripped(tmp_path):
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(program())], check=True)
    names = listed([], tmp_path, command=[stripped])
    assert len(names) >= len(ALL)
    assert all(re.fullmatch(r"stripped\+0x[0-9a-f]+", name) for name in names)
    one = sorted(names)[0]
    assert listed(["-R", "^" + one.replace("+", "[+]") + "$"], tmp_path, command=[stripped]) == {
        one
    }


# ---- reports ---------------------------------------------------------------------------------


def test_reports(tmp_path):
    options = ["--simulate", "-E", "^s", "--print-format", "txt,json,xml", "--print-dir", "a/b"]
    result = instrument(options, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    lists = {}
    for name in ("available", "instrumented", "excluded", "overlapping"):
        data = json.loads((tmp_path / f"a/b/{name}.json").read_text())
        assert data["report"] == name
        assert data["cost"] == "counts"
        (module,) = data["modules"]
        assert module["file"] == str(program())
        functions = data["functions"]
        lists[name] = {function["signature"]: function for function in functions}
        tree = xml.etree.ElementTree.parse(tmp_path / f"a/b/{name}.xml").getroot()
        assert [each.get("address") for each in tree.findall("function")] == [
            function["address"] for function in functions
        ]
        for attributes, function in zip(tree.findall("function"), functions):
            assert set(attributes.keys()) == set(function)
        lines = (tmp_path / f"a/b/{name}.txt").read_text().splitlines()
        assert len(lines) == len(functions) + 1
    assert set(lists["instrumented"]) - SYSTEM == ALL - {"small", "shown", "secret"}
    assert set(lists["available"]) == set(lists["instrumented"]) | set(lists["excluded"])
    assert module["functions"] == len(lists["available"])
    assert module["instrumented"] == len(lists["instrumented"])
    assert all(function["reason"] for function in lists["excluded"].values())
    assert lists["excluded"]["small"]["decision"] == "function-exclude"
    assert lists["excluded"]["_start"]["decision"] == "not-instrumentable"
    assert lists["available"]["weakly"]["linkage"] == "weak"
    assert lists["available"]["shown"]["size"] > 100


def test_reports_go_into_the_output_folder(tmp_path):
    env = {"KYMO_OUTPUT_PATH": "folder-%tag%"}
    result = instrument(["--simulate", "--print-format", "json"], tmp_path, env=env)
    assert result.returncode == 0, result.stderr
    names = os.listdir(tmp_path / "folder-instrument_choice" / "instrumentation")
    assert sorted(names) == [
        "available.json",
        "excluded.json",
        "instrumented.json",
        "overlapping.json",
    ]


def test_summary(tmp_path):
    result = instrument(["--simulate", "-R", "^small$"], tmp_path)
    assert re.fullmatch(r"instrument_choice: 1 of \d+ functions instrumented\n", result.stdout)
    result = instrument(["--simulate", "-R", "^small$", *COARSE], tmp_path)
    assert result.stdout.endswith(" functions instrumented, 1 with all exits\n")
    result = instrument(["-v", "-q", "-R", "^small$", *COARSE], tmp_path)
    assert "kymo instrument: instrument_choice: 1 of " in result.stderr


# ---- runs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], COARSE, ["--cost=full"], ["--trace"]])
def test_run_records_every_call(options, tmp_path):
    assert recorded(options, tmp_path) == CALLS


def test_counts_of_a_choice(tmp_path):
    assert recorded(["-R", "^(small|leaf)$"], tmp_path) == {"small": 10, "leaf": 60}


def test_run_records_the_choice(tmp_path):
    assert recorded([*COARSE, "-R", "^(small|leaf)$"], tmp_path) == {"small": 10, "leaf": 60}
    # The same file, another choice.
    assert recorded([*COARSE, "-E", "^(small|leaf)$"], tmp_path) == {
        name: CALLS[name] for name in ALL - {"small", "leaf"}
    }
    assert recorded(COARSE, tmp_path) == CALLS


def test_kymo_run_with_functions(tmp_path):
    """The collector itself asks for what is missing."""
    assert recorded(["--functions=coarse"], tmp_path, verb="run") == CALLS
    env = {"KYMO_FUNCTIONS_RESTRICT": "^leaf$"}
    assert recorded(["--functions=coarse"], tmp_path, env=env, verb="run") == {"leaf": 60}


def test_libraries_by_the_names_that_tables_show(tmp_path):
    """Programs load a library by a link, whose name is the library's own; the file has another."""
    (tmp_path / "part.c").write_text("int library_step(int n) { return n + 1; }")
    (tmp_path / "work.c").write_text(
        "int library_step(int); int main(void) { return library_step(-1); }"
    )
    shared = ["-shared", "-fPIC", "-Wl,-soname,libpart.so.1", "-o", "libpart.so.1.2.13"]
    subprocess.run(["gcc", "part.c", *shared], cwd=tmp_path, check=True)
    (tmp_path / "libpart.so.1").symlink_to("libpart.so.1.2.13")
    linked = ["work.c", "libpart.so.1", "-Wl,-rpath,$ORIGIN", "-o", "work"]
    subprocess.run(["gcc", *linked], cwd=tmp_path, check=True)
    command = [tmp_path / "work"]
    for expression in (r"part\.so\.1$", r"/libpart\.so\.1\.2\.13$"):
        assert recorded([*COARSE, "-MR", expression], tmp_path, command) == {"library_step": 1}
        assert "library_step" in listed(["-MI", expression], tmp_path, command=command)
        result = instrument([*COARSE, "-MI", expression], tmp_path, command)
        assert "no function was recorded of a file" not in result.stderr
        assert "library_step" not in recorded([*COARSE, "-ME", expression], tmp_path, command)


def test_nothing_is_planned_twice(tmp_path):
    recorded([*COARSE, "-R", "^leaf$"], tmp_path)
    plans = tmp_path / ".cache" / "kymo" / "plans"
    before = {path.name: path.stat().st_mtime_ns for path in plans.iterdir()}
    assert sorted(name.rsplit(".", 1)[1] for name in before) == ["choice", "plan"]
    recorded(["--functions=coarse", "--functions-restrict=^leaf$"], tmp_path, verb="run")
    after = {path.name: path.stat().st_mtime_ns for path in plans.iterdir()}
    assert after == before


def test_libraries(tmp_path):
    command = [program_with_library()]
    assert recorded(COARSE, tmp_path, command) == CALLS
    both = recorded([*COARSE, "-MI", "libinstrument"], tmp_path, command)
    assert both == {**CALLS, "library_step": 5}
    only = recorded([*COARSE, "-MR", "libinstrument"], tmp_path, command)
    assert only == {"library_step": 5}
    assert "library_step" in listed(["-MI", "libinstrument"], tmp_path, command=command)
    result = instrument(["--simulate", "-ME", "choice"], tmp_path, command)
    assert "libinstrument_library.so: " in result.stdout
    assert "libc.so" not in result.stdout


def as_lld_does(path, copy):
    """A copy whose code's segment begins in the midst of a page."""
    data = bytearray(path.read_bytes())
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for at in range(offset, offset + size * count, size):
        kind, flags = struct.unpack_from("<II", data, at)
        if kind == 1 and flags & 1:
            values = struct.unpack_from("<5Q", data, at + 8)
            moved = [value + 16 for value in values[:3]] + [value - 16 for value in values[3:]]
            struct.pack_into("<5Q", data, at + 8, *moved)
    copy.write_bytes(data)
    copy.chmod(0o755)
    return copy


@pytest.mark.parametrize("options", [[], COARSE])
def test_code_that_begins_in_a_page(options, tmp_path):
    command = [as_lld_does(program(), tmp_path / "program")]
    assert recorded(options, tmp_path, command) == CALLS
    assert instrument([*options, "-o", tmp_path / "copy"], tmp_path, command).returncode == 0
    assert recorded([], tmp_path, [tmp_path / "copy"], verb="run") == CALLS


def test_scripts_are_recorded_through_their_interpreter(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    result = instrument(["--simulate"], tmp_path, [script])
    shell = Path("/bin/sh").resolve().name
    assert re.match(rf"(sh|{shell}): \d+ of \d+ functions", result.stdout)
    assert instrument(["-q", *COARSE], tmp_path, [script]).returncode == 3


def test_score(tmp_path):
    """What is called too often is marked, and left out of the next run by the filter file."""
    assert recorded(COARSE, tmp_path, [program(), "2000000"]) == {**CALLS, "leaf": 2_000_060}
    result = support.run_kymo(
        ["report", "--score", "--format", "json", "--filter-file", "brief", "out"], cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    regions = {row["region"]: row for row in json.loads(result.stdout)["regions"]}
    assert {name for name in ALL if regions[name]["filtered"] == "+"} == {"leaf"}
    assert regions["leaf"]["calls"] == 2_000_060
    assert regions["leaf"]["trace_bytes"] == 8 * 2_000_060
    assert regions["leaf"]["trace_cost"] > 0
    assert "  EXCLUDE leaf\n" in (tmp_path / "brief").read_text()
    assert listed(["--filter-file", "brief"], tmp_path) == ALL - {"leaf"}


# ---- copies ------------------------------------------------------------------------------------


def test_copy(tmp_path):
    copy = tmp_path / "copy"
    result = instrument(
        [*COARSE, "-E", "^shown$", "-o", copy, "--env", "KYMO_PRECISION=3", "A=b c"], tmp_path
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert re.match(
        rf"instrument_choice: \d+ of \d+ functions instrumented.* -> {copy}, ", result.stdout
    )
    bare = subprocess.run([str(program())], capture_output=True)
    alone = subprocess.run([str(copy)], capture_output=True)
    assert (alone.returncode, alone.stdout) == (bare.returncode, bare.stdout)
    calls = recorded([], tmp_path, [copy], verb="run")
    assert calls == {name: CALLS[name] for name in ALL - {"shown"}}
    shown = support.run_kymo(["run", "-v", "--", copy], cwd=tmp_path).stderr
    assert "KYMO_PRECISION=3\n" in shown
    assert "A=b c\n" in shown
    again = instrument(["-q", "-o", tmp_path / "again"], tmp_path, [copy])
    assert again.returncode == 1
    assert "is an instrumented copy already" in again.stderr


def test_copy_of_a_library(tmp_path):
    """It is recorded where the program is a copy as well, or where it is asked for."""
    name = "libinstrument_library.so"
    command = [program_with_library()]
    original = native_support.folder() / name
    env = {"LD_LIBRARY_PATH": tmp_path}
    assert instrument([*COARSE, "-o", tmp_path / name], tmp_path, [original]).returncode == 0
    assert instrument([*COARSE, "-o", tmp_path / "copy"], tmp_path, command).returncode == 0
    both = recorded([], tmp_path, [tmp_path / "copy"], env, verb="run")
    assert both == {**CALLS, "library_step": 5}
    only = recorded([*COARSE, "-MR", "libinstrument"], tmp_path, command, env)
    assert only == {"library_step": 5}


# ---- what was not there ------------------------------------------------------------------------


def test_files_that_none_was_recorded_of(tmp_path):
    """The summary says which, also where they might have been loaded later; and only these."""
    options = ["-MI", "libinstrument", "nowhere", "--trace-api", "c:^printf", "absent:^x"]
    env = {"KYMO_OUTPUT_PATH": tmp_path / "out"}
    result = instrument(options, tmp_path, [program_with_library()], env)
    said = " ".join(result.stderr.split())
    for option, name in (("--module-include", "nowhere"), ("--trace-api", "absent:^x")):
        assert f"no function was recorded of a file that {option} '{name}' means" in said
    assert said.count("no function was recorded") == 2
    part = tmp_path / "part"
    made = support.run_kymo(
        ["extract", "--region=main", "-o", part, tmp_path / "out"], cwd=tmp_path
    )
    assert made.returncode == 0
    shown = support.run_kymo(["report", part], cwd=tmp_path).stdout
    assert "main" in shown and "no function was recorded" not in shown
    env["KYMO_OUTPUT_PATH"] = tmp_path / "other"
    assert "no function was recorded" not in instrument([], tmp_path, env=env).stderr
    env["KYMO_OUTPUT_PATH"] = tmp_path / "none"
    shown = instrument(["-MR", "nowhere"], tmp_path, env=env).stderr
    assert "no function was recorded" in shown


# ---- what cannot be ----------------------------------------------------------------------------


def refused(options, cwd, command=None, status=1):
    result = instrument(options, cwd, command)
    assert result.returncode == status, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("kymo instrument: ")
    return line


def test_nothing_selected(tmp_path):
    assert "no function is selected" in refused(["-R", "^nothing$"], tmp_path)
    copy = tmp_path / "copy"
    assert "no function is selected" in refused(["-R", "^nothing$", "-o", copy], tmp_path)
    assert os.listdir(tmp_path) == [".cache"]


def test_no_such_file(tmp_path):
    missing = [tmp_path / "missing"]
    assert "No such file or directory" in refused([], tmp_path, missing, 127)
    assert "there is no program or library" in refused(["--simulate"], tmp_path, missing)
    assert "there is no program or library" in refused(["-o", "x"], tmp_path, missing)


def test_library_without_functions(tmp_path):
    """There is nothing to do for it, and nothing is said."""
    source, library = tmp_path / "data.s", tmp_path / "libdata.so"
    source.write_text(
        '.text\nnop\n.data\n.globl data\ndata: .long 1\n.section .note.GNU-stack,"",@progbits\n'
    )
    line = ["gcc", "-shared", "-nostdlib", "-o", str(library), str(source)]
    subprocess.run(line, check=True)
    result = support.run_kymo(["patch-plan", library], cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")


def test_missing_library(tmp_path):
    """The loader says it, as it does otherwise."""
    library, binary = tmp_path / "libgone.so", tmp_path / "needs"
    build = ["gcc", "-Wl,--no-as-needed", "-x", "c", "-"]
    subprocess.run([*build, "-shared", "-o", str(library)], input=b"int x;", check=True)
    words = [*build, "-o", str(binary), "-x", "none", f"-L{tmp_path}", "-lgone"]
    subprocess.run(words, input=b"int main(void) { return 0; }", check=True)
    library.unlink()
    result = instrument([], tmp_path, [binary])
    assert result.returncode == 127
    assert "libgone.so" in result.stderr


def test_not_elf(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no program")
    assert str(text) in refused(["--simulate"], tmp_path, [text])
    assert str(text) in refused(["-o", tmp_path / "x"], tmp_path, [text])
    foreign = tmp_path / "foreign"
    data = bytearray(program().read_bytes())
    data[18:20] = b"\xb7\x00"  # aarch64
    foreign.write_bytes(data)
    foreign.chmod(0o755)
    assert str(foreign) in refused(["--simulate"], tmp_path, [foreign])
    cut = tmp_path / "cut"
    cut.write_bytes(program().read_bytes()[:200])
    cut.chmod(0o755)
    assert str(cut) in refused(["--simulate"], tmp_path, [cut])
    assert not (tmp_path / "x").exists()


def test_script_is_no_file_to_rewrite(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    line = refused(["-o", tmp_path / "x"], tmp_path, [script])
    assert "it is a script; instrument its interpreter, '/bin/sh'" in line


def test_static_program(tmp_path):
    source = tmp_path / "static.c"
    source.write_text("int main(void) { return 0; }\n")
    binary = tmp_path / "static"
    build = subprocess.run(["gcc", "-static", "-o", str(binary), str(source)], capture_output=True)
    if build.returncode != 0:
        pytest.skip("there is no static C library")
    assert "is statically linked, so that nothing can be loaded into it" in refused(
        [], tmp_path, [binary]
    )


def test_another_c_library(tmp_path):
    """Neither a run of it nor one of its copy could be recorded."""
    source, binary = tmp_path / "other.c", tmp_path / "other"
    source.write_text("int main(void) { return 0; }\n")
    if not shutil.which("musl-gcc"):
        pytest.skip("there is no musl-gcc")
    subprocess.run(["musl-gcc", "-o", str(binary), str(source)], check=True)
    for options in ([], ["-o", tmp_path / "copy"]):
        assert "it uses another C library" in refused(options, tmp_path, [binary])
    assert not (tmp_path / "copy").exists()


def test_set_user_id(tmp_path):
    binary = tmp_path / "privileged"
    shutil.copy(program(), binary)
    binary.chmod(0o4755)
    if os.getuid() == 0:
        os.chown(binary, 65534, 65534)
        binary.chmod(0o4755)
        assert "so that nothing can be loaded into it" in refused([], tmp_path, [binary])
    assert instrument(["--simulate"], tmp_path, [binary]).returncode == 0


def test_output_that_cannot_be(tmp_path):
    own = tmp_path / "own"
    shutil.copy(program(), own)
    before = own.read_bytes()
    refused(["-o", own], tmp_path, [own], 2)
    assert own.read_bytes() == before
    assert "cannot write" in refused(["-o", tmp_path / "no" / "x"], tmp_path)
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(["-o", folder], tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".cache", "folder", "own"]


def test_options_that_change_nothing_are_passed_over(tmp_path):
    """Scripts written for another tool run: what it needs and Kymo does not is said."""
    needless = ["--traps", "-L", "x", "-e", "--all-functions", "--log-file", "log", "-b", "4"]
    result = instrument(needless, tmp_path, ["true"])
    assert result.returncode == 0, result.stderr
    for name in ("traps", "library", "error", "all-functions", "log-file", "batch-size"):
        assert f"kymo instrument: '--{name}' is passed over: " in result.stderr
    quiet = instrument([*needless, "--quiet"], tmp_path, ["true"])
    assert quiet.returncode == 0 and "passed over" not in quiet.stderr


def test_functions_are_left_out_by_their_instructions(tmp_path):
    assert not listed(["--instruction-exclude", "^ret"], tmp_path) & ALL
    assert listed(["--instruction-exclude", "^no such$"], tmp_path) >= ALL
    kept = listed(["--instruction-exclude", "^ret", "-I", "^leaf$"], tmp_path)
    assert kept & ALL == {"leaf"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--env", "A=b"], "--env goes with --output only"),
        (["--env", "A", "-o", "x"], "--env takes NAME=VALUE, not 'A'"),
        (["-o", "x", "--simulate"], "--output and --simulate exclude each other"),
        (["-R", "("], "'(' is no regular expression"),
        (["-R"], "-R needs a value"),
        (["-MI"], "-MI needs a value"),
        (["-i", "few"], "few"),
        (["--cost", "none"], "none"),
        (["--linkage", "static"], "takes global, local, weak, unknown, not 'static'"),
        (["--print-format", "yaml", "--simulate"], "--print-format takes txt, json, xml"),
        (["--print-available=all", "--simulate"], "--print-available takes functions|"),
        (["-l", "--cost", "counts"], "loops are recorded with the cost coarse or full, not counts"),
        (["-p", "1"], "'--pid' is not needed: 'kymo attach PID --functions' records"),
        (["-M", "coverage"], "'--mode coverage' needs code coverage"),
        (["--coverage=function"], "needs code coverage ('kymo report --top 0' has the functions"),
        (["--print-coverage"], "--print-instrumented all of them), which this build does not"),
        (["--instruction-exclude", "("], "'(' is no regular expression"),
        (["--function-inclde", "x"], "did you mean '--function-include'?"),
        (["-R", "a\"b'c"], "both kinds of quotes"),
    ],
)
def test_wrong_options(options, text, tmp_path):
    assert text in refused(options, tmp_path, status=2)
    assert not (tmp_path / "x").exists()


def test_filter_file_that_cannot_be(tmp_path):
    (tmp_path / "rules").write_text("EXCLUDE a\nSCOREP_FILE_NAMES_BEGIN\n")
    assert "line 2" in refused(["--filter-file", "rules"], tmp_path)
    assert "No such file" in refused(["--filter-file", "missing"], tmp_path)


def test_words_behind_the_output(tmp_path):
    assert "what is 'more'?" in refused(["-o", "x"], tmp_path, [program(), "more"], 2)

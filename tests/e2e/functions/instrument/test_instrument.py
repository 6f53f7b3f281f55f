"""`kymo instrument`: which functions are chosen, what is said of them, and that a run records
exactly these."""

import json
import os
import re
import struct
import subprocess
import xml.etree.ElementTree
from pathlib import Path

import native_support
import pytest
import support
from instrument_runs import (
    ALL,
    CALLS,
    COARSE,
    SYSTEM,
    instrument,
    listed,
    program,
    program_with_library,
    recorded,
)

pytestmark = pytest.mark.usefixtures("needs_analysis")


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


def test_programs_by_the_name_they_are_started_by(tmp_path):
    """That is what tables show; the file that the link leads to is meant as well."""
    (tmp_path / "called").symlink_to(program())
    command = [tmp_path / "called"]
    for expression in ("/called$", f"/{program().name}$"):
        assert recorded([*COARSE, "-MR", expression], tmp_path, command) == CALLS
        assert recorded([*COARSE, "-ME", expression], tmp_path, command) == {}


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

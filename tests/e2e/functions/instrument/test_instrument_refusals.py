"""What `kymo instrument` refuses: files that are not there or cannot be instrumented, wrong words,
and functions that are left out."""

import os
import shutil
import subprocess

import pytest
import support
from instrument_runs import ALL, instrument, listed, program, program_with_library

pytestmark = pytest.mark.usefixtures("needs_analysis")


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
        assert f"kymo instrument: '--{name}' is ignored: " in result.stderr
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
        (["-R", "("], "'(' is not a regular expression"),
        (["-R"], "-R needs a value"),
        (["-MI"], "-MI needs a value"),
        (["-i", "few"], "few"),
        (["--cost", "none"], "none"),
        (["--linkage", "static"], "takes global, local, weak, unknown, not 'static'"),
        (["--print-format", "yaml", "--simulate"], "--print-format takes txt, json, xml"),
        (["--print-available=all", "--simulate"], "--print-available takes functions|"),
        (
            ["-l", "--cost", "counts"],
            "loops are recorded with --timing coarse or full, not sampled",
        ),
        (["-p", "1"], "'--pid' is not needed: 'kymo attach PID --functions' records"),
        (["-M", "coverage"], "'--mode coverage' needs code coverage"),
        (["--coverage=function"], "needs code coverage ('kymo report --top 0' has the functions"),
        (["--print-coverage"], "--print-instrumented all of them), which this build does not"),
        (["--instruction-exclude", "("], "'(' is not a regular expression"),
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
    assert "'more' is not used" in refused(["-o", "x"], tmp_path, [program(), "more"], 2)

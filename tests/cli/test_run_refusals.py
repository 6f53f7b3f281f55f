"""What `kymo run` refuses in one line, and programs that it runs without recording them."""

import os
import subprocess
import sys

import pytest
import run_support

BAD_INPUT = [
    ([], 2, "no program to run; see 'kymo run --help'"),
    (["--", "absent-program"], 127, "cannot run 'absent-program': there is no such command"),
    (["./absent"], 127, "cannot run './absent': No such file or directory"),
    (["./folder"], 126, "cannot run './folder': it is a directory"),
    (["./plain"], 126, "cannot run './plain': it is not executable"),
    (["plain"], 126, "cannot run 'plain': Permission denied"),
    (["./lost"], 127, "cannot run './lost': its interpreter '/nowhere/sh' does not exist"),
    (["./bytes"], 126, "cannot run './bytes': it is neither a program nor a script"),
    (["-o", "plain/x", "true"], 1, "cannot make the output directory 'plain/x': Not a directory*"),
    (["-P", "-F", "true"], 2, "--profile and --flat-profile exclude each other"),
    (["--device", "true"], 2, "'--device' needs a GPU collector, which*"),
    (["-f", "0", "true"], 2, "KYMO_SAMPLING_FREQ cannot be '0' (command line): give a number*"),
    (["-f", "1e9", "true"], 2, "KYMO_SAMPLING_FREQ cannot be '1e9' (command line): give a*"),
    (["--sample-cputime", "0", "true"], 2, "KYMO_SAMPLING_CPUTIME_FREQ cannot be '0': give a*"),
    (["--preset", "absent", "true"], 2, "there is no preset 'absent'; --list-presets lists them"),
    (["--preset", "balancd", "true"], 2, "there is no preset 'balancd'; did you mean 'balanced'?"),
    (["--preset", "./plain", "true"], 2, "./plain:1: expected '{'"),
    (["--preset", "./wrong.json", "true"], 2, "./wrong.json:1: unknown key of a preset, *"),
    (["--preset", "./no.json", "true"], 2, "cannot read the preset './no.json': No such file*"),
    (["--max-depth", "0", "true"], 2, "KYMO_MAX_DEPTH cannot be '0' (command line): give a*"),
    (["--periods", "1:2:x", "true"], 2, "the period '1:2:x' is not possible: its*"),
    (["--periods", "1", "true"], 2, "the period '1' is not possible: give*"),
    (["--periods", "realtime:1:2", "true"], 2, "the period 'realtime:1:2' is not possible:*"),
    (["-d", "-1", "true"], 2, "KYMO_TRACE_DURATION cannot be '-1' (command line): give a*"),
    (["--timemory-components", "wall_clock,x", "true"], 2, "unknown component 'x'; 'kymo avail*"),
    (["-c", "absent.cfg", "true"], 1, "cannot read configuration file 'absent.cfg': No such*"),
    (["-l", "(", "--", "sh", "x"], 2, "--launcher takes a regular expression, not '(': *"),
    (["-l", "y", "--", "sh", "x"], 2, "--launcher: no argument of 'sh' matches 'y'"),
    (["--help=sewing"], 2, "there is no help on 'sewing', only on general, *"),
    (["--run-dir", "absent", "true"], 1, "cannot join the run in 'absent': No such file*"),
]


@pytest.mark.parametrize(("words", "status", "line"), BAD_INPUT)
def test_bad_input(tmp_path, words, status, line):
    """One line, the right status, nothing left behind."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("text")
    (tmp_path / "wrong.json").write_text('{"tracing": {"enabeld": true}}')
    for name, content in (("lost", b"#!/nowhere/sh\n"), ("bytes", b"\0\1\2\3")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    before = sorted(tmp_path.rglob("*"))
    result = run_support.run(
        words, tmp_path, {"PATH": f"{os.environ['PATH']}:{tmp_path}", "KYMO_OUTPUT_PATH": None}
    )
    expected = line.rstrip("*")
    assert result.stderr.startswith(f"kymo run: {expected}")
    assert result.stderr.endswith("\n" if line.endswith("*") else f"{expected}\n")
    assert result.stderr.count("\n") == 1
    assert (result.returncode, result.stdout) == (status, "")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("options", run_support.FORK)
def test_nothing_is_left_where_the_kernel_refuses(tmp_path, options):
    """The directory is made by then."""
    program = run_support.compile_teller(tmp_path)
    with program.open("r+b"):
        result = run_support.run([*options, "-o", "a/b", "--", program], tmp_path)
    assert result.returncode == 126
    assert result.stderr == f"kymo run: cannot run '{program}': Text file busy\n"
    assert not (tmp_path / "a").exists()


def check_unrecorded(tmp_path, program, line):
    result = run_support.run(["--", program, "exit", 9], tmp_path)
    assert result.stderr == f"kymo run: '{program}' {line}\n"
    assert result.returncode == 9
    assert not (tmp_path / "out").exists()


def test_static(tmp_path):
    static = run_support.compile_teller(tmp_path, "static", "-static")
    line = "is statically linked: it cannot be recorded, only programs that it starts can"
    check_unrecorded(tmp_path, static, line)


def test_privileged(tmp_path):
    program = run_support.compile_teller(tmp_path, "privileged")
    if os.getuid() != 0:
        pytest.skip("only the super-user can make a program of another user")
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    line = "gains privileges when it starts: it cannot be recorded but by the user it would run as"
    check_unrecorded(tmp_path, program, f"{line}; it is run anyway")


def test_other_c_library(tmp_path):
    """A loader named like that of musl, which here is the usual one."""
    loader = tmp_path / "ld-musl-x86_64.so.1"
    lines = subprocess.check_output(["readelf", "-l", sys.executable], text=True)
    usual = lines.split("interpreter: ")[1].split("]")[0]
    loader.symlink_to(usual)
    program = run_support.compile_teller(tmp_path, "foreign", f"-Wl,--dynamic-linker={loader}")
    line = "uses another C library (musl): it cannot be recorded; it is run anyway"
    check_unrecorded(tmp_path, program, line)


def test_other_machine(teller, tmp_path):
    program = tmp_path / "foreign"
    content = bytearray(teller.read_bytes())
    content[18:20] = (21).to_bytes(2, "little")  # PowerPC
    program.write_bytes(content)
    program.chmod(0o755)
    result = run_support.run(["--", program], tmp_path)
    assert result.returncode == 126
    assert "made for another kind of processor" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("first_line", ["", "#!\n"])
def test_text_runs_under_the_shell(tmp_path, first_line):
    """As it does when a shell starts it."""
    script = tmp_path / "script"
    script.write_text(f"{first_line}echo $0 $1\nexit 6\n")
    script.chmod(0o755)
    result = run_support.run(["--", "./script", "a b"], tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (6, "./script a b\n", "")

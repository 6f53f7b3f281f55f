"""What the command line refuses, each with one line, and what it says of itself."""

import os

import pytest
import support

pytestmark = pytest.mark.alike_versions


def refuse(place, python, arguments, status=2):
    """Run a command line that must be refused; returns its one line."""
    result = support.run_kymo_python(python, arguments, cwd=place)
    assert result.stdout == ""
    assert result.returncode == status, result.stderr
    assert result.stderr.startswith("kymo: ") and result.stderr.count("\n") == 1, result.stderr
    assert not (place / "out").exists()
    return result.stderr


REFUSALS = {
    "nothing": ([], "nothing to run"),
    "nothing_after_separator": (["--"], "nothing to run after '--'"),
    "script_missing": (["nonesuch.py"], "cannot open 'nonesuch.py': No such file"),
    "script_after_separator_missing": (["--", "nonesuch.py"], "cannot open 'nonesuch.py'"),
    "directory": (["sub"], "'sub' is a directory without a __main__.py"),
    "executable": (["/bin/true"], "'/bin/true' is a compiled program"),
    "unknown_option": (["--nonesuch", "failing.py"], "unknown option '--nonesuch'"),
    "unknown_short_option": (["-z", "failing.py"], "unknown option '-z'"),
    "ambiguous_option": (["--function", "x", "--", "failing.py"], "'--function' may be one of"),
    "option_after_separator": (["--", "-b", "failing.py"], "'-b' comes after '--'"),
    "value_missing": (["-I"], "'-I' needs a value"),
    "value_is_separator": (["-I", "--", "failing.py"], "'-I' needs a value"),
    "value_unwanted": (["--builtin=on", "failing.py"], "'-b' takes no value"),
    "number_wrong": (["--verbosity=high", "failing.py"], "'-v' takes a number"),
    "boolean_wrong": (["--trace-c=maybe", "failing.py"], "takes on or off, not 'maybe'"),
    "label_wrong": (["--label", "arg", "--", "failing.py"], "unknown label 'arg'"),
    "config_missing": (["-c", "none.cfg", "failing.py"], "configuration file 'none.cfg'"),
    "config_directory": (["--config", "sub", "failing.py"], "configuration file 'sub'"),
    "setup_missing": (["-s", "none.py", "failing.py"], "setup file 'none.py'"),
    "setting_without_value": (["--set", "TRACE", "failing.py"], "takes NAME=VALUE"),
    "setting_unknown": (["--set", "TRACEE=ON", "failing.py"], "TRACEE"),
    "instrumenter_unknown": (["--instrumenter-type", "magic", "failing.py"], "magic"),
    "pattern_wrong": (["-E", "(", "--", "failing.py"], "'('"),
    "script_ambiguous": (["-MI", "pkg", "failing.py", "broken.py"], "which of"),
    "module_missing": (["-m"], "'-m' needs a module"),
}


@pytest.mark.newest_version
@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_one_line(place, python, name):
    arguments, text = REFUSALS[name]
    assert text in refuse(place, python, arguments)


def test_unreadable_script_is_refused(place, python):
    if os.geteuid() == 0:
        (place / "loop.py").symlink_to("loop.py")
        assert "cannot open 'loop.py'" in refuse(place, python, ["loop.py"])
    else:
        (place / "failing.py").chmod(0)
        assert "Permission denied" in refuse(place, python, ["failing.py"])


@pytest.mark.parametrize("arguments", [["-h"], ["--help"], ["-b", "--help", "failing.py"]])
def test_help(place, python, arguments):
    result = support.run_kymo_python(python, arguments, cwd=place)
    assert (result.returncode, result.stderr) == (0, "")
    for option in (
        "--verbosity",
        "--builtin",
        "--config",
        "--setup",
        "--full-filepath",
        "--label",
        "--function-include",
        "--function-exclude",
        "--function-restrict",
        "-MI",
        "-ME",
        "-MR",
        "--trace-c",
        "--annotate-trace",
        "--instrumenter-type",
        "--noinstrumenter",
        "--trace",
        "--quiet",
        "--output",
        "--set",
        "--version",
    ):
        assert option in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 88


def test_version(place, python):
    result = support.run_kymo_python(python, ["--version"], cwd=place)
    assert result.returncode == 0 and result.stdout.startswith("kymo 0.")

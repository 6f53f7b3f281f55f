"""What the scripts of tests count: every test once, in its turn, and none that was not run."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import support
from house_runs import TOOLS, run_tool

CTEST_LOG = """\
1: [==========] Running 2 test(s).
1: [       OK ] one
1: [==========] 2 test(s) run.
1: [  PASSED  ] 2 test(s).
1/4 Test #1: test_a ...........................   Passed    0.00 sec
2: [==========] 3 test(s) run.
2: [  PASSED  ] 1 test(s).
2: [  SKIPPED ] 1 test(s), listed below:
2: [  FAILED  ] 1 test(s), listed below:
2/4 Test #2: test_b ...........................***Failed    0.00 sec
3: [==========] Running 2 test(s).
3/4 Test #3: test_c ...........................***Exception: SegFault  0.10 sec
4: 12 inputs replayed
4/4 Test #4: fuzz_d ...........................   Passed    0.00 sec
"""


def test_counts_cmocka_cases(tmp_path):
    """Two, one of three, a crash, and one without cases."""
    log = tmp_path / "log"
    log.write_text(CTEST_LOG)
    assert run_tool("count_tests.py", "ctest", log).stdout == "4 2 1\n"


def test_counts_pytest_cases(tmp_path):
    xml = tmp_path / "xml"
    xml.write_text(
        '<testsuites><testsuite tests="10" failures="1" errors="2" skipped="3"/></testsuites>'
    )
    assert run_tool("count_tests.py", "pytest", xml).stdout == "4 3 3\n"


def collected(part):
    """The tests of a folder with long ones that are chosen for a part."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--long", part]
    command += [
        "-p",
        "no:cacheprovider",
        "tests/hostile/bed",
        "tests/e2e/python/test_windows_python.py",
    ]
    listed = support.run(command, cwd=support.REPOSITORY, env=os.environ).stdout
    return {line for line in listed.splitlines() if "::" in line}


def test_every_long_test_has_one_turn():
    everything, short = collected("1/1"), collected("0/1")
    turns = [collected(f"{turn}/3") - short for turn in (1, 2, 3)]
    assert 0 < len(short) < len(everything)
    assert set().union(*turns) == everything - short
    assert sum(map(len, turns)) == len(everything - short)
    versions = support.interpreters()
    assert any(f"[{versions[0]}" in each for each in short)
    assert not any(f"[{each}" in name for each in versions[1:-1] for name in short)


def test_every_test_runs_in_one_phase():
    """Those that measure run alone, all others together."""

    def found(*options):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--long", "1/1"]
        folder = "tests/e2e/functions/counted"
        listed = support.run(
            [*command, "-p", "no:cacheprovider", *options, folder],
            cwd=support.REPOSITORY,
            env=os.environ,
        ).stdout
        return {line for line in listed.splitlines() if "::" in line}

    marks = re.findall(r"-m (alone|\"not alone\")", (support.REPOSITORY / "test.sh").read_text())
    phases = [found("-m", mark.strip('"')) for mark in marks]
    assert len(phases) == 2 and all(phases)
    assert phases[0].isdisjoint(phases[1]) and phases[0] | phases[1] == found()


def test_closing_line_of_the_shell_library(tmp_path):
    """Two lots are added up; any failure fails the script."""
    script = f'. "{TOOLS}/lib.sh"; add 3 0 1; add 4 $1 0; finish'
    good = subprocess.run(["bash", "-c", script, "-", "0"], capture_output=True, text=True)
    assert (good.returncode, good.stdout) == (0, "\n7 passed, 0 failed, 1 skipped\n")
    bad = subprocess.run(["bash", "-c", script, "-", "2"], capture_output=True, text=True)
    assert (bad.returncode, bad.stdout) == (1, "\n7 passed, 2 failed, 1 skipped\n")


def shell(tmp_path, script):
    """A script that has sourced the shell library."""
    environment = {"PATH": "/usr/bin:/bin", "KYMO_BUILD": str(tmp_path / "build")}
    return subprocess.run(
        ["bash", "-c", f'. "{TOOLS}/lib.sh"; {script}'], cwd=tmp_path, env=environment,
        capture_output=True, text=True, timeout=support.TIMEOUT_S,
    )  # fmt: skip


def test_background_work_is_counted_and_shown_when_it_is_joined(tmp_path):
    """It begins at once: without that this script would not end."""
    work = "work() { echo side; touch begun; add 2 1 3; return 4; }"
    wait = "until [ -e begun ]; do :; done"
    script = (
        f'{work}; background a work; {wait}; echo main; add 1 0 0; join a; echo "status $?"; finish'
    )
    done = shell(tmp_path, script)
    assert done.stdout == "main\nside\nstatus 4\n\n3 passed, 1 failed, 3 skipped\n"
    assert (done.returncode, done.stderr) == (1, "")


def test_background_work_that_is_cut_short_failed(tmp_path):
    done = shell(tmp_path, "work() { exit 0; }; background a work; join a; finish")
    assert done.stdout.endswith("0 passed, 1 failed, 0 skipped\n")


def test_background_work_ends_with_the_script(tmp_path):
    """And all that it started, though nothing waited for it."""
    script = (
        "mkfifo left; work() { sleep 600 >left; }; background a work;"
        "exec 3<left; (cat <&3; echo closed) & exit 5"
    )
    done = shell(tmp_path, script)
    assert (done.returncode, done.stdout) == (5, "closed\n")


@pytest.mark.parametrize(
    ("status", "totals", "expected"),
    [
        (0, "40 0 2", "41 passed, 0 failed, 2 skipped"),
        (1, "39 1 2", "39 passed, 2 failed, 2 skipped"),
        (1, None, "0 passed, 1 failed, 0 skipped"),  # the demo failed
        (3, None, "0 passed, 0 failed, 1 skipped"),
        (4, None, "0 passed, 0 failed, 1 skipped"),
    ],
)
def test_releases_count(tmp_path, status, totals, expected):
    """The tests in a root are added to those outside."""
    (tmp_path / "tools").mkdir()
    tool = tmp_path / "tools" / "try_release.sh"
    tool.write_text(f"#!/bin/sh\necho $*\nexit {status}\n")
    tool.chmod(0o755)
    if totals:
        (tmp_path / "releases" / "sid").mkdir(parents=True)
        (tmp_path / "releases" / "sid" / "totals").write_text(totals + "\n")
    script = f'. "{TOOLS}/lib.sh"; try_release sid --minutes 8; finish'
    environment = {"PATH": "/usr/bin:/bin", "KYMO_BUILD": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == f"--minutes 8 sid\n\n{expected}\n"


@pytest.mark.parametrize(
    ("user", "reason"), [(1000, "only root can make one"), (0, "debootstrap is not installed")]
)
def test_no_root_of_a_release(tmp_path, user, reason):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))
    (programs / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (programs / "id").chmod(0o755)
    environment = {"PATH": str(programs), "KYMO_BUILD": str(tmp_path)}
    command = [programs / "bash", TOOLS / "try_release.sh", "sid"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == f"no root of sid can be made here: {reason}\n"


def test_nothing_run_is_a_failure():
    script = f'. "{TOOLS}/lib.sh"; finish'
    assert subprocess.run(["bash", "-c", script], capture_output=True).returncode == 1

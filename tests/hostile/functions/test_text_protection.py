"""Text is never writable and executable at once: not when a program begins, not when its jumps
are taken out and put back or its functions are only counted while threads run in them, not when a
library comes.  Whoever asked for such memory below the filter
of `refuses both` would be killed.  And where one way of writing is not to be had, the other one
is gone."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import support

sys.path.insert(0, str(support.REPOSITORY / "tests" / "e2e" / "attach"))

import functions_runs

pytestmark = pytest.mark.skipif(
    not (support.BUILD / "lib" / "libkymo-functions.so").exists() or os.uname().machine != "x86_64",
    reason="functions are not instrumented by this build",
)

PERIODS = {"KYMO_TRACE_PERIODS": "0.8:0.1:0"}
LIBRARY = {"KYMO_FUNCTIONS_MODULE_INCLUDE": "libopened"}


def compile(folder, source, *options, name=None):
    out = folder / (name or Path(source).stem)
    line = ["gcc", "-O2", "-g", "-pthread", *options, "-o", out, support.program(source)]
    subprocess.run([*map(str, line), "-ldl"], check=True)
    return out


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for source in [
        "refuses.c",
        "functions_lifted.c",
        "functions_throttled.c",
        "functions_opened.c",
    ]:
        compile(folder, source)
    compile(folder, "functions_opened.c", "-DLIBRARY", "-shared", "-fPIC", name="libopened.so")
    return folder


def run(folder, built, what, program, *arguments, options=(), environment=None):
    """The program below the filter, instrumented; what was said, and the recordings."""
    output = folder / "out"
    command = [built / "refuses", what, functions_runs.KYMO, "run", "--functions=counts"]
    command += ["-o", output, *options, "--", built / program, *arguments]
    done = subprocess.run(
        [str(part) for part in command],
        env={
            **os.environ,
            "XDG_CACHE_HOME": str(built / "cache"),
            "KYMO_FINISH": "OFF",
            **(environment or {}),
        },
        capture_output=True,
        text=True,
        timeout=support.TIMEOUT_S,
        cwd=folder,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done, functions_runs.recordings_below(output)


def test_the_filter_kills(built):
    """Else the other tests could not fail."""
    code = "import mmap; mmap.mmap(-1, 4096, prot=7)"
    command = [str(built / "refuses"), "both", sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True).returncode == -31


@pytest.mark.parametrize("what", ["both", "executable"])
def test_out_and_back_among_threads(tmp_path, built, what):
    done, _ = run(tmp_path, built, what, "functions_lifted", "threads", 1, environment=PERIODS)
    assert done.stdout == "threads 1\nfile 1\n"


def check_brief(done, recordings):
    told = {}
    for process, name, count in re.findall(r"^(\w+) (\w+) (\d+)$", done.stdout, re.M):
        told.setdefault(process, {})[name] = int(count)
    assert len(recordings) == 2
    for recording, process in zip(recordings, ["parent", "child"]):
        calls = recording.calls()
        assert {name: calls[name] for name in told[process]} == told[process]


def test_a_budget_among_threads(tmp_path, built):
    """Callers are led elsewhere while they call, and no call is lost."""
    done, recordings = run(
        tmp_path, built, "both", "functions_throttled", 4, options=["--budget", "1"]
    )
    assert "led 1" in done.stdout.splitlines()
    check_brief(done, recordings)
    assert recordings[0].throttled()["brief"] > 0


def test_a_budget_that_cannot_be_kept(tmp_path, built):
    """Text may be changed only while nobody runs: this is said, and nothing is changed."""
    done, recordings = run(
        tmp_path, built, "writes", "functions_throttled", 2, 5000, options=["--budget", "1"]
    )
    assert "led 0" in done.stdout.splitlines()
    check_brief(done, recordings)
    report = support.run_kymo(["report", recordings[0].path], cwd=tmp_path)
    assert "the budget was exceeded" in report.stdout + report.stderr


@pytest.mark.parametrize("what", ["both", "writes"])
def test_libraries_that_come_among_threads(tmp_path, built, what):
    done, (recording,) = run(
        tmp_path,
        built,
        what,
        "functions_opened",
        built / "libopened.so",
        30,
        environment=LIBRARY,
    )
    told = dict(re.findall(r"(\w+) (\d+)", done.stdout))
    calls = recording.calls()
    assert {name: calls[name] for name in told} == {name: int(n) for name, n in told.items()}


def test_nobody_asks_for_both(tmp_path, built):
    """The same, as strace sees it: in every process that takes part."""
    log = tmp_path / "calls"
    traced = ["strace", "-f", "-qq", "-e", "trace=mmap,mprotect,pkey_mprotect", "-o", log]
    command = [functions_runs.KYMO, "run", "--functions=counts", "-o", tmp_path / "out", "--"]
    command += [built / "functions_opened", built / "libopened.so", 1]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), **LIBRARY}
    done = subprocess.run(
        [str(part) for part in traced + command], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    calls = log.read_text()
    assert "PROT_READ|PROT_EXEC" in calls
    assert "PROT_WRITE|PROT_EXEC" not in calls

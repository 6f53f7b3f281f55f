"""Native functions are recorded without a folder for plans, too: with none, with one that cannot be
made, and where its disk is full."""

import os
import subprocess

import pytest
from functions_runs import KYMO, compile_c, run

PROGRAM = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int leaf(int n) { __asm__ volatile("" ::: "memory"); return n + 1; }
int middle(int n) { int s = 0; for (int i = 0; i < 10; i++) s += leaf(i + n); return s; }
int main(int argc, char **argv) { int s = 0, fd = dup(0);
	for (int i = 0; i < 100; i++) s += middle(i);
	printf("%d %d\\n", s, fd); fflush(stdout);
	if (argc > 1 && fork() == 0) { execl(argv[0], argv[0], NULL); _exit(1); }
	while (wait(NULL) > 0) continue;
	return 0; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("uncached"), PROGRAM)


def surroundings(kind, folder, program):
    """Variables with which no plan of program can be kept."""
    if kind == "none":
        return {"HOME": "", "XDG_CACHE_HOME": ""}
    if kind == "relative":
        return {"HOME": "here", "XDG_CACHE_HOME": "there"}
    if kind == "no folder":
        (folder / "file").write_text("")
        return {"XDG_CACHE_HOME": str(folder / "file")}
    # What is written there meets a disk that is full.
    variables = {**os.environ, "XDG_CACHE_HOME": str(folder / "full")}
    for words in (["--cost", "counts"], ["--cost", "full"]):
        command = [KYMO, "patch-plan", *words, "--program", program]
        for more in ([], ["--variant", "exits"] if "counts" in words else []):
            subprocess.run([*command, *more], env=variables, check=True, timeout=120)
    plans = folder / "full" / "kymo" / "plans"
    for plan in list(plans.iterdir()):
        plan.unlink()
        plan.symlink_to("/dev/full")
    return {"XDG_CACHE_HOME": str(folder / "full")}


@pytest.mark.parametrize("cost", ["counts", "full"])
@pytest.mark.parametrize("kind", ["none", "relative", "no folder", "full"])
def test_every_call_is_recorded(tmp_path, program, kind, cost):
    variables = surroundings(kind, tmp_path, program)
    bare = subprocess.run([program], capture_output=True, text=True, check=True)
    done, (recording,) = run(tmp_path, program, cost, options=["-q"], environment=variables)
    assert (done.stdout, done.stderr) == (bare.stdout, "")
    calls = recording.calls()
    assert (calls["main"], calls["middle"], calls["leaf"]) == (1, 100, 1000)


@pytest.mark.parametrize("command", ["run", "instrument"])
@pytest.mark.parametrize("kind", ["none", "no folder"])
def test_what_is_chosen_is_handed_on(tmp_path, program, kind, command):
    variables = {
        **os.environ,
        **surroundings(kind, tmp_path, program),
        "KYMO_OUTPUT_PATH": str(tmp_path / "out"),
        "KYMO_FUNCTIONS_RESTRICT": "^middle$",
    }
    words = [KYMO, command, "-q", *(["--functions=full"] if command == "run" else []), "--"]
    done = subprocess.run(
        [*words, program], env=variables, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = subprocess.run(
        [KYMO, "report", tmp_path / "out", "--top", "0", "--format", "csv"],
        env=variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "middle" in report.stdout and "leaf" not in report.stdout


def test_children_and_libraries_too(tmp_path, program):
    variables = {**surroundings("none", tmp_path, program), "KYMO_FUNCTIONS_MODULE_INCLUDE": "libc"}
    done, recordings = run(
        tmp_path, program, "counts", "again", options=["-q"], environment=variables
    )
    assert done.stderr == "" and done.stdout.count("\n") == 2
    children = [recording.calls() for recording in recordings if recording.calls().get("main")]
    assert len(children) >= 2
    for calls in children:
        assert calls["leaf"] == 1000
        assert calls.get("execl", 0) + calls.get("wait", 0) + calls.get("__wait", 0) > 0


def test_calls_into_libraries(tmp_path, program):
    variables = surroundings("none", tmp_path, program)
    variables["KYMO_FUNCTIONS_API"] = "c:^(fork|wait)$"
    done, recordings = run(
        tmp_path, program, "full", "again", options=["-q"], environment=variables
    )
    assert done.stderr == ""
    calls = [recording.calls() for recording in recordings]
    assert sum(each.get("leaf", 0) for each in calls) == 2000
    assert any({"fork", "__fork", "__libc_fork"} & set(each) for each in calls)

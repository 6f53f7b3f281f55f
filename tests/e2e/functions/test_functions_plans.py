"""Plans depend on the file alone: threads share the work in the same way on every machine."""

import csv
import os
import shutil
import subprocess

import pytest
from functions_runs import KYMO

ENOUGH = 600  # functions: from 512 on threads share the work
SOURCE = """
int sink;
#define F(n) __attribute__((noinline)) int f##n(int a) {{ \\
	for (int i = 0; i < a; i++) {{ sink += i * n; }} return a > 2 ? f##n(a - 1) + sink : n; }}
{functions}
int main(int argc, char **argv)
{{
	(void)argv;
	return {calls} == 0;
}}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    functions = "\n".join(f"F({number})" for number in range(ENOUGH))
    calls = " + ".join(f"f{number}(argc)" for number in range(ENOUGH))
    (folder / "many.c").write_text(SOURCE.format(functions=functions, calls=calls))
    command = ["gcc", "-O1", "-o", folder / "many", folder / "many.c"]
    subprocess.run(command, check=True)
    return folder / "many"


def plan(program, cache, cost, processors=None):
    def limit():
        if processors:
            os.sched_setaffinity(0, processors)

    subprocess.run(
        [KYMO, "patch-plan", "--cost", cost, "--program", program],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        preexec_fn=limit,
        check=True,
        timeout=120,
    )
    (made,) = (cache / "kymo" / "plans").glob("*.plan")
    return made.read_bytes()


@pytest.mark.parametrize("cost", ["counts", "coarse", "full"])
def test_a_plan_is_the_same_however_many_threads_run(program, tmp_path, cost):
    one = plan(program, tmp_path / "one", cost, {min(os.sched_getaffinity(0))})
    for again in range(3):
        assert plan(program, tmp_path / str(again), cost) == one


def test_all_functions_of_both_halves_are_recorded(program, tmp_path):
    variables = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "KYMO_OUTPUT_PATH": str(tmp_path / "run"),
    }
    command = [KYMO, "instrument", "-q", "--cost", "full", "--", program]
    bare = subprocess.run([program, "2", "3"])
    done = subprocess.run([*command, "2", "3"], env=variables, timeout=120)
    assert done.returncode == bare.returncode
    report = subprocess.run(
        [KYMO, "report", tmp_path / "run", "--format", "csv", "--top", "0"],
        env=variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    calls = {row["name"]: int(row["calls"]) for row in csv.DictReader(report.stdout.splitlines())}
    assert {f"f{number}": 2 for number in range(ENOUGH)}.items() <= calls.items()  # f(3), f(2)


SANITIZERS = [
    ("gcc", "-fsanitize=address"),
    ("gcc", "-fsanitize=leak"),
    ("gcc", "-fsanitize=thread"),
    ("gcc", "-fsanitize=address", "-static-libasan"),
    ("clang", "-fsanitize=address"),
    ("clang", "-fsanitize=memory"),
    ("gcc", "-fsanitize=undefined"),
    ("gcc",),
]


@pytest.mark.parametrize("words", SANITIZERS, ids=" ".join)
def test_the_plan_that_is_made_first_is_the_one_that_is_used(tmp_path, words):
    """Where sanitizers rule out that functions are called through, the command knows."""
    if not shutil.which(words[0]):
        pytest.skip(f"there is no {words[0]}")
    (tmp_path / "one.c").write_text("int main(void) { return 3; }\n")
    command = [*words, "-O1", "-o", tmp_path / "one", tmp_path / "one.c"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("the compiler has no such sanitizer")
    bare = subprocess.run([tmp_path / "one"], capture_output=True, timeout=60)
    if bare.returncode != 3:
        pytest.skip("the sanitizer cannot run here")
    variables = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "KYMO_OUTPUT_PATH": str(tmp_path / "run"),
        "KYMO_FINISH": "OFF",
    }
    done = subprocess.run(
        [KYMO, "instrument", "-q", "--", tmp_path / "one"],
        env=variables,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 3, done.stderr
    (plan,) = (tmp_path / "cache" / "kymo" / "plans").glob("*.plan")
    if "-static-libasan" in words:  # which does not export what it is known by, at run time either
        return
    is_ruled_out = len(words) > 1 and "undefined" not in words[1]
    assert plan.name.endswith(".counts-exits.plan" if is_ruled_out else ".counts.plan")

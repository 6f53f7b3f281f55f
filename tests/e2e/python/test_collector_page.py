"""The tables of the manual page that users of other tools know, character for character, in what
stands in for those tools; and what Kymo's own default adds to them."""

import pytest
import support

EXAMPLE = """import sys

def fib(n):
   return n if n < 2 else (fib(n - 1) + fib(n - 2))


{decorate_inefficient}def inefficient(n):
   a = 0
   for i in range(n):
      a += i
      for j in range(n):
            a += j
   return a


{decorate_run}def run(n):
   return fib(n) + inefficient(n)


if __name__ == "__main__":
{main}
"""

CONFIGURED = """   from kymo.profiler import config
   from kymo import profile

   config.include_args = True
   config.include_filename = False
   config.include_line = False
   config.restrict_functions += ["fib", "run"]

   with profile():
      run(5)
"""

ALL_CALLS = """\
|-------------------------------------------------------------------------------------------|
|                                COUNTS NUMBER OF INVOCATIONS                               |
|-------------------------------------------------------------------------------------------|
|                      LABEL                        | COUNT  | DEPTH  |   METRIC   |  SUM   |
|---------------------------------------------------|--------|--------|------------|--------|
| |0>>> run                                         |      1 |      0 | trip_count |      1 |
| |0>>> |_fib                                       |      1 |      1 | trip_count |      1 |
| |0>>>   |_fib                                     |      2 |      2 | trip_count |      2 |
| |0>>>     |_fib                                   |      4 |      3 | trip_count |      4 |
| |0>>>       |_fib                                 |      8 |      4 | trip_count |      8 |
| |0>>>         |_fib                               |     16 |      5 | trip_count |     16 |
| |0>>>           |_fib                             |     32 |      6 | trip_count |     32 |
| |0>>>             |_fib                           |     64 |      7 | trip_count |     64 |
| |0>>>               |_fib                         |    128 |      8 | trip_count |    128 |
| |0>>>                 |_fib                       |    256 |      9 | trip_count |    256 |
| |0>>>                   |_fib                     |    512 |     10 | trip_count |    512 |
| |0>>>                     |_fib                   |   1024 |     11 | trip_count |   1024 |
| |0>>>                       |_fib                 |   2026 |     12 | trip_count |   2026 |
| |0>>>                         |_fib               |   3632 |     13 | trip_count |   3632 |
| |0>>>                           |_fib             |   5020 |     14 | trip_count |   5020 |
| |0>>>                             |_fib           |   4760 |     15 | trip_count |   4760 |
| |0>>>                               |_fib         |   2942 |     16 | trip_count |   2942 |
| |0>>>                                 |_fib       |   1152 |     17 | trip_count |   1152 |
| |0>>>                                   |_fib     |    274 |     18 | trip_count |    274 |
| |0>>>                                     |_fib   |     36 |     19 | trip_count |     36 |
| |0>>>                                       |_fib |      2 |     20 | trip_count |      2 |
| |0>>> |_inefficient                               |      1 |      1 | trip_count |      1 |
|-------------------------------------------------------------------------------------------|
"""

ONE_FUNCTION = """\
|-----------------------------------------------------------|
|                COUNTS NUMBER OF INVOCATIONS               |
|-----------------------------------------------------------|
|      LABEL        | COUNT  | DEPTH  |   METRIC   |  SUM   |
|-------------------|--------|--------|------------|--------|
| |0>>> inefficient |      1 |      0 | trip_count |      1 |
|-----------------------------------------------------------|
"""

WITH_ARGUMENTS = """\
|------------------------------------------------------------------|
|                   COUNTS NUMBER OF INVOCATIONS                   |
|------------------------------------------------------------------|
|          LABEL           | COUNT  | DEPTH  |   METRIC   |  SUM   |
|--------------------------|--------|--------|------------|--------|
| |0>>> run(n=5)           |      1 |      0 | trip_count |      1 |
| |0>>> |_fib(n=5)         |      1 |      1 | trip_count |      1 |
| |0>>>   |_fib(n=4)       |      1 |      2 | trip_count |      1 |
| |0>>>     |_fib(n=3)     |      1 |      3 | trip_count |      1 |
| |0>>>       |_fib(n=2)   |      1 |      4 | trip_count |      1 |
| |0>>>         |_fib(n=1) |      1 |      5 | trip_count |      1 |
| |0>>>         |_fib(n=0) |      1 |      5 | trip_count |      1 |
| |0>>>       |_fib(n=1)   |      1 |      4 | trip_count |      1 |
| |0>>>     |_fib(n=2)     |      1 |      3 | trip_count |      1 |
| |0>>>       |_fib(n=1)   |      1 |      4 | trip_count |      1 |
| |0>>>       |_fib(n=0)   |      1 |      4 | trip_count |      1 |
| |0>>>   |_fib(n=3)       |      1 |      2 | trip_count |      1 |
| |0>>>     |_fib(n=2)     |      1 |      3 | trip_count |      1 |
| |0>>>       |_fib(n=1)   |      1 |      4 | trip_count |      1 |
| |0>>>       |_fib(n=0)   |      1 |      4 | trip_count |      1 |
| |0>>>     |_fib(n=1)     |      1 |      3 | trip_count |      1 |
|------------------------------------------------------------------|
"""


def example(main="   run(20)", decorate_run="", decorate_inefficient=""):
    return EXAMPLE.format(
        main=main, decorate_run=decorate_run, decorate_inefficient=decorate_inefficient
    )


def run(python, arguments, source, cwd, prefix="KYMO", **settings):
    """The table of a run whose settings have the names of a tool."""
    (cwd / "example.py").write_text(source)
    given = {"PROFILE": "ON", "TIMEMORY_COMPONENTS": "trip_count", **settings}
    finished = support.run(
        [python.executable, *arguments, "example.py"],
        cwd=cwd,
        env={
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_OUTPUT_PATH": "out",
            "KYMO_TIME_OUTPUT": "OFF",
            **{f"{prefix}_{name}": value for name, value in given.items()},
        },
    )
    assert finished.returncode == 0, finished.stderr
    return (cwd / "out" / "trip_count.txt").read_text()


def check(python, arguments, source, table, cwd, prefix="KYMO"):
    assert run(python, arguments, source, cwd, prefix) == table


def rows(table):
    """[(count, depth, label)]"""
    lines = [line.split("|") for line in table.splitlines()[5:-1]]
    return [(int(words[-5]), int(words[-4]), "|".join(words[2:-5]).strip()) for words in lines]


@pytest.mark.parametrize("prefix", ["OMNITRACE", "ROCPROFSYS"])
def test_whole_program(python, prefix, tmp_path):
    check(python, ["-m", "kymo", "--"], example(), ALL_CALLS, tmp_path, prefix)


def test_whole_program_by_preset(python, tmp_path):
    check(python, ["-m", "kymo", "--preset", "omnitrace", "--"], example(), ALL_CALLS, tmp_path)


def test_whole_program_of_a_command_by_preset(newest_python, tmp_path):
    options = ["-q", "--preset", "omnitrace", "--timemory-components", "trip_count"]
    (tmp_path / "example.py").write_text(example())
    finished = support.run_kymo(
        ["run", *options, "--", newest_python.executable, "example.py"],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": "out", "KYMO_TIME_OUTPUT": "OFF"},
    )
    assert finished.returncode == 0, finished.stderr
    names = [label.split("|_")[-1].split()[-1] for _, _, label in rows(table_of(tmp_path))]
    assert names == [newest_python.executable.rpartition("/")[2], *names[1:]]
    assert names[1:] == ["run"] + ["fib"] * 20 + ["inefficient"]


def table_of(cwd):
    return (cwd / "out" / "trip_count.txt").read_text()


def test_default_adds_the_body_of_the_script(python, tmp_path):
    table = run(python, ["-m", "kymo", "--"], example(), tmp_path)
    named = [(count, depth, label.split("|_")[-1]) for count, depth, label in rows(table)]
    theirs = [(count, depth, label.split("|_")[-1]) for count, depth, label in rows(ALL_CALLS)]
    below = [(count, depth + 1, label) for count, depth, label in theirs[1:]]
    assert named[:2] == [(1, 0, "0>>> <module>"), (1, 1, "run")]
    assert named[2 : 2 + len(below)] == below
    # Where threads may have been started, the interpreter waits for them.
    assert all("_shutdown" in label for _, depth, label in named[2 + len(below) :] if depth == 0)


def test_lists_of_ones_own_take_the_place_of_the_other_tools(python, tmp_path):
    table = run(
        python,
        ["-m", "kymo", "--"],
        example(),
        tmp_path,
        "OMNITRACE",
        PYTHON_FUNCTION_EXCLUDE="^inefficient$",
    )
    assert rows(table)[0] == (1, 0, "0>>> <module>")
    assert "inefficient" not in table


def test_builtin_decorator(python, tmp_path):
    source = example(decorate_inefficient="@profile\n")
    check(python, ["-m", "kymo", "-b", "--"], source, ONE_FUNCTION, tmp_path)


@pytest.mark.parametrize("decorator", ["@kymo.profile()", "@kymo.profile"])
def test_decorator(python, decorator, tmp_path):
    source = "import kymo\n" + example(decorate_run=decorator + "\n")
    check(python, [], source, ALL_CALLS, tmp_path)


def test_context_manager(python, tmp_path):
    main = "   with kymo.profile():\n      run(20)"
    check(python, [], "import kymo\n" + example(main=main), ALL_CALLS, tmp_path)


def test_configuration(python, tmp_path):
    check(python, [], example(main=CONFIGURED), WITH_ARGUMENTS, tmp_path)

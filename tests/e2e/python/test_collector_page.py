"""The tables of the manual page that users of other tools know, character for character."""

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


def check(python, arguments, source, table, cwd):
    (cwd / "example.py").write_text(source)
    finished = support.run(
        [python.executable, *arguments, "example.py"],
        cwd=cwd,
        env={
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_PROFILE": "ON",
            "KYMO_TIMEMORY_COMPONENTS": "trip_count",
            "KYMO_OUTPUT_PATH": "out",
            "KYMO_TIME_OUTPUT": "OFF",
        },
    )
    assert finished.returncode == 0, finished.stderr
    assert (cwd / "out" / "trip_count.txt").read_text() == table


def test_whole_program(python, tmp_path):
    check(python, ["-m", "kymo", "--"], example(), ALL_CALLS, tmp_path)


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

"""The commands as a user types them: a script, and what it prints.

cases/<subject>/<name>.sh runs in an empty folder with `kymo` in the PATH, the folder of a recorded
run in $RUN (tests/cli/example.py) and of a run with threads and processes in $RUN2.
cases/<subject>/<name>.out and .err hold what it must print on standard output and standard error,
where a `*` stands for any text of a line; without the file, nothing.  A line
`# status: N` in the script is its exit status, 0 without.  KYMO_ACCEPT=1 writes what was
printed into the files of cases that fail, with the patterns of lines that still match; times in
others are then to be replaced by hand.
"""

import difflib
import fnmatch
import os
import re
from pathlib import Path

import pytest
import support

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "cases"
CASES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.sh"))


def record(folder, script, *options):
    """Run a program under the newest interpreter; the folder of its run."""
    interpreters = support.interpreters()
    assert interpreters, "the build has no native module"
    result = support.run_kymo_python(
        interpreters[-1],
        [*options, "--", HERE / script],
        cwd=folder,
        env={"KYMO_QUIET": "ON", "PYTHONWARNINGS": "ignore"},
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Environment variables that name the recorded runs.

    The second has what the program's own functions do: what the standard library calls to start a
    thread is not the same in all versions."""
    own = ["--module-restrict", "processes.py"]
    return {
        "RUN": record(tmp_path_factory.mktemp("run"), "example.py"),
        "RUN2": record(tmp_path_factory.mktemp("run2"), "processes.py", *own),
        "PYTHON": support.interpreters()[-1].executable,
    }


def expected_status(script):
    found = re.search(r"^# status: (\d+)$", script, re.MULTILINE)
    return int(found.group(1)) if found else 0


def matches(line, pattern):
    """Only `*` is special in a pattern: the rest of fnmatch's signs are common in tables."""
    escaped = pattern.replace("[", "[[]").replace("?", "[?]")
    return fnmatch.fnmatchcase(line, escaped)


def accepted(lines, expected):
    """What was printed; lines that a pattern of theirs matches have that."""
    known = [next((each for each in expected if matches(line, each)), line) for line in lines]
    blocks = difflib.SequenceMatcher(None, expected, known, autojunk=False).get_matching_blocks()
    kept = {b + i for _, b, size in blocks for i in range(size)}
    return [known[i] if i in kept else line for i, line in enumerate(lines)]


WRAPPED = " " * 13  # how lines of the head of a report go on: where depends on the numbers


def unwrapped(lines):
    """With each line whose beginning is in the line before as its end."""
    whole = []
    for line in lines:
        if whole and line.startswith(WRAPPED):
            whole[-1] = f"{whole[-1]} {line.strip()}"
        else:
            whole.append(line)
    return whole


def is_as(lines, expected):
    lines, expected = unwrapped(lines), unwrapped(expected)
    return len(lines) == len(expected) and all(map(matches, lines, expected))


def check(name, stream, printed):
    """Compare what was printed with the file of the case, line by line."""
    path = FOLDER / f"{name}.{stream}"
    expected = path.read_text().splitlines() if path.exists() else []
    lines = printed.splitlines()
    is_same = is_as(lines, expected)
    if not is_same and os.environ.get("KYMO_ACCEPT"):
        path.write_text("".join(f"{line}\n" for line in accepted(lines, expected)))
    assert is_same or lines == expected, f"{path.name} differs:\n{printed}"


@pytest.mark.parametrize("name", CASES)
def test_case(name, runs, tmp_path):
    script = (FOLDER / f"{name}.sh").read_text()
    environment = {**runs, "PATH": f"{support.KYMO.parent}:{os.environ['PATH']}"}
    result = support.run(["sh", "-c", script], cwd=tmp_path, env=environment)
    check(name, "err", result.stderr)
    check(name, "out", result.stdout)
    assert result.returncode == expected_status(script)

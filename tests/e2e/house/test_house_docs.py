"""What the documents say of the tests is so."""

import re

import pytest
import support

SECURITY = support.REPOSITORY / "docs" / "security.md"
TESTS = support.REPOSITORY / "tests"
NOTHING = "\N{EN DASH}"  # stands where a promise has no test


def promises():
    """(promise, what it is tested by) of each row of the tables."""
    rows = re.findall(r"^\| (.+) \| (.+) \|$", SECURITY.read_text(), re.MULTILINE)
    return [row for row in rows if row[0] != "promise"]


def names_in(path):
    """Names of the tests of a file of Python or C."""
    text = path.read_text()
    return set(re.findall(r"^def (test_\w+)", text, re.MULTILINE)) | set(
        re.findall(r"cmocka_unit_test(?:_\w+)?\((test_\w+)", text)
    )


def all_names():
    files = [
        *TESTS.glob("*/test_*.py"),
        *TESTS.glob("unit/test_*.c"),
    ]
    return set().union(*map(names_in, files))


def is_there(path, name, known):
    place = support.REPOSITORY / path
    if path:
        return place.exists() and (not name or name in names_in(place))
    if name.endswith("*"):
        return any(test.startswith(name[:-1]) for test in known)
    return name in known or not name.startswith("test_")


def faults(tested_by, known):
    """What is named there and does not exist."""
    found = []
    for word in re.findall(r"`([^`]+)`", tested_by):
        path, _, name = word.partition("::")
        if "/" not in path:
            path, name = "", path
        if not is_there(path, name, known):
            found.append(word)
    return found


def test_promises_of_security_name_tests_that_exist():
    known = all_names()
    rows = promises()
    assert len(rows) > 20
    for promise, tested_by in rows:
        assert tested_by == NOTHING or "`" in tested_by, promise
        assert faults(tested_by, known) == [], promise


@pytest.mark.parametrize(
    "tested_by",
    [
        "`tests/hostile/test_gone.py`",
        "`tests/hostile/test_names.py::test_gone`",
        "`test_gone_and_away`",
        "`test_gone_*`",
        "`tests/hostile/test_names.py`, `test_gone_and_away`",
    ],
)
def test_names_of_tests_that_are_gone_are_found(tested_by):
    assert faults(tested_by, all_names())

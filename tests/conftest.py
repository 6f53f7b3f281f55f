"""Fixtures and the choice of interpreters for all Python tests.

A test with the fixture `python` runs once for every interpreter for which the build has a
module, with the version in its id.  `@pytest.mark.since("3.12")` and
`@pytest.mark.until("3.11")` narrow that without a skip.

Tests marked `long` are run in rotation: `--long 2/3` runs every third of them and all others. A
test is long under the versions that others represent: by default those of `LIKE_OLDEST`, with
`@pytest.mark.every_version` none.  If versions hardly differ in the tested behaviour,
`@pytest.mark.alike_versions` makes all between the oldest and the newest long, except those that
it names: `alike_versions("3.11")`; `@pytest.mark.newest_version` the oldest, too.
"""

import os
import signal
import zlib

import pytest
import support

# Hooked and laid out in memory as 3.8 is, as far as tests can tell.
LIKE_OLDEST = ("3.9", "3.10")


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out tests marked slow")
    parser.addoption(
        "--long",
        default="1/1",
        metavar="K/N",
        help="of the tests marked long only part K of N; 0/1: none of them (default: all)",
    )
    parser.addoption(
        "--python",
        action="append",
        default=[],
        metavar="X.Y",
        help="only these interpreters (may be repeated)",
    )


def leave_the_surroundings():
    """Settings and ignored signals of the environment must not reach the programs under test."""
    for name in [name for name in os.environ if name.startswith(support.SETTING_PREFIXES)]:
        if name not in support.SETTINGS_OF_TESTS:
            del os.environ[name]
    # Ignored if the tests were started in the background, and then in all child processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    leave_the_surroundings()
    config.addinivalue_line("markers", "slow: takes many seconds; left out by --quick")
    config.addinivalue_line("markers", "long: run in rotation; see --long")
    config.addinivalue_line(
        "markers", "alone: compares CPU times or rates, and has the machine to itself"
    )
    config.addinivalue_line("markers", "every_version: long under no version")
    config.addinivalue_line(
        "markers", "newest_version(version...): only the newest and these are not long"
    )
    config.addinivalue_line(
        "markers", "alike_versions(version...): only the first, the last and these are not long"
    )
    config.addinivalue_line("markers", "since(version): from this Python version on")
    config.addinivalue_line("markers", "until(version): up to this Python version")
    if not support.KYMO.exists():
        raise pytest.UsageError(f"no build in '{support.BUILD}': run ./test.sh, or set KYMO_BUILD")


def chosen_interpreters(definition, only):
    """The interpreters a test runs under, by its marks and the command line."""
    chosen = [each for each in support.interpreters() if not only or each.version in only]
    for mark in definition.iter_markers("since"):
        chosen = [each for each in chosen if each.number >= support.version_number(mark.args[0])]
    for mark in definition.iter_markers("until"):
        chosen = [each for each in chosen if each.number <= support.version_number(mark.args[0])]
    return chosen


def pytest_generate_tests(metafunc):
    if "python" in metafunc.fixturenames:
        chosen = chosen_interpreters(metafunc.definition, metafunc.config.getoption("--python"))
        metafunc.parametrize("python", chosen or [None], ids=str)


def parameter(item, name):
    """The value of a test's parameter; () if it has none of that name."""
    return item.callspec.params.get(name, ()) if hasattr(item, "callspec") else ()


def representatives(item):
    """The versions under which a test is not long: see above."""
    versions = [each.version for each in support.interpreters()]
    if item.get_closest_marker("every_version"):
        return versions
    newest = item.get_closest_marker("newest_version")
    alike = item.get_closest_marker("alike_versions")
    if newest:
        return [versions[-1], *newest.args]
    if alike:
        return [versions[0], versions[-1], *alike.args]
    return [versions[0], *(version for version in versions if version not in LIKE_OLDEST)]


def is_represented(item):
    """Whether it runs under a version that another one represents."""
    python = parameter(item, "python")
    return bool(python) and python.version not in representatives(item)


def is_long(item):
    return bool(item.get_closest_marker("long")) or is_represented(item)


def is_in_turn(item, part):
    """Whether a long test belongs to part "K/N"; the same on every machine."""
    turn, turns = (int(number) for number in part.split("/"))
    return zlib.crc32(item.nodeid.encode()) % turns == turn - 1


def is_left_out(item, is_quick, part):
    """Slow ones with --quick, long ones of other parts, and those for which the build has no
    interpreter."""
    if parameter(item, "python") is None or (is_quick and item.get_closest_marker("slow")):
        return True
    return is_long(item) and not is_in_turn(item, part)


def pytest_collection_modifyitems(config, items):
    is_quick, part = config.getoption("--quick"), config.getoption("--long")
    left_out = [item for item in items if is_left_out(item, is_quick, part)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


@pytest.fixture
def kymo():
    """Path of the kymo command."""
    return support.KYMO


@pytest.fixture
def newest_python():
    """The newest interpreter, for tests that do not depend on the version."""
    found = support.interpreters()
    assert found, "the build has no native module"
    return found[-1]


@pytest.fixture
def static_python():
    """A stripped interpreter without a library of its own, as Debian builds them."""
    found = support.static_python()
    if not found:
        pytest.skip("every interpreter of this system has a library or symbols")
    return found


@pytest.fixture
def profile(tmp_path):
    """profile(python, args, **options): run under Kymo in a fresh folder; outputs in out/."""

    def run(python, args, **options):
        options.setdefault("cwd", tmp_path)
        return support.run_kymo_python(python, args, **options)

    return run

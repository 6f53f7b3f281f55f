"""pytest --kymo: profile a test session, show its slowest tests, compare it with a stored run.

Loaded by pytest as an entry point of the package, or with `-p kymo.pytest_plugin`; without one
of its options it does nothing.  Each test is a region named by its node id.  Workers of xdist
are processes of the same run."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress

import pluggy
import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Generator, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_OUTPUT = "kymo-pytest-output"
_SLOWEST = 10
_REGIONS = "15"
_DIFF_FAILED = 3  # a condition of `kymo diff`

# Of the test runner, only what it calls is shown.
_FRAMEWORK = "/(_pytest|pluggy|pytest|xdist|execnet)/"


def _outermost(function: F) -> F:
    """Around all other hooks.  A region has to end in the frame where it began: pluggy's own,
    which since 1.2 runs the older kind of wrappers by a generator in between."""
    is_new = tuple(int(part) for part in pluggy.__version__.split(".")[:2]) >= (1, 2)
    options: Any = {"wrapper" if is_new else "hookwrapper": True, "tryfirst": True}
    decorated: F = pytest.hookimpl(**options)(function)
    return decorated


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("kymo", "profiling with Kymo")
    group.addoption("--kymo", action="store_true", help="profile the tests")
    group.addoption(
        "--kymo-output",
        metavar="DIR",
        help=f"folder of the run (default: {_OUTPUT}); this and the following imply --kymo",
    )
    group.addoption(
        "--kymo-compare", metavar="RUN", help="compare with a stored run, as 'kymo diff' does"
    )
    group.addoption(
        "--kymo-fail-if",
        metavar="CONDITION",
        action="append",
        default=[],
        help="fail the session where the comparison does: 'total:run>5%%' (may be repeated)",
    )
    group.addoption(
        "--kymo-store", metavar="RUN", help="store the run of a session that passes under RUN"
    )


def pytest_configure(config: Any) -> None:
    names = ("kymo", "kymo_output", "kymo_compare", "kymo_fail_if", "kymo_store")
    if not any(config.getoption(name) for name in names):
        return
    if config.getoption("kymo_fail_if") and not config.getoption("kymo_compare"):
        raise pytest.UsageError("--kymo-fail-if needs a run to compare with: --kymo-compare RUN")
    config.pluginmanager.register(_Profiled(config), "kymo-session")


class _Profiled:
    """One profiled session, in the process that runs the tests or in one of xdist's."""

    def __init__(self, config: Any) -> None:
        self.is_worker = hasattr(config, "workerinput")
        self.compared = config.getoption("kymo_compare")
        self.conditions = config.getoption("kymo_fail_if")
        self.stored = config.getoption("kymo_store")
        self.folder = config.getoption("kymo_output") or _OUTPUT
        self.directory = ""  # "" = nothing is recorded
        self.is_owner = False  # of the recording, which may have been opened elsewhere
        self.tests: set[str] = set()
        self.lines: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: Any) -> None:
        """Before xdist starts its workers, which find the run by their environment."""
        try:
            self._open()
        except (ImportError, ValueError) as error:
            self.lines.append(f"not profiled: {error}")

    def _open(self) -> None:
        _session = _recording()
        settings = ["SUMMARY=OFF"]
        if not self.is_worker:
            settings.append(f"OUTPUT_PATH={self.folder}")
        self.is_owner = _session.native.state() == "new"
        if self.is_owner:
            _session.open_recording(settings, ["pytest"])
            _session.config.exclude_modules = [_FRAMEWORK]
        if _session.begin():
            self.directory = _session.native.directory()
        else:
            self.lines.append("not profiled: the recording could not be opened")

    @_outermost
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        """The test with its fixtures is a region."""
        if not self.directory:
            return (yield)
        from kymo.user import Region

        with Region(item.nodeid):
            return (yield)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.tests.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any) -> None:
        """After xdist's workers have ended."""
        if not self.directory:
            return
        _session = _recording()
        _session.end()
        if self.is_owner:
            _session.close_recording(int(session.exitstatus))
        if not self.is_worker:
            self._conclude(session)

    def _conclude(self, session: Any) -> None:
        from kymo._tool_place import ToolError

        try:
            self.lines += [self._show_tests(), self._show_regions()]
            if self.compared:
                self._compare(session)
            if self.stored:
                self._store(session)
        except (ToolError, OSError) as error:
            self.lines.append(f"failed: {error}")
            _fail(session)

    def _show_tests(self) -> str:
        """The slowest tests, by their times in the run."""
        from kymo import _tool

        text = _tool.output("report", self.directory, "--flat", "--format", "json")
        regions = json.loads(text)["regions"]
        tests = [each for each in regions if each["name"] in self.tests]
        tests.sort(key=lambda each: -each["total"])
        lines = [f"slowest {min(_SLOWEST, len(tests))} of {len(tests)} tests"]
        lines += [f"{each['total'] * 1e3:12,.1f} ms  {each['name']}" for each in tests[:_SLOWEST]]
        return "\n".join(lines) + "\n"

    def _show_regions(self) -> str:
        from kymo import _tool

        table = _tool.output("report", self.directory, "--top", _REGIONS)
        return f"{table}\nnext: kymo report {self.directory}"

    def _compare(self, session: Any) -> None:
        from kymo import _tool

        if not os.path.exists(self.compared) and self.stored == self.compared:
            self.lines.append(f"nothing to compare with yet: '{self.compared}' is stored now")
            return
        arguments = [f"--fail-if={condition}" for condition in self.conditions]
        result = _tool.call("diff", *arguments, "--", self.compared, self.directory)
        self.lines.append(f"\ncompared with '{self.compared}'\n{result.stdout}{result.stderr}")
        if result.returncode == _DIFF_FAILED:
            self.lines.append("the comparison failed")
        if result.returncode != 0:
            _fail(session)

    def _store(self, session: Any) -> None:
        """A copy that atomically replaces an older run."""
        if session.exitstatus != 0:
            self.lines.append(f"not stored: '{self.stored}' stays as it is, the session failed")
            return
        target, fresh = os.path.abspath(self.stored), os.path.abspath(self.stored) + ".new"
        if os.path.exists(target) and not _is_run(target):
            raise OSError(f"'{self.stored}' is there and is no run; it is not replaced")
        with suppress(FileNotFoundError):
            shutil.rmtree(fresh)
        shutil.copytree(self.directory, fresh)
        if os.path.exists(target):
            shutil.rmtree(target)
        os.rename(fresh, target)
        self.lines.append(f"stored as '{self.stored}'")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.is_worker:
            return
        terminalreporter.section("kymo")
        for line in self.lines:
            terminalreporter.write_line(line)


def _recording() -> Any:
    """The module that holds the recording; the native module is loaded with it."""
    from kymo import _session

    return _session


def _fail(session: Any) -> None:
    """Fail a session whose tests all passed."""
    if session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _is_run(path: str) -> bool:
    return os.path.isdir(path) and any(name.endswith(".kymo") for name in os.listdir(path))

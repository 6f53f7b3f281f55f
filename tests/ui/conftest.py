"""The browser, the demo's run, and pages."""

import flame_view
import pages
import pytest
import support
from playwright.sync_api import sync_playwright

DEMO = support.REPOSITORY / "demo" / "forecast.py"


@pytest.fixture(scope="session")
def browser():
    assert pages.CHROMIUM, "no Chromium: tools/setup.sh test installs it"
    with sync_playwright() as playwright:
        # As root in a container there is no sandbox to be had.
        chromium = playwright.chromium.launch(
            executable_path=pages.CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def tabs(browser):
    return pages.Tabs(browser)


@pytest.fixture
def open_tab(tabs):
    """open_tab(path, **context options): a pages.Tab of a page; left and checked at the end."""
    opened = []

    def open_one(path, **options):
        options.setdefault("viewport", {"width": 1280, "height": 800})
        tab = tabs.open(path.as_uri(), options)
        opened.append((tab, options))
        return tab

    yield open_one
    for tab, options in opened:
        tabs.take_back(tab, options)


def record(folder, *options, program=DEMO, arguments=()):
    """Record the functions of a Python program under the newest interpreter; its run.

    Without the bodies of modules and what the library calls to start threads, which would stand
    above everything that views are asked for."""
    result = support.run_kymo_python(
        support.interpreters()[-1],
        [*options, "--preset", "omnitrace", "--", program, *arguments],
        cwd=folder,
        env={"KYMO_QUIET": "ON"},
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory):
    """Of what ./demo.sh records the functions."""
    return record(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def demo_page(demo_run, tmp_path_factory):
    return pages.write_page(demo_run, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="session")
def traced_run(tmp_path_factory):
    """A day of the demo with a trace."""
    return record(tmp_path_factory.mktemp("traced"), "-T", arguments=["--days", "1"])


@pytest.fixture(scope="session")
def traced_page(traced_run, tmp_path_factory):
    return pages.write_page(traced_run, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="session")
def paths_run(tmp_path_factory):
    """Of a program with few paths, whose numbers are known from the report."""
    return flame_view.record(
        tmp_path_factory.mktemp("paths"), 0, KYMO_COMPONENTS=flame_view.METRICS
    )


@pytest.fixture(scope="session")
def paths_page(paths_run, tmp_path_factory):
    return pages.write_page(paths_run, tmp_path_factory.mktemp("page"))

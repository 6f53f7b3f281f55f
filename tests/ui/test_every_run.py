"""The page of every kind of run: every view opens, fits and can be used by everyone."""

import kinds_of_runs
import pages
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.long]

# What an invalid number looks like.
NO_NUMBERS = {"NaN", "undefined", "Infinity", "null"}


@pytest.fixture(scope="module", params=kinds_of_runs.KINDS)
def page_path(request, tmp_path_factory):
    run = kinds_of_runs.make(request.param, tmp_path_factory.mktemp("run"))
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


def views_of(page):
    return page.locator("nav a").evaluate_all("all => all.map(each => each.dataset.view)")


def test_views(open_tab, page_path):
    """What a page says on its console is found when the tab is closed."""
    tab = open_tab(page_path)
    page = tab.go()
    views = views_of(page)
    assert {"overview", "flame", "table", "graph", "notes"} <= set(views)
    for view in views:
        tab.go(f"#{view}")
        text = page.locator(f".view-{view}").inner_text()
        assert text.strip() and not NO_NUMBERS & set(text.split()), view
        assert tab.serious_faults() == [], view


def test_fits(open_tab, page_path):
    """On a telephone, in the dark."""
    tab = open_tab(page_path, viewport={"width": 360, "height": 640}, color_scheme="dark")
    page = tab.go()
    for view in views_of(page):
        tab.go(f"#{view}")
        assert tab.overflow() <= 0, view


def test_several_runs_fit(open_tab, tmp_path):
    """Processes and threads of many names, in lists that are as long as their longest entry."""
    runs = []
    for kind in ("traced", "sampled", "merged", "imported trace"):
        folder = tmp_path / kind
        folder.mkdir()
        runs.append(kinds_of_runs.make(kind, folder))
    path = pages.write_page(runs[0], tmp_path, *runs[1:])
    tab = open_tab(path, viewport={"width": 360, "height": 640})
    page = tab.go()
    for view in views_of(page):
        tab.go(f"#{view}")
        assert tab.overflow() <= 0, view

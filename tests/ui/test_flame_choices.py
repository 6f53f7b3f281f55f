"""The Flame view: search, and what can be chosen."""

import re

import pages
import pytest
import sampled
import support
from flame_view import (
    BOX,
    PATHS,
    SHOWN,
    children,
    choose,
    crumbs,
    path_named,
    record,
    shown_paths,
    tree_of,
)


@pytest.fixture(scope="module")
def threads_page(tmp_path_factory):
    run = record(tmp_path_factory.mktemp("threads"), 3)
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


def found_text(page):
    return page.locator(".flame-found").inner_text()


def test_search(open_tab, paths_page, paths_run):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    page.get_by_label("Search regions").fill("FIBO")
    pages.wait_until(page, "() => location.hash.includes('find=FIBO')")
    rows = tree_of(paths_run)
    matches = {names: row for names, row in rows.items() if names[-1] == "fibonacci"}
    outermost = [row for names, row in matches.items() if "fibonacci" not in names[:-1]]
    total = sum(row["total"] for row in outermost) * 1e9
    # The page has whole nanoseconds of each path, of which a total is the sum.
    near = [total + ns for ns in range(-len(matches), len(matches) + 1)]
    texts = page.evaluate(
        "(all) => all.map(ns => window.kymo.shown.get('flame').part.model.measure.format(ns))",
        near,
    )
    found = found_text(page)
    assert any(found.startswith(f"{len(matches)} matches: {text},") for text in texts), (
        found,
        texts,
    )
    page.get_by_label("Next match").click()
    pages.wait_until(page, "() => location.hash.includes('path=')")
    tab.settle("flame")
    assert crumbs(page)[-1] == "fibonacci"
    assert found_text(page).startswith(f"1 of {len(matches)} matches")
    page.get_by_label("Match before").click()
    pages.wait_until(page, "() => document.querySelector('.flame-found').textContent[0] !== '1'")
    assert found_text(page).startswith(f"{len(matches)} of {len(matches)} matches")
    link = tab.link
    page.reload()
    tab.settle("flame")
    assert tab.link == link
    assert page.get_by_label("Search regions").input_value() == "FIBO"


def test_search_by_pattern(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame?find=/^(solve|refine)$/")
    assert int(re.match(r"\d+", found_text(page))[0]) > 2
    page.get_by_label("Search regions").fill("/(/")
    pages.wait_until(
        page, "() => document.querySelector('.flame-found').textContent.startsWith('not a')"
    )
    page.get_by_label("Search regions").fill("nowhere")
    pages.wait_until(
        page, "() => document.querySelector('.flame-found').textContent === 'no match'"
    )


def test_region_of_a_link(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    region = page.evaluate("() => window.kymo.data.regions.name.indexOf('leaf')")
    tab.go(f"#flame?region={region}")
    assert "matches" in found_text(page)
    page.keyboard.press(".")
    pages.wait_until(page, "() => location.hash.includes('path=')")
    tab.settle("flame")
    assert crumbs(page)[-1] == "leaf"


def test_depth_and_cut(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    # Of CPU time short paths have the same shares however busy the machine is.
    choose(tab, "Metric", "thread_cpu_clock")
    rows = "() => window.kymo.shown.get('flame').part.chart.boxes.rows.length - 1"
    assert page.evaluate(rows) > 5
    choose(tab, "Depth", "5")
    assert page.evaluate(rows) == 5
    choose(tab, "Depth", "all")
    every = page.evaluate(SHOWN)
    choose(tab, "Leave out below", "100")
    shown, tree = page.evaluate(SHOWN), page.evaluate(PATHS)
    assert set(shown) < set(every)
    assert all(tree[path]["value"] >= 0.01 * tree[0]["value"] for path in shown)


def test_order_by_name(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    choose(tab, "Order", "name")
    assert "order=name" in tab.link
    tree = page.evaluate(PATHS)
    below = [
        tree[path]["names"][1] for path in page.evaluate(SHOWN) if len(tree[path]["names"]) == 2
    ]
    assert len(below) > 1
    assert below == sorted(below)


def test_self_and_colours(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    assert "Python" in page.locator(".flame-legend").inner_text()
    choose(tab, "Numbers", "self")
    assert "value=self" in tab.link
    choose(tab, "Colour by", "module")
    assert "flame_paths.py" in page.locator(".flame-legend").inner_text()
    choose(tab, "Colour by", "heat")
    assert re.search(r"\d (us|ms|s)\b", page.locator(".flame-legend").inner_text())
    choose(tab, "Metric", "peak_rss")
    assert "peak rss" in page.locator(".flame-legend").inner_text()


def test_choices_are_in_the_link(open_tab, paths_page):
    link = "#flame?style=flame&mode=callers&metric=calls&depth=10&cut=1000&order=name&colour=module"
    page = open_tab(paths_page).go(link)
    pressed = page.locator("[aria-pressed=true]").all_inner_texts()
    assert pressed == ["Flame", "Callers"]
    page.locator(".flame-more summary").click()
    for label, value in {
        "Metric": "calls",
        "Depth": "10",
        "Leave out below": "1000",
        "Order": "name",
        "Colour by": "module",
    }.items():
        assert page.get_by_label(label, exact=True).input_value() == value


def test_threads(open_tab, threads_page):
    tab = open_tab(threads_page)
    page = tab.go("#flame")
    together = shown_paths(page)[("work",)]["calls"]
    assert together == 4
    options = page.get_by_label("Thread", exact=True).locator("option").all_inner_texts()
    assert len(options) == 5
    (worker,) = [text for text in options if "worker 2" in text]
    page.get_by_label("Thread", exact=True).select_option(label=worker)
    pages.wait_until(page, "() => location.hash.includes('thread=')")
    tab.settle("flame")
    assert shown_paths(page)[("work",)]["calls"] == 1
    assert "thread=0-" in tab.link


def test_tooltip(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    x, y = page.evaluate(BOX, path_named(page, "work", "solve"))
    page.mouse.move(x, y)
    tip = page.locator(".flame-tip")
    tip.wait_for(state="visible")
    text = tip.inner_text()
    for said in ("solve", "flame_paths.py:", "self", "total", "calls", "of all", "in the mean"):
        assert said in text
    page.mouse.move(5, 5)
    tip.wait_for(state="hidden")


def test_upside_down_zoom(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame?mode=callers")
    page.locator(".flame-panel").get_by_role("button", name="leaf", exact=True).click()
    pages.wait_until(page, "() => location.hash.includes('at=')")
    tab.settle("flame")
    assert crumbs(page) == ["all", "leaf"]
    assert set(children(page).all_inner_texts()) == {"solve", "refine"}
    link = tab.link
    page.reload()
    tab.settle("flame")
    assert tab.link == link
    assert crumbs(page) == ["all", "leaf"]


def test_samples_are_called_samples(open_tab, tmp_path):
    command = [support.interpreters()[-1].executable, sampled.TRUTH_PYTHON, "c", "0.3"]
    sampled.sample(tmp_path, command, "-f", "1000")
    page = open_tab(pages.write_page(tmp_path / "out", tmp_path)).go("#flame")
    assert "counts are samples, not calls" in page.locator(".flame-legend").inner_text()
    heads = page.locator(".flame-panel th").all_inner_texts()
    assert "Samples" in heads and "Calls" not in heads


def test_demo(open_tab, traced_page):
    """Threads of a pool, and every style once, without a word on the console."""
    tab = open_tab(traced_page, color_scheme="dark")
    for style in ("icicle", "flame", "sunburst"):
        page = tab.go(f"#flame?style={style}&colour=heat")
        assert page.locator(".flame-chart").get_attribute("aria-label").startswith("all: ")

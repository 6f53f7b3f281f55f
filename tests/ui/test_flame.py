"""The Flame view: numbers that are the report's, and zoom."""

import pages
import pytest
from flame_view import (
    PATHS,
    children,
    click_path,
    crumbs,
    path_named,
    shown_paths,
    stack,
    tree_of,
    wait_for_crumbs,
)


def paths_of_regions(page):
    """Without time that is in no region."""
    shown = shown_paths(page).items()
    return {names: each for names, each in shown if not names or names[0][0] != "["}


def test_same_numbers_as_the_report(open_tab, paths_page, paths_run):
    page = open_tab(paths_page).go("#flame")
    shown, said = shown_paths(page), tree_of(paths_run)
    assert set(said) == set(shown) - {()}
    for names, row in said.items():
        assert shown[names]["calls"] == row["calls"]
        assert shown[names]["self"] == pytest.approx(row["self"] * 1e9, abs=1)
        # A total is the sum of whole nanoseconds.
        assert shown[names]["total"] == pytest.approx(row["total"] * 1e9, abs=len(said))


@pytest.mark.parametrize("metric", ["thread_cpu_clock", "peak_rss"])
def test_same_metric_as_the_report(open_tab, paths_page, paths_run, metric):
    page = open_tab(paths_page).go(f"#flame?metric={metric}")
    shown = paths_of_regions(page)
    graph = pages.report(paths_run, "--metric", metric)["timemory"][metric]["ranks"][0]["graph"]
    assert len(graph) == len(shown) - 1
    # The page has whole nanoseconds or bytes, the report what became of them in its unit.
    sums = sorted((row["entry"]["laps"], round(row["entry"]["accum"], 6)) for row in graph)
    assert sums == sorted((each["calls"], each["value"]) for names, each in shown.items() if names)


def test_levels_do_not_add_up(open_tab, paths_page, paths_run):
    page = open_tab(paths_page).go("#flame?metric=current_peak_rss")
    shown = paths_of_regions(page)
    report = pages.report(paths_run, "--metric", "current_peak_rss")["timemory"]
    graph = report["current_peak_rss"]["ranks"][0]["graph"]
    highest = sorted(round(row["stats"]["max"] * 1e6) for row in graph)
    assert sorted(each["level"] for names, each in shown.items() if names) == highest
    assert shown[("work",)]["value"] == shown[("work",)]["total"]
    assert "the highest value" in page.locator(".flame-legend").inner_text()


def test_calls_as_width(open_tab, paths_page, paths_run):
    page = open_tab(paths_page).go("#flame?metric=calls")
    assert shown_paths(page)[()]["value"] == sum(
        row["calls"] for row in tree_of(paths_run).values()
    )


def test_callers_have_the_flat_self_times(open_tab, paths_page, paths_run):
    page = open_tab(paths_page).go("#flame?mode=callers")
    shown = shown_paths(page)
    for row in pages.report(paths_run, "--flat")["regions"]:
        if row["self"] > 0:
            ours = [each for names, each in shown.items() if names == (row["name"],)]
            assert sum(each["value"] for each in ours) == pytest.approx(row["self"] * 1e9, abs=1000)
    total = page.evaluate(PATHS)[0]["value"]
    assert total == pytest.approx(
        sum(r["self"] for r in tree_of(paths_run).values()) * 1e9, abs=1000
    )


def test_callers_by_total(open_tab, paths_page, paths_run):
    page = open_tab(paths_page).go("#flame?mode=callers&value=total")
    shown = shown_paths(page)
    flat = {row["name"]: row for row in pages.report(paths_run, "--flat")["regions"]}
    for name in ("work", "fibonacci", "refine", "leaf"):
        assert shown[(name,)]["value"] == pytest.approx(flat[name]["total"] * 1e9, abs=1000)


def test_merged_recursion(open_tab, paths_page):
    tab = open_tab(paths_page)
    whole = shown_paths(tab.go("#flame"))
    merged = shown_paths(tab.go("#flame?merge=1"))
    assert ("work", "refine", "refine") in whole
    assert all(len(set(names)) == len(names) for names in merged)
    assert merged[()]["value"] == whole[()]["value"]
    refines = [each for names, each in whole.items() if names and set(names[1:]) == {"refine"}]
    assert merged[("work", "refine")]["calls"] == sum(each["calls"] for each in refines)


@pytest.mark.parametrize("style", ["icicle", "flame", "sunburst"])
def test_click_zooms(open_tab, paths_page, style):
    tab = open_tab(paths_page)
    page = tab.go(f"#flame?style={style}")
    work, solve = path_named(page, "work"), path_named(page, "work", "refine")
    click_path(tab, work)
    wait_for_crumbs(page, 2)
    assert crumbs(page) == ["all", "work"]
    click_path(tab, solve)
    wait_for_crumbs(page, 3)
    assert crumbs(page) == ["all", "work", "refine"]
    assert stack(page).all_inner_texts() == ["all", "work", "refine"]
    assert set(children(page).all_inner_texts()) == {"leaf", "solve", "refine"}
    page.go_back()
    pages.wait_until(page, "(path) => location.hash.endsWith(`path=${path}`)", arg=work)
    tab.settle("flame")
    assert crumbs(page) == ["all", "work"]
    page.go_forward()
    pages.wait_until(page, "(path) => location.hash.endsWith(`path=${path}`)", arg=solve)


def test_lists_and_crumbs_zoom(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    page.locator(".flame-panel").get_by_role("button", name="work").click()
    pages.wait_until(page, "() => location.hash.includes('path=')")
    page.locator(".flame-panel").get_by_role("button", name="solve").click()
    pages.wait_until(page, "() => document.querySelectorAll('.flame-crumbs li').length === 3")
    assert crumbs(page) == ["all", "work", "solve"]
    page.locator(".flame-crumbs").get_by_role("button", name="work").click()
    pages.wait_until(page, "() => document.querySelectorAll('.flame-crumbs li').length === 2")
    page.get_by_role("button", name="Reset").click()
    pages.wait_until(page, "() => document.querySelectorAll('.flame-crumbs li').length === 1")
    assert crumbs(page) == ["all"]
    assert page.evaluate("location.hash") == "#flame"


def test_numbers_of_the_zoomed_region(open_tab, paths_page, paths_run):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    tab.go(f"#flame?path={path_named(page, 'work', 'solve')}")
    row = tree_of(paths_run)[("work", "solve")]
    cells = page.locator(".flame-panel tr.is-current td").all_inner_texts()
    text = page.evaluate(
        "([self, total]) => [self, total].map((ns) => window.kymo.shown.get('flame').part"
        ".model.measure.format(ns))",
        [round(row["self"] * 1e9), round(row["total"] * 1e9)],
    )
    assert cells[:4] == ["solve", *text, str(row["calls"])]


def test_keys(open_tab, paths_page):
    tab = open_tab(paths_page)
    page = tab.go("#flame")
    page.locator(".flame-chart").focus()
    page.keyboard.press("ArrowDown")
    assert "work" in page.locator(".status").inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    pages.wait_until(page, "() => document.querySelectorAll('.flame-crumbs li').length === 3")
    page.keyboard.press("Escape")
    pages.wait_until(page, "() => document.querySelectorAll('.flame-crumbs li').length === 2")
    page.keyboard.press("Home")
    pages.wait_until(page, "() => document.querySelectorAll('.flame-crumbs li').length === 1")
    page.keyboard.press("i")
    pages.wait_until(page, "() => location.hash.includes('mode=callers')")
    page.keyboard.press("i")
    page.keyboard.press("m")
    pages.wait_until(page, "() => location.hash.includes('merge=1')")
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.type") == "search"
    page.keyboard.type("fib")
    pages.wait_until(page, "() => location.hash.includes('find=fib')")
    page.keyboard.press("Enter")
    pages.wait_until(page, "() => /path=|at=/.test(location.hash)")
    page.keyboard.press("Escape")
    pages.wait_until(page, "() => !location.hash.includes('find=')")

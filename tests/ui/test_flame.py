"""The Flame view: zoom, lists, search, what can be chosen, and numbers that are the report's."""

import re

import pages
import pytest
import sampled
import support

PROGRAM = support.program("flame_paths.py")
METRICS = "wall_clock,trip_count,thread_cpu_clock,peak_rss,current_peak_rss"

# Every path of the tree that is shown: its regions' names, and its numbers.
PATHS = """() => {
  const { model } = window.kymo.shown.get("flame").part;
  const { tree, regions } = model;
  const nameOf = (path) => regions.name[tree.region[path]];
  const names = (path) => (path === 0 ? [] : [...names(tree.parent[path]), nameOf(path)]);
  return Array.from({ length: tree.count }, (_, path) => ({
    names: names(path), self: tree.self[path], total: tree.total[path], calls: tree.calls[path],
    own: tree.own[path], value: tree.value[path], level: tree.level ? tree.level[path] : null,
  }));
}"""

# A place in the window that is inside the box of a path, away from its edges.
BOX = """(path) => {
  const { chart } = window.kymo.shown.get("flame").part;
  const frame = chart.canvas.getBoundingClientRect();
  const isInside = (x, y) => [-2, 0, 2].every((by) =>
    chart.pathAt(x + by, y) === path && chart.pathAt(x, y + by) === path);
  for (let y = Math.ceil(frame.top) + 2; y < frame.bottom; y += 3) {
    for (let x = Math.ceil(frame.left) + 2; x < frame.right; x += 3) {
      if (isInside(x, y)) return [x, y];
    }
  }
  return null;
}"""

SHOWN = """() => {
  const { boxes } = window.kymo.shown.get("flame").part.chart;
  return [...boxes.path.subarray(0, boxes.count)].filter((path) => path >= 0);
}"""


def record(folder, threads, *options, **settings):
    result = support.run_kymo_python(
        support.interpreters()[-1],
        [*options, "--preset", "omnitrace", "--", PROGRAM, str(threads)],
        cwd=folder,
        env={"KYMO_QUIET": "ON", **settings},
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def paths_run(tmp_path_factory):
    return record(tmp_path_factory.mktemp("paths"), 0, KYMO_COMPONENTS=METRICS)


@pytest.fixture(scope="module")
def paths_page(paths_run, tmp_path_factory):
    return pages.write_page(paths_run, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def threads_page(tmp_path_factory):
    run = record(tmp_path_factory.mktemp("threads"), 3)
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


def tree_of(run, *options):
    """{names: row} of kymo report --tree."""
    found, open_names = {}, []
    for row in pages.report(run, "--tree", "--top", "0", *options)["paths"]:
        del open_names[row["depth"] :]
        open_names.append(row["name"])
        found[tuple(open_names)] = row
    return found


def shown_paths(page):
    return {tuple(each["names"]): each for each in page.evaluate(PATHS)}


def path_named(page, *names):
    return [each["names"] for each in page.evaluate(PATHS)].index(list(names))


def click_path(tab, path):
    x, y = tab.page.evaluate(BOX, path)
    tab.page.mouse.click(x, y)
    pages.wait_until(tab.page, "(path) => location.hash.includes(`path=${path}`)", arg=path)
    tab.settle("flame")


def crumbs(page):
    return page.locator(".flame-crumbs li").all_inner_texts()


def stack(page):
    return page.locator(".flame-panel section").nth(0).locator("tbody tr td:first-child")


def children(page):
    return page.locator(".flame-panel section").nth(1).locator("tbody tr td:first-child")


def choose(tab, label, value):
    """Take what the select with that label offers."""
    page = tab.page
    more = page.locator(".flame-more")
    if more.get_attribute("open") is None:
        more.locator("summary").click()
    before = tab.link
    page.get_by_label(label, exact=True).select_option(value)
    pages.wait_until(page, "(before) => location.hash !== before", arg=before)
    tab.settle("flame")


# ---- numbers -----------------------------------------------------------------------------


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
    assert "the highest that was met" in page.locator(".flame-legend").inner_text()


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


# ---- zoom --------------------------------------------------------------------------------


def wait_for_crumbs(page, count):
    pages.wait_until(
        page, "(n) => document.querySelectorAll('.flame-crumbs li').length === n", count
    )


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


# ---- search ------------------------------------------------------------------------------


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


# ---- choices -----------------------------------------------------------------------------


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

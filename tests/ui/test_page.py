"""The page as a whole: what it may ask for, its size, tabs, links, keys, light and dark."""

import re

import pages
import pytest
from cases import long_except

VIEWS = ("overview", "flame", "table", "graph", "timeline", "ranks", "source", "notes")


def test_policy(demo_page):
    """Nothing may be fetched, and no script runs but the viewer."""
    text = demo_page.read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/=]+'", rules["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/=]+'", rules["style-src"])
    assert "connect-src" not in rules


def test_size(demo_page):
    """Of what ./demo.sh makes."""
    assert demo_page.stat().st_size < 1_000_000


# The others are tried with what can be done in them, where their own tests are.
@pytest.mark.parametrize("view", long_except(VIEWS, "overview", "flame", "table", "graph"))
@pytest.mark.parametrize("theme", long_except(["light", "dark"], "light"))
def test_every_view_is_accessible(open_tab, traced_page, theme, view):
    tab = open_tab(traced_page, color_scheme=theme)
    tab.go(f"#{view}")
    assert tab.serious_faults() == []


@pytest.mark.parametrize("width", [360, 640])
def test_every_view_fits(open_tab, traced_page, width):
    """On a telephone, and on a screen of 1280 at 200 %."""
    tab = open_tab(traced_page, viewport={"width": width, "height": 640})
    for view in VIEWS:
        tab.go(f"#{view}")
        assert tab.overflow() <= 0, view


def test_all_views_are_tried(open_tab, traced_page):
    page = open_tab(traced_page).go()
    names = page.locator("nav a").evaluate_all("all => all.map(a => a.dataset.view)")
    assert tuple(names) == VIEWS


def test_tabs_and_keys(open_tab, traced_page):
    tab = open_tab(traced_page)
    page = tab.go()
    for name in page.locator("nav a").evaluate_all("all => all.map(a => a.dataset.view)"):
        page.click(f"nav a[data-view={name}]")
        tab.settle(name)
        assert tab.link.split("?")[0] == f"#{name}"
        assert page.locator("nav a[aria-current]").get_attribute("data-view") == name
    page.keyboard.press("t")
    tab.settle("table")


# What a link may ask of each view; the overview has nothing to choose.
LINKS = (
    "#flame?style=sunburst&mode=callers&merge=1&metric=calls",
    "#table?sort=name&filter=station",
    "#graph?nodes=20&edges=20",
    "#timeline?from=1000000&to=2000000",
    "#timeline?find=height",
    "#ranks?region=3&by=thread",
    "#source?region=3",
    "#notes?filter=KYMO_TRACE",
)


@pytest.mark.parametrize("link", LINKS)
def test_links_restore(open_tab, traced_page, link):
    """Opened from nothing a link shows what it shows to who was in the view before."""
    fresh = open_tab(traced_page).go(link)
    tab = open_tab(traced_page)
    page = tab.go(link.split("?")[0])
    default = shown(page)
    tab.go(link)
    wanted = "text => document.querySelector('main').innerText !== text"
    pages.wait_until(page, wanted, default)
    assert shown(page) == shown(fresh)


def shown(page):
    """The words of the view, and what is chosen in it."""
    return page.locator("main").inner_text()


# Of what has the focus: where it is, whether it can be seen, and whether that it has the focus can.
FOCUS = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const frame = at.getBoundingClientRect();
  const marks = [at, ...at.querySelectorAll("*")].map((each) => getComputedStyle(each));
  return {
    html: at.outerHTML.slice(0, 120),
    isInView: at.closest("main") !== null && at.id !== "main",
    isShown: frame.width > 0 && frame.height > 0,
    look: marks.map((each) => [each.outline, each.boxShadow, each.stroke, each.strokeWidth,
      each.backgroundColor, each.borderColor].join()).join(";"),
  };
}"""
UNFOCUSED = """() => {
  const at = document.activeElement;
  at.blur();
  const marks = [at, ...at.querySelectorAll("*")].map((each) => getComputedStyle(each));
  const look = marks.map((each) => [each.outline, each.boxShadow, each.stroke, each.strokeWidth,
    each.backgroundColor, each.borderColor].join()).join(";");
  at.focus();
  return look;
}"""


@pytest.mark.parametrize("view", VIEWS)
def test_keyboard_reaches_everything(open_tab, traced_page, view):
    """Tab goes through the view, and one sees where one is."""
    page = open_tab(traced_page).go(f"#{view}")
    count = 0
    for _ in range(40):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUS)
        if at is None:
            break
        assert at["isShown"], at["html"]
        if at["isInView"]:
            count += 1
            assert at["look"] != page.evaluate(UNFOCUSED), at["html"]
    assert count > 0


def test_nothing_moves(open_tab, traced_page):
    """There is no animation that prefers-reduced-motion would have to stop."""
    page = open_tab(traced_page).go()
    for view in VIEWS:
        page.keyboard.press("Escape")
        page.evaluate("view => { location.hash = view; }", view)
        pages.wait_until(page, "view => document.body.dataset.ready === view", view)
        assert page.evaluate("() => document.getAnimations().length") == 0, view


def test_theme(open_tab, demo_page):
    tab = open_tab(demo_page, color_scheme="light")
    page = tab.go()
    assert page.evaluate("() => document.documentElement.dataset.theme") == "light"
    page.click("button.theme")
    page.click("button.theme")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


def test_same_numbers(open_tab, demo_page, demo_run):
    """The flat profile that the page holds is the report's."""
    tab = open_tab(demo_page)
    page = tab.go()
    script = """async () => {
      const app = window.kymo;
      const flat = await app.data.flat();
      return flat.map((each) => [
        app.data.regions.name[each.region], each.calls, each.self, each.total]);
    }"""
    shown = sorted(tuple(each) for each in page.evaluate(script))
    said = sorted(
        (row["name"], row["calls"], row["self"] * 1e9, row["total"] * 1e9)
        for row in pages.report(demo_run, "--flat")["regions"]
    )
    assert [each[:2] for each in shown] == [each[:2] for each in said]
    for mine, theirs in zip(shown, said):
        assert mine[2] == pytest.approx(theirs[2], abs=1)
        assert mine[3] == pytest.approx(theirs[3], abs=1)

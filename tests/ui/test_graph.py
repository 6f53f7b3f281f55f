"""The call graph: what is in it, choosing, focus, search, keys, and what can be saved."""

import hashlib
import re
import xml.etree.ElementTree

import pages
import pytest
import support

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def tab(open_tab, demo_page):
    return open_tab(demo_page)


def go(tab, link):
    page = tab.go(link)
    page.wait_for_selector(".view-graph .node")
    page.keyboard.press("0")
    return page


def labels(page):
    return page.locator(".node").evaluate_all(
        "all => all.map((each) => each.getAttribute('aria-label'))"
    )


def node(page, name):
    return page.locator(f".node[aria-label^='{name}: total']")


def dot(run, *options):
    """Nodes and edges of the exported graph, by function and line."""
    result = support.run_kymo(["export", "--format", "dot", "-o", "-", *options, run], cwd=run)
    assert result.returncode == 0, result.stderr
    nodes, edges = {}, []
    for line in result.stdout.splitlines():
        if found := re.match(r'\t(\d+) \[.*label="(.*?)\\n([\d.]+)%\\n.*?(\d+)\u00d7"', line):
            nodes[found[1]] = (found[2].split(":")[-1], int(found[4]), float(found[3]))
        elif found := re.match(r'\t(\d+) -> (\d+) .*label="([\d.]+)%\\n(\d+)', line):
            edges.append((found[1], found[2], int(found[4]), float(found[3])))
    short = {number: name for number, (name, *_) in nodes.items()}
    return sorted(nodes.values()), sorted((short[a], short[b], *more) for a, b, *more in edges)


@pytest.mark.parametrize(("least", "calls"), [(0.5, 0.1), (0.02, 0.02), (10, 5), (0, 0)])
def test_same_as_dot(tab, demo_run, least, calls):
    page = go(tab, f"#graph?nodes={least}&edges={calls}")
    shown = page.evaluate(
        """async (state) => {
          const {regions} = window.kymo.data;
          const own = (region) => regions.name[region].split(".").at(-1);
          const flat = await window.kymo.data.flat();
          // The export has regions only.
          const sum = flat.reduce((sum, each) => sum + (each.isRest ? 0 : each.self), 0);
          const entries = new Map(flat.map((each) => [each.region, each]));
          const links = await window.kymo.data.links();
          const all = (what) => [...document.querySelectorAll(what)];
          const nodes = all(".node").map((each) => Number(each.dataset.region));
          return {
            nodes: nodes.map((region) => [
              own(region), entries.get(region).calls, 100 * entries.get(region).total / sum]),
            edges: all(".edge").map((each) => {
              const [caller, callee] = [Number(each.dataset.caller), Number(each.dataset.callee)];
              const link = links.find((one) => one.caller === caller && one.callee === callee);
              return [own(caller), own(callee), link.calls, 100 * link.total / sum];
            }),
          };
        }"""
    )
    nodes, edges = dot(demo_run, "-n", str(least), "-e", str(calls))
    assert len(nodes) > 2
    for mine, theirs in ((shown["nodes"], nodes), (shown["edges"], edges)):
        mine = sorted(tuple(each) for each in mine)
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs):
            # Words and counts are equal, shares as far as they are written.
            assert one == tuple(
                pytest.approx(each, abs=0.0051) if isinstance(each, float) else each
                for each in other
            )


def test_thresholds(tab):
    page = go(tab, "#graph")
    before = page.locator(".node").count()
    number = page.get_by_label("Least share of a region, percent", exact=True)
    number.fill("20")
    number.press("Enter")
    pages.wait_until(page, f"() => document.querySelectorAll('.node').length < {before}")
    assert "nodes=20" in tab.link
    slider = page.get_by_label("Least share of a region, percent, slider")
    slider.focus()
    page.keyboard.press("Home")
    pages.wait_until(page, f"() => document.querySelectorAll('.node').length > {before}")
    assert number.input_value() == "0"
    page.go_back()
    pages.wait_until(page, f"() => document.querySelectorAll('.node').length < {before}")


def test_choice(tab, demo_run):
    page = go(tab, "#graph")
    node(page, "Station.height").click()
    page.wait_for_selector(".node.is-chosen")
    side = page.locator(".view-graph aside")
    assert side.locator("h2").inner_text() == "Station.height"
    said = pages.report(demo_run, "--callers", "Station.height")["callers"]
    callers = side.locator("section").first.locator("li .name").all_inner_texts()
    assert callers == [each["caller"] for each in sorted(said, key=lambda each: -each["total"])]
    for caller in callers:
        assert node(page, caller).evaluate("each => !each.classList.contains('is-dim')")
    assert node(page, "main").evaluate("each => each.classList.contains('is-dim')")
    side.get_by_role("button", name=callers[0]).click()
    pages.wait_until(
        page, f"() => document.querySelector('aside h2').textContent === '{callers[0]}'"
    )
    page.go_back()
    pages.wait_until(
        page, "() => document.querySelector('aside h2').textContent === 'Station.height'"
    )
    page.keyboard.press("Escape")
    page.wait_for_selector(".node.is-chosen", state="detached")


def test_focus(tab):
    page = go(tab, "#graph?nodes=0.02&edges=0.01")  # whatever part these have of this run
    node(page, "Channel.push").click()
    page.click("text=Only what reaches it")
    pages.wait_until(page, "() => location.hash.includes('focus=')")
    pages.wait_until(page, "() => document.querySelectorAll('.node').length < 10")
    there = " ".join(labels(page))
    assert "main:" in there and "Channel.slope:" in there and "Station.height:" not in there
    page.click("text=Show the whole graph")
    pages.wait_until(page, "() => document.querySelectorAll('.node').length > 10")


def test_a_new_size_leaves_the_side_alone(tab):
    """Its buttons may be pressed just then, and keep the focus."""
    page = go(tab, "#graph")
    node(page, "Channel.push").click()
    button = page.locator("aside .acts button").first
    button.focus()
    handle = button.element_handle()
    page.set_viewport_size({"width": 900, "height": 500})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert handle.evaluate("(button) => button === document.activeElement")


def test_search(tab):
    page = go(tab, "#graph")
    page.keyboard.press("/")
    page.keyboard.type("station.")
    assert page.locator(".node.is-found").count() == 3
    assert "3 found" in page.inner_text(".view-graph .controls")
    page.keyboard.press("Enter")
    page.wait_for_selector(".node.is-found.is-chosen")
    first = page.inner_text("aside h2")
    page.keyboard.press("Enter")
    pages.wait_until(page, f"() => document.querySelector('aside h2').textContent !== '{first}'")
    assert "search=station." in tab.link


def test_a_choice_survives_a_position_that_is_kept_just_then(tab):
    """Links are followed a moment after they are set."""
    page = go(tab, "#graph")
    region = node(page, "forecast").get_attribute("data-region")
    page.evaluate(
        "region => { kymo.setParams({ region }); kymo.replaceParams({ at: '10_20_1' }); }", region
    )
    page.wait_for_selector(".node.is-chosen")
    assert f"region={region}" in tab.link and "at=10_20_1" in tab.link
    page.evaluate("() => { kymo.navigate('table'); kymo.replaceParams({ at: '10_20_1' }); }")
    tab.settle("table")
    assert tab.link == "#table"


def test_keys(tab):
    page = go(tab, "#graph")
    page.locator(".node[tabindex='0']").focus()
    focused = "() => document.activeElement.getAttribute('aria-label').split(':')[0]"
    assert page.evaluate(focused) == "main"
    for key, name in [
        ("ArrowDown", "forecast"),
        ("ArrowDown", "simulate"),
        ("ArrowUp", "forecast"),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(focused) == name
    page.keyboard.press("Enter")
    page.wait_for_selector(".node.is-chosen")
    assert page.inner_text("aside h2") == "forecast"


def transform(page):
    return page.evaluate("() => document.querySelector('.surface > g').getAttribute('transform')")


def test_zoom_and_pan(tab):
    page = go(tab, "#graph")
    first = transform(page)
    page.click("[aria-label='Zoom in']")
    assert transform(page) != first
    page.keyboard.press("0")
    fitted = transform(page)
    box = page.locator(".surface").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 60, steps=3)
    page.mouse.up()
    assert transform(page) != fitted
    moved = transform(page)
    page.mouse.wheel(0, -300)
    pages.wait_until(
        page,
        f"() => document.querySelector('.surface > g').getAttribute('transform') !== '{moved}'",
    )
    scale = re.search(r"scale\(([\d.]+)", transform(page))[1]
    pages.wait_until(
        page,
        "(scale) => location.hash.replace(/&.*|.*_/g, '') === Number(scale).toFixed(3)",
        scale,
    )
    page.reload()
    page.wait_for_selector(".view-graph .node")
    assert float(re.search(r"scale\(([\d.]+)", transform(page))[1]) == pytest.approx(
        float(scale), abs=0.001
    )


def test_colours(tab):
    page = go(tab, "#graph")

    def fill():
        return node(page, "Constituent.height").locator("rect").get_attribute("fill")

    fills = {fill()}
    for word in ("self", "module"):
        page.get_by_label("Colour", exact=True).select_option(word)
        pages.wait_until(page, f"() => location.hash.includes('colour={word}')")
        fills.add(fill())
    assert len(fills) >= 2
    assert page.locator(".modules li").count() > 2


def test_svg(tab):
    page = go(tab, "#graph")
    with page.expect_download() as waiting:
        page.click("text=Save SVG")
    assert waiting.value.suggested_filename == "forecast.py.svg"
    root = xml.etree.ElementTree.parse(waiting.value.path()).getroot()
    texts = {each.text for each in root.iter(f"{SVG}text")}
    assert "Station.height" in texts
    assert root.find(f"{SVG}rect").get("fill") == "#ffffff"
    assert "Arial" in root.find(f"{SVG}g").get("font-family")
    assert not [each for each in root.iter() if each.get("style") or each.tag == f"{SVG}image"]
    rectangles = [
        each.find(f"{SVG}rect") for each in root.iter(f"{SVG}g") if each.get("class") == "node"
    ]
    assert len(rectangles) == page.locator(".node").count()


def test_png(tab):
    page = go(tab, "#graph")
    with page.expect_download() as waiting:
        page.click("text=Save PNG")
    data = waiting.value.path().read_bytes()
    assert data.startswith(b"\x89PNG") and len(data) > 10000


def test_as_a_table(tab):
    page = go(tab, "#graph")
    page.click("text=The graph as a table")
    page.wait_for_selector(".as-list tbody tr")
    assert page.locator(".as-list tbody tr").count() == page.locator(".node").count()
    assert "forecast (" in page.inner_text(".as-list tbody tr:has(bdi:text-is('main'))")


def test_vendored_parts_are_unchanged():
    vendor = support.REPOSITORY / "viewer" / "vendor"
    said = (vendor / "README.md").read_text(encoding="utf-8")
    for path in vendor.glob("*.js"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in said, path.name


def test_licence_is_in_the_page(demo_page):
    licence = (support.REPOSITORY / "viewer" / "vendor" / "dagre.LICENSE.txt").read_text()
    assert licence.strip() in demo_page.read_text(encoding="utf-8")


def test_large_graphs_are_laid_out_beside_the_page(tab):
    """In a worker, which the policy lets the page have of its own text only."""
    page = go(tab, "#graph?nodes=0&edges=0")
    pages.wait_until(page, "() => document.querySelectorAll('.node').length > 100")
    assert page.evaluate("() => window.kymo.part().layouter.worker !== null")
    # One that is asked for meanwhile takes the place of the other.
    page.evaluate(
        "() => { location.hash = '#graph?nodes=0.001&edges=0.001';"
        " setTimeout(() => { location.hash = '#graph?nodes=20'; }); }"
    )
    pages.wait_until(page, "() => document.querySelectorAll('.node').length < 15")

"""The Flame view of a run beside another: the numbers of kymo diff, in both colours."""

import json

import pages
import pytest
import support

BEFORE = """
def old(): return sum(range(20000))
def kept(n): return sum(range(n))
def run():
    old()
    for _ in range(3): kept(20000)
run()
"""
AFTER = """
def new(): return sum(range(30000))
def kept(n): return sum(range(n))
def run():
    new()
    for _ in range(90): kept(40000)
run()
"""

PATHS = """() => {
  const { model } = window.kymo.shown.get("flame").part;
  const { tree, regions } = model;
  return Array.from({ length: tree.count - 1 }, (_, i) => [
    regions.name[tree.region[i + 1]], tree.depth[i + 1] - 1,
    tree.pair.was[i + 1], tree.pair.is[i + 1], tree.pair.ownWas[i + 1], tree.pair.ownIs[i + 1],
  ]);
}"""


def record(folder, text):
    folder.mkdir()
    (folder / "program.py").write_text(text)
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["--", folder / "program.py"],
        cwd=folder,
        env={"KYMO_QUIET": "ON"},
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    return record(folder / "before", BEFORE), record(folder / "after", AFTER)


@pytest.fixture(scope="module")
def page_of_both(runs, tmp_path_factory):
    return pages.write_page(runs[1], tmp_path_factory.mktemp("page"), "--compare", runs[0])


def differences(runs):
    result = support.run_kymo(["diff", "--tree", "--format", "json", *runs], cwd=runs[0].parent)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["paths"]


def test_same_numbers_as_diff(open_tab, page_of_both, runs):
    page = open_tab(page_of_both).go("#flame")
    shown = sorted(page.evaluate(PATHS))
    said = sorted(
        [row["name"], row["depth"]]
        + [row[key] * 1e9 for key in ("total_before", "total_after", "self_before", "self_after")]
        for row in differences(runs)
    )
    assert [each[:2] for each in shown] == [each[:2] for each in said]
    for mine, theirs in zip(shown, said):
        assert mine[2:] == pytest.approx(theirs[2:], abs=1)


def test_new_and_gone(open_tab, page_of_both, runs):
    tab = open_tab(page_of_both)
    page = tab.go("#flame")
    legend = page.locator(".flame-legend").inner_text()
    assert "+ takes longer" in legend and "gone" in legend and str(runs[0]) in legend
    for depth, name in enumerate(("<module>", "run"), start=2):
        page.locator(".flame-panel").get_by_role("button", name=name).first.click()
        crumbs = "document.querySelectorAll('.flame-crumbs li').length"
        pages.wait_until(page, f"() => {crumbs} === {depth}")
    rows = page.locator(".flame-panel section").nth(1).locator("tbody tr").all_inner_texts()
    changes = {row.split()[0]: row for row in rows}
    assert "new" in changes["new"].split()[1:]
    assert "gone" in changes["old"]
    assert "+" in changes["kept"]


def test_one_side_and_alone(open_tab, page_of_both):
    tab = open_tab(page_of_both, color_scheme="dark")
    page = tab.go("#flame?metric=before")
    shown = page.evaluate(
        "() => { const { chart, model } = window.kymo.shown.get('flame').part;"
        " return [...chart.boxes.path.subarray(0, chart.boxes.count)].filter((path) => path > 0)"
        ".map((path) => model.name(path)); }"
    )
    assert "old" in shown and "new" not in shown
    assert tab.serious_faults() == []
    tab.go("#flame?metric=time")
    assert page.locator(".flame-panel th").all_inner_texts()[1] == "Self"
    for link in (
        "#flame?mode=callers",
        "#flame?merge=1",
        "#flame?style=sunburst",
        "#flame?find=kept",
    ):
        tab.go(link)


def test_written_by_diff(open_tab, page_of_both, runs, tmp_path):
    written = tmp_path / "page.html"
    result = support.run_kymo(["diff", "--page", written, *runs], cwd=tmp_path)
    assert result.returncode == 0 and "REGION" in result.stdout
    assert result.stderr == f"kymo: wrote '{written}'\n"
    shown = [open_tab(each).go("#flame").evaluate(PATHS) for each in (written, page_of_both)]
    assert shown[0] == shown[1]


def test_several_on_a_side(open_tab, runs, tmp_path):
    """The page has their mean."""
    written = tmp_path / "page.html"
    options = ["diff", "--page", written, "--base", *runs, "--new", runs[0]]
    result = support.run_kymo(options, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    page = open_tab(written).go("#flame")
    shown = {row[0]: row for row in page.evaluate(PATHS)}
    assert shown["new"][2] > 0 == shown["new"][3]
    assert "mean of 2 runs" in page.locator(".view-flame").inner_text()


def test_page_needs_a_file(runs, tmp_path):
    result = support.run_kymo(["diff", "--page", "-", *runs], cwd=tmp_path)
    assert result.returncode == 2 and result.stderr.count("\n") == 1


def test_not_while_it_is_served(runs):
    result = support.run_kymo(["view", "--serve", "--compare", *runs], cwd=runs[0].parent)
    assert result.returncode == 2
    assert "leave out --compare" in result.stderr

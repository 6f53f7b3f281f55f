"""A call path hundreds of thousands deep: every view that has something to show opens, and no
function of the page calls itself as often."""

import pages
import pytest
import support

DEPTH = 200_000
MAKE_DEEP = support.BUILD / "tests" / "make_deep"
LINKS = {
    "profile": [
        "#overview",
        "#flame",
        "#flame?style=flame",
        "#flame?style=sunburst",
        "#flame?mode=callers",
        "#flame?mode=callers&value=total",
        "#flame?merge=1",
        "#flame?merge=1&mode=callers",
        "#flame?find=f5",
        f"#flame?path={DEPTH - 10}",
        "#flame?region=50",
        "#table?region=5",
        "#graph?nodes=0&edges=0",
        "#notes",
    ],
    "trace": ["#timeline", "#timeline?find=f5", "#flame"],
    "samples": ["#timeline", "#flame"],
}


@pytest.mark.parametrize("kind", LINKS)
def test_every_view(open_tab, tmp_path, kind):
    made = support.run([MAKE_DEEP, kind, DEPTH, tmp_path / "deep.kymo"], cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    tab = open_tab(pages.write_page(tmp_path / "deep.kymo", tmp_path))
    page = tab.go()
    for link in LINKS[kind]:
        tab.go(link)
        assert page.locator(".failure").count() == 0, link
        assert tab.overflow() <= 0, link
    count = page.evaluate("() => window.kymo.data.tree().then((tree) => tree.count)")
    # With the root and, but for samples, what is outside any recorded region.
    assert count == DEPTH + 1 + (kind != "samples")

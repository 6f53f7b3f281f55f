"""The Flame view as tests see and use it."""

import pages
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


def wait_for_crumbs(page, count):
    pages.wait_until(
        page, "(n) => document.querySelectorAll('.flame-crumbs li').length === n", count
    )

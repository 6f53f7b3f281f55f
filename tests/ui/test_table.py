"""The table: order, filter, columns, callers and callees, copies; its numbers are the report's."""

import csv
import io
from pathlib import Path

import pages
import pytest
import support

FACTORS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds(text):
    number, unit = text.split(" ")
    return float(number) * FACTORS[unit]


def same_time(text, expected):
    """Texts of times have four digits and more."""
    return seconds(text) == pytest.approx(expected, rel=1e-3, abs=1e-9)


def rows(page):
    """The regions that can be seen: a dict of each by column."""
    return page.evaluate(
        """() => {
          const titles = [...document.querySelectorAll(".view-table thead th")].map(
            (each) => each.dataset.column);
          return [...document.querySelectorAll(".view-table tr.region")].map((row) =>
            Object.fromEntries([...row.children].map((cell, i) =>
              [titles[i], (cell.querySelector(".name") ?? cell).textContent])));
        }"""
    )


def names(page):
    return [row["name"] for row in rows(page)]


def copied(page, what):
    """What a button hands to the clipboard."""
    page.evaluate(
        """() => { Object.defineProperty(navigator, "clipboard", {configurable: true,
          value: {writeText: async (text) => { window.copied = text; }}}); }"""
    )
    page.click(f".copies button:text-is('{what}')")
    pages.wait_until(page, "() => window.copied !== undefined")
    return page.evaluate("() => { const text = window.copied; delete window.copied; return text; }")


@pytest.fixture
def tab(open_tab, demo_page):
    return open_tab(demo_page)


@pytest.fixture(scope="module")
def flat(demo_run):
    return pages.report(demo_run, "--flat")["regions"]


def test_numbers_are_the_reports(tab, flat):
    columns = "self.selfshare.total.calls.primitive.totalper.min.max.place"
    page = tab.go(f"#table?cols={columns}&sort=self")
    said = {(row["name"], f"{Path(row['file'] or '').name}:{row['line']}"): row for row in flat}
    shown = rows(page)
    assert len(shown) > 10
    for row in shown:
        if (row["name"], row["place"]) not in said:
            continue  # built-in: no file
        theirs = said[row["name"], row["place"]]
        assert same_time(row["self"], theirs["self"])
        assert same_time(row["total"], theirs["total"])
        assert same_time(row["totalper"], theirs["per_call"])
        assert int(row["calls"].split("/")[0].replace(",", "")) == theirs["calls"]
        assert int(row["primitive"].replace(",", "")) == theirs["primitive_calls"]
        assert float(row["selfshare"].split()[0]) == pytest.approx(
            theirs["self_percent"], abs=0.051
        )
        if theirs["min"] is not None:
            assert same_time(row["min"], theirs["min"])
            assert same_time(row["max"], theirs["max"])


def test_every_region_is_in_the_csv(tab, flat):
    page = tab.go("#table?cols=self.total.calls.primitive.place")
    table = list(csv.DictReader(io.StringIO(copied(page, "Copy as CSV"))))
    mine = sorted((row["name"], row["calls"], float(row["self"])) for row in table)
    theirs = sorted((row["name"], str(row["calls"] or ""), row["self"]) for row in flat)
    assert [each[:2] for each in mine] == [each[:2] for each in theirs]
    for (*_, self), (*_, expected) in zip(mine, theirs):
        assert self == pytest.approx(expected, abs=2e-9)


def test_deviation_is_that_of_the_metric(tab, demo_run):
    result = support.run_kymo(
        ["report", "--metric", "wall_clock", "--format", "json", demo_run],
        cwd=demo_run,
        env={"KYMO_FLAT_PROFILE": "ON", "KYMO_COLLAPSE_THREADS": "ON"},
    )
    assert result.returncode == 0, result.stderr
    graph = support.json.loads(result.stdout)["timemory"]["wall_clock"]["ranks"][0]["graph"]
    page = tab.go("#table?cols=deviation.mean.calls&sort=calls")
    compared = 0
    for row in rows(page):
        name, calls = row["name"].split(".")[-1], row["calls"].split("/")[0].replace(",", "")
        said = [
            each["stats"]
            for each in graph
            if each["prefix"] == f">>> {name}" and each["stats"]["count"] == int(calls)
        ]
        if len(said) != 1 or row["deviation"] == "-":
            continue
        assert seconds(row["deviation"]) == pytest.approx(said[0]["stddev"], rel=1e-3, abs=1e-9)
        assert seconds(row["mean"]) == pytest.approx(said[0]["mean"], rel=1e-3, abs=1e-9)
        compared += 1
    assert compared > 5


def test_every_column_sorts(tab):
    page = tab.go(
        "#table?cols=self.selfshare.total.totalshare.calls.selfper.totalper.primitive."
        "min.max.mean.deviation.kind.module.place"
    )
    heads = page.locator(".view-table thead th")
    for i in range(heads.count()):
        column = heads.nth(i).get_attribute("data-column")
        heads.nth(i).locator("button").click()
        is_text = column in ("name", "kind", "module", "place")
        order = "ascending" if is_text else "descending"
        page.wait_for_selector(f"thead th[data-column={column}][aria-sort={order}]")
        assert page.locator("thead th[aria-sort]").count() == 1


def test_order_turns_round(tab, flat):
    page = tab.go("#table")
    most = max(flat, key=lambda row: row["self"])["name"]
    assert names(page)[0] == most
    page.locator("thead th[data-column=calls] button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("thead th[data-column=calls][aria-sort=descending]")
    calls = [int(row["calls"].split("/")[0].replace(",", "")) for row in rows(page) if row["calls"]]
    assert calls == sorted(calls, reverse=True)
    assert calls[0] == max(row["calls"] for row in flat)
    page.keyboard.press("Enter")
    page.wait_for_selector("thead th[data-column=calls][aria-sort=ascending]")
    page.go_back()
    page.wait_for_selector("thead th[data-column=calls][aria-sort=descending]")
    page.go_back()
    page.wait_for_selector("thead th[data-column=self][aria-sort=descending]")


def test_filter(tab, flat):
    page = tab.go("#table")
    page.keyboard.press("/")
    page.keyboard.type("station")
    wanted = [row for row in flat if "station" in f"{row['name']}".lower()]
    pages.wait_until(
        page, f"() => document.querySelector('.found').textContent.startsWith('{len(wanted)} of')"
    )
    assert sorted(names(page)) == sorted(row["name"] for row in wanted)
    found = page.inner_text(".found")
    count = sum(row["calls"] > 0 for row in flat)
    assert f"of {count} regions" in found
    assert same_time(found.split(" · ")[1].split(" self")[0], sum(row["self"] for row in wanted))
    assert "filter=station" in tab.link
    page.fill(".filter input", "/^Station\\.h/")
    assert all(name.startswith("Station.h") for name in names(page))
    assert names(page)
    page.fill(".filter input", "/(/")
    assert page.get_attribute(".filter input", "aria-invalid") is not None
    assert "Not an expression yet" in page.inner_text(".found")
    page.keyboard.press("Escape")
    assert page.inner_text(".found").startswith(f"{count} of {count} ")


def test_kind(tab):
    page = tab.go("#table?cols=kind")
    kind = page.locator("select[aria-label=Kind] option").nth(1).get_attribute("value")
    page.select_option("select[aria-label=Kind]", kind)
    pages.wait_until(page, "() => location.hash.includes('kind=')")
    assert {row["kind"] for row in rows(page)} == {kind}


def test_columns(tab):
    page = tab.go("#table")
    page.keyboard.press("c")
    page.get_by_label("Deviation").check()
    page.get_by_label("Self/call").check()
    page.get_by_label("% total").uncheck()
    columns = page.locator(".view-table thead th").evaluate_all(
        "all => all.map((each) => each.dataset.column)"
    )
    assert "deviation" in columns and "selfper" in columns and "totalshare" not in columns
    page.keyboard.press("Escape")
    assert not page.locator(".picker").evaluate("each => each.open")
    page.reload()
    tab.settle("table")
    assert columns == page.locator(".view-table thead th").evaluate_all(
        "all => all.map((each) => each.dataset.column)"
    )


def test_butterfly(tab, demo_run):
    page = tab.go("#table?cols=self.selfshare.total.totalshare.calls")
    page.click("tr.region button:has(bdi:text-is('Station.height'))")
    page.wait_for_selector("tr.is-open")
    for kind, option in (("caller", "--callers"), ("callee", "--callees")):
        table = pages.report(demo_run, option, "Station.height")[f"{kind}s"]
        shown = page.locator(f"tr.call.{kind}").evaluate_all(
            "all => all.map((row) => [row.querySelector('.name').textContent,"
            " ...[...row.querySelectorAll('td')].map((cell) => cell.textContent)])"
        )
        assert len(shown) == len(table)
        for name, self, _, total, _, calls in shown:
            (row,) = [each for each in table if name == each[kind]]
            assert int(calls.replace(",", "")) == row["calls"]
            assert same_time(total, row["total"])
            assert same_time(self, row["self"])
    assert page.locator("tr.call.own").count() == 1
    page.click("tr.call.callee button")
    pages.wait_until(
        page, "() => document.querySelector('tr.is-open .name')?.textContent !== 'Station.height'"
    )
    page.go_back()
    page.wait_for_selector("tr.is-open:has(bdi:text-is('Station.height'))")
    page.click("tr.is-open button")
    page.wait_for_selector("tr.is-open", state="detached")


def test_keys(tab):
    page = tab.go("#table")
    first, *below = names(page)
    # What is in no region calls nothing and is called by nothing.
    down = next(i for i, name in enumerate(below) if not name.startswith("["))
    second = below[down]
    page.locator("tr.region button[tabindex='0']").focus()
    focused = "() => document.activeElement.querySelector('.name')?.textContent"
    for name in below[: down + 1]:
        page.keyboard.press("ArrowDown")
        assert page.evaluate(focused) == name
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"tr.is-open:has(bdi:text-is('{second}'))")
    pages.wait_until(page, f"() => ({focused})() === '{second}'")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.classList.contains('go')")
    page.keyboard.press("Home")
    assert page.evaluate(focused) == first
    page.keyboard.press("End")
    last = page.evaluate(focused)
    assert last not in (first, second)
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == last
    page.keyboard.press("PageUp")
    assert page.evaluate(focused) != last


def test_only_visible_rows_exist(tab, flat):
    page = tab.go("#table")
    assert len(flat) > 200
    assert page.locator("tr.region").count() < 80
    assert page.get_attribute(".view-table table", "aria-rowcount") == str(len(flat) + 1)
    page.evaluate("() => { const rows = document.querySelector('.rows'); rows.scrollTop = 1e9; }")
    page.wait_for_selector(f"tr[aria-rowindex='{len(flat) + 1}']")
    assert page.locator("tr.region").count() < 80


def test_markdown(tab):
    page = tab.go("#table?filter=Station.&cols=calls.self")
    lines = copied(page, "Copy as Markdown").splitlines()
    assert lines[0] == "| Region | Self | Calls |"
    assert len(lines) == 2 + len(names(page))


def test_copy_without_a_clipboard(tab):
    page = tab.go("#table?filter=Station.&cols=calls")
    page.evaluate(
        """() => Object.defineProperty(navigator, "clipboard", {configurable: true,
          value: {writeText: async () => { throw new Error("no"); }}})"""
    )
    page.click("text=Copy as CSV")
    assert page.input_value("dialog textarea").startswith("name,calls\n")
    assert tab.serious_faults() == []
    page.click("dialog button")
    page.wait_for_selector("dialog", state="detached")


def test_save(tab):
    page = tab.go("#table?filter=Station.")
    with page.expect_download() as waiting:
        page.click("text=Save CSV")
    assert waiting.value.suggested_filename == "forecast.py.csv"
    assert waiting.value.path().read_text(encoding="utf-8").startswith("name,self,")


@pytest.fixture(scope="module")
def measured_run(tmp_path_factory):
    place = tmp_path_factory.mktemp("measured")
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["--", support.program("flame_paths.py"), "0"],
        cwd=place,
        env={"KYMO_QUIET": "ON", "KYMO_COMPONENTS": "wall_clock,thread_cpu_clock,current_peak_rss"},
    )
    assert result.returncode == 0, result.stderr
    return place / "out"


def test_what_else_was_measured(open_tab, measured_run, tmp_path):
    tab = open_tab(pages.write_page(measured_run, tmp_path))
    page = tab.go("#table")
    page.keyboard.press("c")
    page.get_by_label("thread cpu clock, total").check()
    page.wait_for_selector("thead th[data-column=m0total]")
    table = list(csv.DictReader(io.StringIO(copied(page, "Copy as CSV"))))
    result = support.run_kymo(
        ["report", "--metric", "thread_cpu_clock", "--format", "json", measured_run],
        cwd=measured_run,
        env={"KYMO_FLAT_PROFILE": "ON", "KYMO_COLLAPSE_THREADS": "ON"},
    )
    assert result.returncode == 0, result.stderr
    answer = support.json.loads(result.stdout)["timemory"]["thread_cpu_clock"]
    said = sorted(
        (row["entry"]["laps"], row["entry"]["accum"] * 1e-9) for row in answer["ranks"][0]["graph"]
    )
    mine = sorted((int(row["calls"]), float(row["m0total"])) for row in table if row["calls"])
    assert len(mine) == len(said) > 3
    for one, other in zip(mine, said):
        assert one == (other[0], pytest.approx(other[1], abs=1e-8))

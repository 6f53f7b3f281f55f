"""The timeline as it is used: with the mouse, with keys, by links and without seeing it."""

import json
import re

import pages
import pytest
import support
from cases import long_except

PROGRAM = """
import threading
import time

def leaf():
    return sum(range(50))

def branch(number):
    for _ in range(number):
        leaf()

def work(number):
    for _ in range(5):
        branch(number)
        time.sleep(0.001)

def main():
    threads = [threading.Thread(target=work, args=(k + 2,), name=f"worker {k}") for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def rest(end):
    while time.monotonic() < end:
        pass

# main() is half of the run, however busy the machine is: zooming to it changes what is seen.
begin = time.monotonic()
main()
rest(2 * time.monotonic() - begin)
"""
CALLS = {"main": 1, "work": 3, "branch": 15, "leaf": 5 * (2 + 3 + 4)}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    script = folder / "threads.py"
    script.write_text(PROGRAM)
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["-T", "--preset", "omnitrace", "--", script],
        cwd=folder,
        env={"KYMO_QUIET": "ON"},
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def page_path(run, tmp_path_factory):
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


@pytest.fixture
def tab(open_tab, page_path):
    return open_tab(page_path)


def facts_of(page):
    return json.loads(page.locator("#kymo-timeline").text_content())


def range_of(tab):
    """The part of the run that the link says is shown."""
    found = re.search(r"from=(\d+)&to=(\d+)", tab.link)
    return (int(found[1]), int(found[2])) if found else None


def canvas(page):
    return page.locator("canvas.timeline-canvas")


def wait_for_link(page, part):
    pages.wait_until(page, "part => location.hash.includes(part)", arg=part)


def open_table(page):
    """The slices in sight as rows of texts."""
    page.locator(".timeline-table summary").click()
    page.locator(".timeline-table tbody tr").first.wait_for()
    return [
        [cell.inner_text() for cell in row.locator("td").all()]
        for row in page.locator(".timeline-table tbody tr").all()
    ]


def test_threads_are_lanes_with_their_slices(tab):
    page = tab.go("#timeline")
    names = [each.inner_text() for each in page.locator(".timeline-lane.is-thread").all()]
    assert names[0] == "MainThread"
    assert page.locator(".timeline-lane.is-process").count() == 1
    assert "Timeline of 4 threads" in canvas(page).get_attribute("aria-label")
    rows = open_table(page)
    assert "main" in [row[0] for row in rows]
    assert {"worker 0", "worker 1", "worker 2"} >= {row[1] for row in rows if row[0] == "work"}


def test_something_is_drawn_and_zooming_changes_it(tab):
    page = tab.go("#timeline")
    before = canvas(page).screenshot()
    page.get_by_role("button", name="Nearer").click()
    wait_for_link(page, "from=")
    assert canvas(page).screenshot() != before


def test_keys_zoom_and_pan(tab):
    page = tab.go("#timeline")
    end = facts_of(page)["end"]
    canvas(page).focus()
    page.keyboard.press("w")
    wait_for_link(page, "from=")
    from_, to = range_of(tab)
    assert abs((to - from_) - 0.7 * end) < 0.01 * end
    page.keyboard.press("d")
    pages.wait_until(page, "old => !location.hash.includes(old)", arg=f"from={from_}&")
    later = range_of(tab)
    assert later[0] > from_
    assert abs((later[1] - later[0]) - (to - from_)) <= 2
    page.keyboard.press("ArrowLeft")
    pages.wait_until(page, "old => !location.hash.includes(old)", arg=f"from={later[0]}&")
    assert abs(range_of(tab)[0] - from_) <= 2
    page.keyboard.press("0")
    pages.wait_until(page, "() => !location.hash.includes('from=')")


def test_wheel_zooms_with_ctrl_where_the_pointer_is(tab):
    page = tab.go("#timeline")
    end = facts_of(page)["end"]
    box = canvas(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 5)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    wait_for_link(page, "from=")
    from_, to = range_of(tab)
    assert to > 0.98 * end
    assert from_ > 0.2 * end


def test_dragging_pans(tab):
    page = tab.go("#timeline?from=20000&to=120000")
    box = canvas(page).bounding_box()
    page.mouse.move(box["x"] + 600, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 60, steps=4)
    page.mouse.up()
    pages.wait_until(page, "() => !location.hash.includes('from=20000&')")
    from_, to = range_of(tab)
    assert to - from_ == pytest.approx(100000, abs=3)
    assert from_ == pytest.approx(20000 + 200 / box["width"] * 100000, rel=0.1)


def show_main(tab):
    """The timeline with the slice of main() over most of its width; nothing is chosen."""
    page = tab.go("#timeline")
    search = page.get_by_label("Find slices by name")
    search.fill("/^main$/")
    search.press("Enter")
    wait_for_link(page, "slice=")
    canvas(page).focus()
    page.keyboard.press("z")
    wait_for_link(page, "from=")
    page.keyboard.press("Escape")
    search.fill("")
    pages.wait_until(page, "() => !/slice=|find=/.test(location.hash)")
    tab.settle("timeline")
    return page


def choose_main(page):
    """Click on the slice of main()."""
    box = canvas(page).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 24 + 24 + 8)
    page.locator(".timeline-panel h2").wait_for()


def test_a_click_chooses_a_slice_and_its_link_restores_it(tab, open_tab, page_path):
    page = show_main(tab)
    choose_main(page)
    assert page.locator(".timeline-panel h2").inner_text().startswith("main ")
    assert "threads.py" in page.locator(".timeline-panel h2").inner_text()
    assert "slice=t0.0_0_" in tab.link
    links = {
        each.inner_text(): each.get_attribute("href")
        for each in page.locator(".timeline-panel a").all()
    }
    assert re.fullmatch(r"#table\?region=\d+", links["Table"])
    again = open_tab(page_path)
    page = again.go(tab.link)
    assert page.locator(".timeline-panel h2").inner_text().startswith("main ")
    page.keyboard.press("Escape")
    pages.wait_until(page, "() => !location.hash.includes('slice=')")
    assert page.locator(".timeline-panel").is_hidden()


def test_keys_go_from_slice_to_slice(tab):
    page = show_main(tab)
    canvas(page).focus()
    page.keyboard.press("Enter")
    page.locator(".timeline-panel h2").wait_for()
    assert page.locator(".timeline-panel h2").inner_text().startswith("main ")
    page.keyboard.press("Shift+ArrowDown")
    pages.wait_until(page, "() => location.hash.includes('slice=t0.0_1_')")
    page.keyboard.press("Shift+ArrowUp")
    pages.wait_until(page, "() => location.hash.includes('slice=t0.0_0_')")
    before = range_of(tab)
    page.keyboard.press("w")
    pages.wait_until(page, "old => !location.hash.includes(old)", arg=f"from={before[0]}&")
    page.keyboard.press("z")
    wait_for_link(page, f"from={before[0]}&to={before[1]}")


def statistics(page):
    page.locator(".timeline-panel tbody tr").first.wait_for()
    return {
        cells[0]: cells[1:]
        for cells in (
            [cell.inner_text() for cell in row.locator("td").all()]
            for row in page.locator(".timeline-panel tbody tr").all()
        )
    }


def test_statistics_of_the_whole_run_are_those_of_the_report(tab, run):
    page = tab.go("#timeline")
    page.keyboard.press("m")
    wait_for_link(page, "area=")
    found = statistics(page)
    for name, calls in CALLS.items():
        assert found[name][0] == str(calls)
    assert "Every slice is counted." in page.locator(".timeline-panel").inner_text()
    # Profile and trace read the clock once each: totals agree to a few ticks a call.
    unit = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    number, name = found["work"][1].split()
    whole = next(row for row in pages.report(run)["regions"] if row["name"] == "work")
    assert float(number) * unit[name] == pytest.approx(whole["total"], rel=0.05)


def test_a_range_is_marked_by_dragging_with_shift(tab, open_tab, page_path):
    page = show_main(tab)
    box = canvas(page).bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 700, box["y"] + 66, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    wait_for_link(page, "area=")
    found = statistics(page)
    assert found["main"][0] == "1"
    assert "leaf" not in found
    assert "lanes=t0.0" in tab.link
    again = open_tab(page_path).go(tab.link)
    assert statistics(again) == found


def test_finding_says_how_many_and_goes_from_one_to_the_next(tab):
    page = tab.go("#timeline")
    page.get_by_label("Find slices by name").fill("branch")
    assert page.locator(".timeline-found").inner_text() == "15 calls of one region"
    wait_for_link(page, "find=branch")
    page.keyboard.press("Enter")
    wait_for_link(page, "slice=")
    first = tab.link
    assert page.locator(".timeline-panel h2").inner_text().startswith("branch ")
    page.get_by_role("button", name="Next slice").click()
    pages.wait_until(page, "old => location.hash !== old", arg=first)
    page.get_by_role("button", name="Previous slice").click()
    pages.wait_until(page, "old => location.hash === old", arg=first)
    page.get_by_label("Find slices by name").fill("/(/")
    assert "expression" in page.locator(".timeline-found").inner_text()
    page.get_by_label("Find slices by name").fill("nothing of that name")
    assert page.locator(".timeline-found").inner_text() == "nothing has that name"


def test_other_views_link_to_a_region(tab):
    page = tab.go("#table")
    regions = json.loads(page.locator("#kymo-regions").text_content())["name"]
    page = tab.go(f"#timeline?region={regions.index('leaf')}")
    assert page.locator(".timeline-found").inner_text() == f"{CALLS['leaf']} calls of one region"


def test_lanes_fold_and_the_link_keeps_it(tab, open_tab, page_path):
    page = tab.go("#timeline")
    process = page.locator(".timeline-lane.is-process")
    assert process.get_attribute("aria-expanded") == "true"
    process.focus()
    page.keyboard.press("Enter")
    wait_for_link(page, "folds=p0")
    pages.wait_until(page, "() => document.querySelectorAll('.timeline-lane').length === 1")
    again = open_tab(page_path).go(tab.link)
    assert again.locator(".timeline-lane").count() == 1
    again.get_by_role("button", name="whole run").wait_for()


def test_back_undoes_a_marked_range(tab):
    page = tab.go("#timeline")
    page.keyboard.press("m")
    wait_for_link(page, "area=")
    page.go_back()
    pages.wait_until(page, "() => !location.hash.includes('area=')")
    tab.settle("timeline")
    assert page.locator(".timeline-panel").is_hidden()


def test_hovering_names_what_is_there(tab):
    page = show_main(tab)
    box = canvas(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 24 + 24 + 8)
    page.locator(".timeline-tip").wait_for()
    assert page.locator(".timeline-tip").inner_text().startswith("main: ")


# Wide and light it is in test_page.py.
@pytest.mark.parametrize("scheme", long_except(["light", "dark"], "dark"))
@pytest.mark.parametrize("width", long_except([1280, 360], 360))
def test_it_can_be_used_by_everyone(open_tab, page_path, scheme, width):
    tab = open_tab(page_path, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = tab.go("#timeline")
    page.keyboard.press("m")
    wait_for_link(page, "area=")
    statistics(page)
    open_table(page)
    assert tab.serious_faults() == []
    assert tab.overflow() == 0


def test_a_part_of_the_run_is_on_its_own_page(open_tab, run, tmp_path):
    path = pages.write_page(run, tmp_path, "--from", "1ms", "--to", "2ms")
    tab = open_tab(path)
    page = tab.go("#timeline")
    assert "Only the part from 1.000 ms to 2.000 ms" in page.locator(".timeline-note").inner_text()
    assert facts_of(page)["from"] == 1000000
    assert "from 1 ms to 2 ms" in canvas(page).get_attribute("aria-label")


def test_samples_have_slices_and_states(open_tab, tmp_path):
    script = tmp_path / "spin.py"
    script.write_text(
        "import time\n"
        "def spin(end):\n"
        "    while time.process_time() < end: sum(range(1000))\n"
        "spin(0.6)\n"
        "time.sleep(0.2)\n"
    )
    interpreter = support.interpreters()[-1]
    result = support.run_kymo(
        ["sample", "-o", tmp_path / "out", "--", interpreter.executable, script],
        cwd=tmp_path,
        env={"KYMO_QUIET": "ON"},
    )
    assert result.returncode == 0, result.stderr
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path))
    page = tab.go("#timeline")
    assert "samples" in page.locator(".timeline-lane.is-thread").first.inner_text()
    assert "waiting" in page.locator(".timeline-legend").inner_text()
    assert "spin" in [row[0] for row in open_table(page)]

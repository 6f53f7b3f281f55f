"""Ranks, processes and threads side by side: numbers of the report, choices, a thousand ranks."""

import base64
import json
import re
import textwrap

import pages
import pytest
import support
from cases import long_except

LAUNCHER = """
    import os, subprocess, sys
    for rank in range(4):
        environment = dict(os.environ, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="4")
        subprocess.check_call([sys.executable, "rank.py", str(rank + 1)], env=environment)
"""
RANK = """
    import sys, threading
    def work(n):
        return sum(range(20000 * n))
    def even():
        return sum(range(5000))
    def share(n):
        work(n)
        even()
    threads = [threading.Thread(target=share, args=(int(sys.argv[1]) + i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
FACTORS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds(text):
    number, unit = text.split(" ")[:2]
    return float(number) * FACTORS[unit.rstrip(",")]


def close_to(expected):
    """As far as texts of times go."""
    return pytest.approx(expected, rel=1e-3, abs=1e-9)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("ranks")
    (place / "rank.py").write_text(textwrap.dedent(RANK))
    (place / "launcher.py").write_text(textwrap.dedent(LAUNCHER))
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["-q", "launcher.py"],
        cwd=place,
        env={"KYMO_OUTPUT_PATH": place / "out"},
    )
    assert result.returncode == 0, result.stderr
    return place / "out"


@pytest.fixture(scope="module")
def page_of_run(run, tmp_path_factory):
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


@pytest.fixture
def tab(open_tab, page_of_run):
    return open_tab(page_of_run)


def go(tab, link):
    page = tab.go(link)
    page.wait_for_selector(".view-ranks .detail")
    return page


def region(page, name):
    names = page.evaluate("() => window.kymo.data.regions.name")
    assert names.count(name) == 1
    return names.index(name)


def said(run, name, by, *options):
    return pages.report(run, "--ranks", "--region", name, "--group", by, *options)


def numbers(page):
    return dict(
        page.locator(".view-ranks .numbers div").evaluate_all(
            "all => all.map((each) => [each.children[0].textContent, each.children[1].textContent])"
        )
    )


def groups(page):
    return page.locator(".groups tbody tr:not(.spacer)").evaluate_all(
        "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"
    )


@pytest.mark.parametrize("by", ["thread", "process", "rank"])
@pytest.mark.parametrize("name", ["work", "even", "share"])
def test_numbers_are_the_reports(tab, run, by, name):
    page = go(tab, "#ranks")
    page = go(tab, f"#ranks?by={by}&metric=total&region={region(page, name)}")
    pages.wait_until(
        page, f"() => document.querySelector('.detail h2 .name').textContent === '{name}'"
    )
    answer = said(run, name, by)
    spread = answer["spread"][0]
    shown = numbers(page)
    assert seconds(shown["Mean"]) == close_to(spread["mean"])
    assert seconds(shown["Median"]) == close_to(spread["median"])
    assert seconds(shown["Least"]) == close_to(spread["min"])
    assert seconds(shown["Most"]) == close_to(spread["max"])
    assert shown["Most"].split(", ", 1)[1] == spread["max_at"]
    assert seconds(shown["Deviation"]) == close_to(spread["deviation"])
    assert f"of {spread['count']} " in shown["Sum"]
    rows = groups(page)
    assert [row[0] for row in rows] == [each["name"] for each in answer["groups"]][: len(rows)]
    for row, each in zip(rows, answer["groups"]):
        assert seconds(row[3]) == close_to(each["time"])
        assert int(row[4].replace(",", "")) == each["calls"]


def test_begins_with_ranks(tab):
    page = go(tab, "#ranks")
    assert page.get_by_label("Compare").input_value() == "rank"
    assert page.locator("tr.is-chosen").count() >= 1


def test_choices_are_in_the_link(tab):
    page = go(tab, "#ranks")
    for label, value, word in [
        ("Compare", "thread", "by=thread"),
        ("Time", "calls", "metric=calls"),
        ("Regions", "imbalance", "sort=imbalance"),
        ("Colours of", "all", "scale=all"),
        ("Bars", "value", "order=value"),
    ]:
        page.get_by_label(label, exact=True).select_option(value)
        pages.wait_until(page, f"() => location.hash.includes('{word}')")
    tab.settle("ranks")
    link = tab.link
    page.reload()
    page.wait_for_selector(".view-ranks .detail")
    assert tab.link == link
    assert page.get_by_label("Compare").input_value() == "thread"
    assert page.get_by_label("Bars").input_value() == "value"
    page.go_back()
    pages.wait_until(page, "() => !location.hash.includes('order=value')")


def test_largest_first(tab):
    page = go(tab, "#ranks?by=thread&order=value&metric=total&filter=share")
    page.get_by_role("button", name="share", exact=True).click()
    pages.wait_until(
        page, "() => document.querySelector('.detail h2 .name').textContent === 'share'"
    )
    times = [seconds(row[3]) for row in groups(page)]
    assert times == sorted(times, reverse=True) and times[0] > times[-1]


def test_heat_map_chooses_region_and_rank(tab):
    page = go(tab, "#ranks?metric=calls&filter=even")
    row = page.locator(".heat tbody tr:has(bdi:text-is('even'))")
    assert row.count() == 1
    box = row.locator("canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + 5)
    pages.wait_until(page, "() => location.hash.includes('group=3')")
    page.wait_for_selector(".groups tr.is-chosen")
    assert page.inner_text(".groups tr.is-chosen th") == "rank 3"
    assert page.inner_text(".detail h2 .name") == "even"
    bars = page.locator("canvas.bars").bounding_box()
    page.mouse.click(bars["x"] + 5, bars["y"] + bars["height"] - 5)
    pages.wait_until(page, "() => location.hash.includes('group=0')")
    page.click(".groups tbody tr:has-text('rank 2')")
    pages.wait_until(page, "() => location.hash.includes('group=2')")


def test_filter(tab):
    page = go(tab, "#ranks")
    page.keyboard.press("/")
    page.keyboard.type("/^(work|even)$/")
    pages.wait_until(page, "() => document.querySelectorAll('.heat tbody tr').length === 2")
    assert "filter=" in tab.link


def test_keys(tab):
    page = go(tab, "#ranks")
    first = page.locator(".heat tbody button").first
    first.focus()
    page.keyboard.press("ArrowDown")
    name = page.evaluate("() => document.activeElement.querySelector('.name').textContent")
    page.keyboard.press("Enter")
    pages.wait_until(
        page, f"() => document.querySelector('.detail h2 .name').textContent === {json.dumps(name)}"
    )
    page.keyboard.press("]")
    pages.wait_until(page, "() => location.hash.includes('group=0')")
    page.keyboard.press("]")
    pages.wait_until(page, "() => location.hash.includes('group=1')")
    page.keyboard.press("[")
    pages.wait_until(page, "() => location.hash.includes('group=0')")


def test_pictures_are_drawn_and_described(tab):
    page = go(tab, "#ranks")
    assert page.evaluate(
        """() => [...document.querySelectorAll(".view-ranks canvas")].every((canvas) => {
          const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return canvas.getAttribute("aria-label") && data.some((value) => value > 0);
        })"""
    )


@pytest.mark.parametrize("theme", long_except(["light", "dark"], "dark"))
def test_accessible(open_tab, page_of_run, theme):
    tab = open_tab(page_of_run, color_scheme=theme)
    go(tab, "#ranks")
    assert tab.serious_faults() == []


@pytest.mark.parametrize("width", [360, 640])
def test_fits(open_tab, page_of_run, width):
    tab = open_tab(page_of_run, viewport={"width": width, "height": 640})
    go(tab, "#ranks")
    assert tab.overflow() <= 0


def test_one_thread_has_no_ranks(open_tab, tmp_path):
    (tmp_path / "one.py").write_text("def work():\n    pass\nwork()\n")
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["-q", "one.py"],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": tmp_path / "out"},
    )
    assert result.returncode == 0, result.stderr
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path))
    page = tab.go("#table")
    assert page.locator("nav a[data-view=ranks]").count() == 0


def test_repeated_runs(open_tab, tmp_path):
    """Merged runs, with the mean and its interval as the report has them."""
    (tmp_path / "one.py").write_text("def work():\n    return sum(range(10000))\nwork()\n")
    runs = [tmp_path / f"run-{i}" for i in range(3)]
    for each in runs:
        result = support.run_kymo_python(
            support.interpreters()[-1],
            ["-q", "one.py"],
            cwd=tmp_path,
            env={"KYMO_OUTPUT_PATH": each},
        )
        assert result.returncode == 0, result.stderr
    merged = tmp_path / "merged"
    result = support.run_kymo(["merge", *runs, "-o", merged], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    tab = open_tab(pages.write_page(merged, tmp_path))
    page = go(tab, "#ranks")
    page = go(tab, f"#ranks?by=run&metric=total&region={region(page, 'work')}")
    page.wait_for_selector(".detail h2 bdi:text-is('work')")
    spread = said(merged, "work", "run")["spread"][0]
    shown = numbers(page)
    assert "of 3 runs" in shown["Sum"]
    assert seconds(shown["Mean"]) == close_to(spread["mean"])
    low, high = shown["Mean, 95 %"].split(" to ")
    answer = pages.report(merged, "--repeats")
    rows = next(value for value in answer.values() if isinstance(value, list) and value)
    (row,) = [each for each in rows if "work" in each.values()]
    assert seconds(low) == close_to(max(0, row["total_low"]))
    assert seconds(high) == close_to(row["total_high"])


def varints(numbers):
    data = bytearray()
    for number in numbers:
        while number >= 128:
            data.append(number % 128 + 128)
            number //= 128
        data.append(number)
    return bytes(data)


def grouping(names, of):
    data = varints([len(names)])
    for name in names:
        data += varints([len(name)]) + name.encode()
    return data + varints(of)


def thousand(text, regions, count=1000):
    """The page with other parts: as many ranks, of which one, 500, is slow in the first region."""
    each = {"count": count, "usual": count, "student": 1.96, "student_of_all": 1.96}
    facts = {
        "count": count,
        "ranks": count,
        "by": "rank",
        "regions": len(regions),
        "left_out": 12,
        "left_out_self": 0.5,
        "left_out_total": 0.25,
        "groups": {
            "thread": each,
            "process": each,
            "rank": each,
            "run": {"count": 1, "usual": 1, "student": 0, "student_of_all": 0},
        },
    }
    names = [f"rank {i}" for i in range(count)]
    groups = 3 * grouping(names, range(count)) + grouping(["run"], [0] * count)
    shares = varints([len(regions)])
    for k, number in enumerate(regions):
        times = [1000000 + 1000 * k + (5000000 if i == 500 and k == 0 else i) for i in range(count)]
        shares += varints([number, count, *([0] * count), *([1] * count), *(4 * times)])
    text = re.sub(
        r'(id="kymo-parts">).*?(</script>)',
        lambda m: m[1] + json.dumps(facts) + m[2],
        text,
        flags=re.S,
    )
    for name, data in (("groups", groups), ("shares", shares)):
        text = re.sub(
            rf'id="kymo-parts-{name}"[^>]*>[^<]*',
            f'id="kymo-parts-{name}">' + base64.b64encode(data).decode(),
            text,
        )
    return text


def test_a_thousand_ranks(open_tab, page_of_run, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(
        thousand(page_of_run.read_text(encoding="utf-8"), range(1, 9)), encoding="utf-8"
    )
    tab = open_tab(path)
    page = go(tab, "#ranks?region=1")
    assert "12 more regions" in page.inner_text(".view-ranks")
    assert numbers(page)["Most"] == "6.000 ms, rank 500"
    assert page.locator(".groups tbody tr").count() < 80
    assert page.locator(".heat tbody tr").count() == 8
    page.get_by_label("Bars", exact=True).select_option("value")
    pages.wait_until(
        page, "() => document.querySelector('.groups th[scope=row]')?.textContent === 'rank 500'"
    )
    page.get_by_label("Bars", exact=True).select_option("place")
    pages.wait_until(
        page, "() => document.querySelector('.groups th[scope=row]')?.textContent === 'rank 0'"
    )
    strip = page.locator(".heat tbody tr.is-chosen canvas").bounding_box()
    page.mouse.click(strip["x"] + strip["width"] * 0.5005, strip["y"] + 5)
    pages.wait_until(page, "() => location.hash.includes('group=500')")
    page.wait_for_selector(".groups tr.is-chosen:has-text('rank 500')")
    page.evaluate("() => { document.querySelector('.groups').scrollTop = 1e9; }")
    page.wait_for_selector(".groups tr:has-text('rank 999')")


def test_work_is_what_the_report_compares(tab, run):
    """`kymo report --imbalance`, with what a region calls."""
    rows = {row["name"]: row for row in pages.report(run, "--imbalance")["imbalance"]}
    page = go(tab, "#ranks")
    page = go(tab, f"#ranks?by=rank&metric=work_total&region={region(page, 'share')}")
    pages.wait_until(
        page, "() => document.querySelector('.detail h2 .name').textContent === 'share'"
    )
    shown = numbers(page)
    assert seconds(shown["Mean"]) == close_to(rows["share"]["mean"])
    assert shown["Most"].split(", ", 1)[1] == rows["share"]["max_at"]

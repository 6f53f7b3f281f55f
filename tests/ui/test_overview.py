"""The overview: what ran, where the time went, top regions, what to trust."""

import pages
import pytest
import sampled
import support

WAITS = """
import threading, time
def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(2000))
def work():
    spin(0.2)
    time.sleep(0.2)
threads = [threading.Thread(target=work, name=f"worker-{i}") for i in range(3)]
[each.start() for each in threads]
[each.join() for each in threads]
"""


@pytest.fixture(scope="module")
def sampled_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sampled")
    (folder / "waits.py").write_text(WAITS, encoding="utf-8")
    sampled.sample(folder, [support.interpreters()[-1].executable, "waits.py"], "-f", "200")
    return folder / "out"


@pytest.fixture(scope="module")
def sampled_page(sampled_run, tmp_path_factory):
    return pages.write_page(sampled_run, tmp_path_factory.mktemp("page"))


def shares(tab):
    """Of each thread what it did with its time, by activity, in parts of 1."""
    activity = tab.page.evaluate("() => window.kymo.data.json('activity')")
    words = [each["id"] for each in activity["activities"]]
    return [
        {word: ns / (sum(each["ns"]) or 1) for word, ns in zip(words, each["ns"])}
        for each in activity["threads"]
    ]


def test_answers_first(open_tab, demo_page, demo_run):
    tab = open_tab(demo_page)
    page = tab.go()
    assert page.evaluate("() => document.body.dataset.ready") == "overview"
    assert page.locator(".overview-lead").inner_text().startswith("forecast.py ran for ")
    facts = page.locator(".overview-head").inner_text()
    assert "Python 3." in facts and "5 threads" in facts and "forecast.py" in facts
    assert "Measuring cost" in page.locator(".overview-trust").inner_text()


def test_top_regions(open_tab, demo_page, demo_run):
    tab = open_tab(demo_page)
    page = tab.go("#overview")
    page.wait_for_selector(".overview-top tbody tr")
    rows = page.locator(".overview-top tbody tr")
    said = pages.report(demo_run, "--top", "10")["regions"]
    names = rows.locator("th > .name").all_inner_texts()
    assert names == [row["name"] for row in said]
    first = rows.first.inner_text()
    assert f"{said[0]['self_percent']:.1f} %" in first
    rows.first.locator("a", has_text="table").click()
    tab.settle("table")
    number = page.evaluate("name => window.kymo.data.regions.name.indexOf(name)", names[0])
    assert tab.link == f"#table?region={number}"
    page.go_back()
    tab.settle("overview")


def test_recorded_times(open_tab, demo_page, demo_run):
    """The bars add up to what the threads took, what measuring did with it."""
    tab = open_tab(demo_page)
    page = tab.go("#overview")
    activity = page.evaluate("() => window.kymo.data.json('activity')")
    report = pages.report(demo_run, "--threads")
    said = report["threads"]
    assert [mine["thread"] for mine in activity["threads"]] == [each["thread"] for each in said]
    told = sum(sum(mine["ns"]) for mine in activity["threads"])
    lasted = sum(theirs["duration"] for theirs in said) * 1e9
    assert told == pytest.approx(lasted, rel=0.01)
    assert told == pytest.approx(report["base"]["time"] * 1e9, rel=1e-6)
    words = [each["id"] for each in activity["activities"]]
    measuring = sum(mine["ns"][words.index("measuring")] for mine in activity["threads"])
    assert measuring == pytest.approx(report["base"]["measuring"] * 1e9, abs=len(said))
    assert page.locator(".activity-row").count() == len(said)
    python = page.locator(".activity-legend [data-activity=python] strong").inner_text()
    total = sum(sum(each["ns"]) for each in activity["threads"])
    spent = sum(each["ns"][0] for each in activity["threads"])
    assert python == f"{100 * spent / total:.1f} %"


def test_sampled_times(open_tab, sampled_page, sampled_run):
    """The bars are what kymo report --threads says."""
    tab = open_tab(sampled_page)
    tab.go("#overview")
    mine = shares(tab)
    said = pages.report(sampled_run, "--threads")["threads"]
    assert len(mine) == len(said) >= 4
    waits = ("lock", "gil", "io", "network", "sleep", "child", "other")
    for here, there in zip(mine, said):
        assert 100 * here["python"] == pytest.approx(there["python_percent"], abs=0.01)
        assert 100 * here["native"] == pytest.approx(there["native_percent"], abs=0.01)
        assert 100 * here["system"] == pytest.approx(there["kernel_percent"], abs=0.01)
        assert 100 * here["ready"] == pytest.approx(there["runnable_percent"], abs=0.01)
        waiting = sum(here[word] for word in waits)
        assert 100 * waiting == pytest.approx(there["waiting_percent"], abs=0.01)
    assert mine[0]["lock"] > 0, "the main thread joins the others"
    assert any(each["sleep"] > 0 for each in mine[1:4])


def test_findings(open_tab, demo_page, demo_run):
    """The sentences are those of kymo report --findings; each leads to what shows it."""
    tab = open_tab(demo_page)
    page = tab.go("#overview")
    said = [each["text"] for each in pages.report(demo_run, "--findings")["findings"]]
    items = page.locator(".overview-findings li")
    assert items.all_inner_texts() == [text.replace("`", "") for text in said]
    assert len(said) > 0
    for i in range(len(said)):
        items.nth(i).locator("a").click()
        view = tab.link.lstrip("#").split("?")[0]
        tab.settle(view)
        assert view != "overview"
        page.go_back()
        tab.settle("overview")


MANY = """
import threading
def work():
    return sum(range(1000))
for i in range(400):
    thread = threading.Thread(target=work, name=f"thread-{i}")
    thread.start()
    thread.join()
"""


def test_many_threads(open_tab, tmp_path):
    """As many bars as fit, the others added up; all of them are in another view."""
    program = tmp_path / "many.py"
    program.write_text(MANY, encoding="utf-8")
    support.run_kymo_python(support.interpreters()[-1], ["--", program], cwd=tmp_path)
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path))
    page = tab.go("#overview")
    assert "401 threads" in page.locator(".overview-head").inner_text()
    assert page.locator(".activity-row").count() == 12
    assert "390 other threads" in page.locator(".activity-row").last.inner_text()
    page.locator(".overview-time a").last.click()
    tab.settle("ranks")


def test_intervals(open_tab, sampled_page, sampled_run):
    """Shares of samples have their interval, the report's."""
    tab = open_tab(sampled_page)
    page = tab.go("#overview")
    page.wait_for_selector(".overview-sure")
    said = pages.report(sampled_run, "--top", "1")["regions"][0]
    low, high = page.locator(".overview-sure").first.inner_text().removesuffix(" %").split("-")
    assert float(low) == pytest.approx(said["self_low_percent"], abs=0.051)
    assert float(high) == pytest.approx(said["self_high_percent"], abs=0.051)


def test_numbers_without_the_bars(open_tab, sampled_page):
    """What the bars show is there as text, too."""
    tab = open_tab(sampled_page)
    page = tab.go("#overview")
    label = page.locator(".activity-bar").first.get_attribute("aria-label")
    assert label.startswith("all threads: ") and "sleeping" in label
    page.locator(".overview-time summary").click()
    table = page.locator(".overview-time details table")
    assert table.locator("tbody tr").count() == page.locator(".activity-row").count()
    assert "sleeping" in table.locator("thead").inner_text()
    assert tab.serious_faults() == []


def test_nothing_recorded(open_tab, tmp_path):
    """A program without annotations shows no calls: the page says what to do."""
    program = tmp_path / "nothing.c"
    program.write_text("int main(void) { return 3; }\n", encoding="utf-8")
    binary = sampled.compile(tmp_path, program)
    result = support.run_kymo(
        ["run", "-q", "-o", tmp_path / "out", "--time-output=off", "--", binary], cwd=tmp_path
    )
    assert result.returncode == 3
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path))
    page = tab.go("#overview")
    assert "ended with status 3" in page.locator(".overview-head").inner_text()
    assert "kymo sample" in page.locator(".overview-advice").inner_text()


def test_killed(open_tab, tmp_path):
    """A process that was killed says so."""
    program = tmp_path / "killed.py"
    program.write_text(
        "import os, signal\ndef work():\n    return sum(range(1000))\n"
        "[work() for i in range(100)]\nos.kill(os.getpid(), signal.SIGKILL)\n",
        encoding="utf-8",
    )
    support.run_kymo_python(support.interpreters()[-1], ["--", program], cwd=tmp_path)
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path))
    page = tab.go("#overview")
    assert "did not end in order" in page.locator(".overview-advice").inner_text()
    assert page.locator(".overview-top tbody tr").count() > 0

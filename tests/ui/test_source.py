"""The source view: lines with what was measured on them, kept, changed and missing files."""

import hashlib
import json
import os
import shutil

import pages
import pytest
import sampled
import support

PROGRAM = '''\
import time

def busy(seconds):
    """Uses the processor: </script> & "quotes"."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(3000))

def main():
    busy(0.5)
    time.sleep(0.2)

main()
'''
OLD = (1_500_000_000, 1_500_000_000)


def write_program(folder):
    program = folder / "busy.py"
    program.write_text(PROGRAM, encoding="utf-8")
    os.utime(program, OLD)
    return program


@pytest.fixture(scope="module")
def kept_run(tmp_path_factory):
    """A sampled run with its sources, which are gone from where they were."""
    folder = tmp_path_factory.mktemp("kept")
    program = write_program(folder)
    command = [support.interpreters()[-1].executable, program]
    sampled.sample(folder, command, "--keep-sources", "-f", "300")
    program.unlink()
    return folder / "out"


@pytest.fixture(scope="module")
def kept_page(kept_run, tmp_path_factory):
    return pages.write_page(kept_run, tmp_path_factory.mktemp("page"))


def file_number(page, ending):
    return page.evaluate(
        "ending => window.kymo.data.json('sources').files.findIndex(f => f.name.endsWith(ending))",
        ending,
    )


def row(page, line):
    return page.locator(f".source-lines tr[data-line='{line}']")


def test_kept(open_tab, kept_page, kept_run):
    tab = open_tab(kept_page)
    page = tab.go("#source")
    number = file_number(page, "/busy.py")
    tab.go(f"#source?file={number}&line=7")
    assert page.locator(".source-title").inner_text().endswith("/busy.py")
    assert "kept with the run" in page.locator(".source-note").inner_text()
    assert row(page, 4).locator(".source-code").inner_text() == PROGRAM.split("\n")[3]
    assert row(page, 7).get_attribute("class") == "marked"
    assert tab.serious_faults() == []


def test_numbers_of_lines(open_tab, kept_page, kept_run):
    """The shares of lines are those of kymo report --lines."""
    tab = open_tab(kept_page)
    page = tab.go("#source")
    sources = page.evaluate("() => window.kymo.data.json('sources')")
    file = next(each for each in sources["files"] if each["name"].endswith("/busy.py"))
    mine = {line: (count, own, total) for line, _, count, own, total, *_ in file["lines"]}
    said = [
        each
        for each in pages.report(kept_run, "--lines")["lines"]
        if (each["file"] or "").endswith("/busy.py")
    ]
    assert len(said) == len(mine) > 1
    for each in said:
        count, own, total = mine[each["line"]]
        assert count == each["samples"]
        assert own == pytest.approx(each["self"] * 1e9, abs=1)
        assert total == pytest.approx(each["total"] * 1e9, abs=1)
    first = max(said, key=lambda each: each["self"])
    tab.go(f"#source?file={file_number(page, '/busy.py')}")
    shown = row(page, first["line"]).inner_text()
    assert f"{first['self_percent']:.1f} %" in shown


def test_controls(open_tab, kept_page):
    """Files, lines, finding and the hottest lines, by pointer and by key; links keep all."""
    tab = open_tab(kept_page)
    page = tab.go("#source")
    number = file_number(page, "/busy.py")
    page.fill(".source-side input", "busy.p")
    page.click(".source-files a")
    tab.settle("source")
    assert tab.link == f"#source?file={number}"
    assert page.locator(".source-files a[aria-current]").count() == 1
    row(page, 9).locator("a").first.click()
    assert tab.link == f"#source?file={number}&line=9"
    # The link changes at once, the view when the browser tells of it.
    page.wait_for_selector(".source-lines tr[data-line='9'].marked")
    page.locator(".source-scroll").focus()
    page.keyboard.press(".")
    hottest = tab.link
    assert "line=" in hottest and hottest != f"#source?file={number}&line=9"
    page.keyboard.press(";")
    pages.wait_until(page, "(hottest) => location.hash !== hottest", arg=hottest)
    page.keyboard.press(",")
    pages.wait_until(page, "(hottest) => location.hash === hottest", arg=hottest)
    page.go_back()
    page.keyboard.press("/")
    page.keyboard.type("SECONDS")
    assert page.locator(".source-main .controls [role=status]").first.inner_text() == "2 lines"
    assert page.locator(".source-lines tr.found").count() == 2
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.locator(".source-lines tr.found").count() == 0


def test_from_a_region(open_tab, kept_page):
    """The overview's link leads to the function's line."""
    tab = open_tab(kept_page)
    page = tab.go("#overview")
    page.wait_for_selector(".overview-top tbody tr")
    busy = page.locator(".overview-top tbody tr", has_text="busy.py:3").first
    busy.locator("a", has_text="source").click()
    tab.settle("source")
    assert row(page, 3).get_attribute("class") == "marked"
    region = page.evaluate("() => window.kymo.data.regions.name.length + 5")
    tab.go(f"#source?region={region}")
    assert "does not contain the location" in page.locator(".source-note").inner_text()


def state_after(open_tab, tmp_path, change, *options):
    """The state and note of the program's file when it was changed after the run."""
    program = write_program(tmp_path)
    support.run_kymo_python(support.interpreters()[-1], ["--", program], cwd=tmp_path)
    change(program)
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path, *options))
    page = tab.go("#source")
    tab.go(f"#source?file={file_number(page, '/busy.py')}")
    return page


def test_of_this_machine(open_tab, tmp_path):
    page = state_after(open_tab, tmp_path, lambda program: None)
    assert "older than the run" in page.locator(".source-note").inner_text()
    assert row(page, 3).inner_text().split("\t")[1] == "1"
    assert "def busy" in row(page, 3).inner_text()


def test_changed(open_tab, tmp_path):
    def change(program):
        program.write_text(PROGRAM + "# more\n", encoding="utf-8")

    page = state_after(open_tab, tmp_path, change)
    assert "has changed since" in page.locator(".source-note").inner_text()
    assert "# more" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "busy" in row(page, 3).inner_text(), "what was measured is there without the text"


def test_missing(open_tab, tmp_path):
    page = state_after(open_tab, tmp_path, lambda program: program.unlink())
    note = page.locator(".source-note").inner_text()
    assert "not found" in note and "--keep-sources" in note


def test_left_out(open_tab, tmp_path):
    page = state_after(open_tab, tmp_path, lambda program: None, "--no-sources")
    assert "--no-sources" in page.locator(".source-note").inner_text()
    assert 'id="kymo-source-' not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_large_file(open_tab, tmp_path):
    """Of a file that is too large for a page there are the parts that were measured."""
    lines = ["def work():", "    return sum(range(10000))", ""]
    lines += [f"# {number} {'x' * 60}" for number in range(9000)]
    lines += ["def late():", "    return work()", "", "late()"]
    program = tmp_path / "large.py"
    program.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(program, OLD)
    support.run_kymo_python(support.interpreters()[-1], ["--", program], cwd=tmp_path)
    path = pages.write_page(tmp_path / "out", tmp_path)
    tab = open_tab(path)
    page = tab.go("#source")
    tab.go(f"#source?file={file_number(page, '/large.py')}&line=9004")
    assert "def late" in row(page, 9004).inner_text()
    page.locator(".source-scroll").evaluate("each => { each.scrollTop = 0; }")
    row(page, 1).wait_for()
    assert "def work" in row(page, 1).inner_text()
    page.locator(".source-scroll").evaluate("each => { each.scrollTop = 600; }")
    page.wait_for_selector(".source-gap")
    # Only what is visible has rows.
    assert page.locator(".source-lines tr[data-line]").count() < 120


def test_kept_files(kept_run):
    """Private copies and a list of them."""
    folder = kept_run / "sources"
    assert folder.stat().st_mode & 0o777 == 0o700
    listed = json.loads((folder / "index.json").read_text(encoding="utf-8"))["kymo"]["sources"]
    (busy,) = [each for each in listed if each["path"].endswith("/busy.py")]
    assert (folder / busy["kept"]).stat().st_size == busy["size"] == len(PROGRAM)
    assert busy["md5"] == hashlib.md5(PROGRAM.encode()).hexdigest()
    copies = [each for each in folder.iterdir() if each.name.endswith("-busy.py")]
    assert len(copies) == 1
    assert copies[0].read_text(encoding="utf-8") == PROGRAM
    assert all(each.stat().st_mode & 0o077 == 0 for each in folder.iterdir())


def test_moved_run(open_tab, kept_run, tmp_path):
    """What was kept goes with the run."""
    shutil.copytree(kept_run, tmp_path / "elsewhere")
    tab = open_tab(pages.write_page(tmp_path / "elsewhere", tmp_path))
    page = tab.go("#source")
    tab.go(f"#source?file={file_number(page, '/busy.py')}")
    assert "kept with the run" in page.locator(".source-note").inner_text()

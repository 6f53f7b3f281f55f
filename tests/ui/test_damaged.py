"""Pages that are not as they were written: what can be shown is, what cannot says so."""

import re

import pages

ENDS = re.compile(rb'(<script[^>]* id="kymo-tree-all"[^>]*>)([^<]*)')


def open_damaged(open_tab, page, folder, change):
    damaged = folder / "page.html"
    damaged.write_bytes(change(page.read_bytes()))
    return open_tab(damaged)


def test_a_view_without_its_data_says_so(open_tab, demo_page, tmp_path):
    """The others go on, and so does the page."""
    tab = open_damaged(
        open_tab, demo_page, tmp_path, lambda text: ENDS.sub(rb"\1H4sIAAAAAAAA", text)
    )
    page = tab.go("#flame")
    said = page.locator(".view-flame [role=alert]").inner_text()
    assert said.startswith("This view cannot be shown: ") and "damaged" in said
    page.set_viewport_size({"width": 700, "height": 500})
    page.keyboard.press("i")
    tab.go("#table")
    assert page.locator(".view-table tbody tr").count() > 3
    tab.go("#flame?mode=callers")
    assert page.locator(".view-flame [role=alert]").is_visible()
    assert tab.faults and all(fault.startswith("error: ") for fault in tab.faults)
    tab.faults.clear()


def test_a_page_without_its_facts_says_so(open_tab, demo_page, tmp_path):
    def without_end(text):
        begin = text.index(b'id="kymo-run"')
        end = text.index(b"</script>", begin)
        return text[: end - 5] + text[end:]

    tab = open_damaged(open_tab, demo_page, tmp_path, without_end)
    tab.page.goto(tab.url)
    pages.wait_until(tab.page, "() => document.querySelector('[role=alert]')")
    assert tab.page.inner_text("[role=alert]").startswith("This page cannot be shown: ")
    tab.faults.clear()


def test_a_page_that_was_cut_off_says_so(open_tab, demo_page, tmp_path):
    tab = open_damaged(open_tab, demo_page, tmp_path, lambda text: text[: len(text) // 2])
    tab.page.goto(tab.url)
    assert "cut off" in tab.page.inner_text("#app")

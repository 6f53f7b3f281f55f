"""Pages of runs in a real browser: Debian's Chromium, driven by Playwright.

The network is cut, and whatever a page asks for besides itself is a fault, as is every word
on its console.
"""

import json
import shutil
import time
from pathlib import Path

import support
from playwright.sync_api import Error

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Findings of axe that are ignored: "minor" and "moderate" ones.
SERIOUS = {"serious", "critical"}


def write_page(run, folder, *options):
    """kymo view of a run; the page's path."""
    page = Path(folder) / "page.html"
    result = support.run_kymo(["view", "--no-open", "-o", page, *options, run], cwd=folder)
    assert result.returncode == 0, result.stderr
    return page


def report(run, *options):
    """The output of kymo report for the run, as JSON."""
    result = support.run_kymo(["report", "--format", "json", *options, run], cwd=Path(run).parent)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def wait_until(page, condition, arg=None):
    """Wait until a JavaScript function returns true.

    Playwright's own wait_for_function() has the page evaluate text, which its policy forbids
    as soon as the answer is not true at once."""
    deadline = time.monotonic() + support.TIMEOUT_S
    while not _is_true(page, condition, arg):
        assert time.monotonic() < deadline, condition
        time.sleep(0.02)


def _is_true(page, condition, arg):
    try:
        return page.evaluate(condition, arg)
    except Error as error:
        if "context was destroyed" not in str(error):
            raise
        return False  # it is being loaded anew


class Tab:
    """One page in the browser.  page: Playwright's own, for everything else."""

    def __init__(self, page, url):
        self.url = url
        self.faults = []
        self.asked = []
        self.page = page
        self._listeners = {
            "console": lambda said: self.faults.append(f"{said.type}: {said.text}"),
            "pageerror": lambda error: self.faults.append(str(error)),
            "request": lambda asked: self.asked.append(asked.url),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def go(self, link=""):
        """Open the page at a link, "#table?sort=self", and wait until its view is there."""
        if self.page.url.split("#")[0] == self.url:
            self.page.evaluate("link => { location.hash = link; }", link)
        else:
            self.page.goto(self.url + link)
        view = link.lstrip("#").split("?")[0]
        self.settle(view)
        return self.page

    def settle(self, view=""):
        """Wait until the requested view is shown."""
        wait_until(
            self.page,
            "view => view ? document.body.dataset.ready === view : document.body.dataset.ready",
            view,
        )

    @property
    def link(self):
        return self.page.evaluate("() => location.hash")

    def serious_faults(self):
        """Accessibility errors that axe finds."""
        from axe_playwright_python.sync_playwright import Axe

        axe = Axe()
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(axe.axe_script)
        found = self.page.evaluate("() => axe.run({resultTypes: ['violations']})")["violations"]
        return [
            (each["id"], each["help"], [node["html"][:200] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in SERIOUS
        ]

    def overflow(self):
        """By how many pixels the document is wider than the window."""
        return self.page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def leave(self):
        """Leave the page; no error may have occurred."""
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto("about:blank")
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        assert self.faults == [], "\n".join(self.faults)
        # Blobs are made by the page: they are no network requests.
        others = [url for url in self.asked if url.split("#")[0] != self.url]
        assert [url for url in others if not url.startswith("blob:")] == []


class Tabs:
    """The tabs of a browser.

    Each has a process of its own, which takes several times as long to start as a page to open:
    a tab that a test has left is emptied for the next one that wants the same."""

    def __init__(self, browser):
        self._browser = browser
        self._idle = {}

    def open(self, url, options):
        """A Tab whose context has these options; "script" is run before each of its pages."""
        idle = self._idle.get(json.dumps(options, sort_keys=True))
        return Tab(idle.pop() if idle else self._new_page(options), url)

    def _new_page(self, options):
        options = dict(options)
        script = options.pop("script", None)
        page = self._browser.new_context(offline=True, **options).new_page()
        if script:
            page.add_init_script(script)
        return page

    def take_back(self, tab, options):
        """Leave the page, as Tab.leave() does, and discard the tab's state."""
        try:
            tab.leave()
        except BaseException:
            tab.page.context.close()
            raise
        page = tab.page
        page.set_viewport_size(options["viewport"])
        page.mouse.move(-1, -1)
        session = page.context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        self._idle.setdefault(json.dumps(options, sort_keys=True), []).append(page)

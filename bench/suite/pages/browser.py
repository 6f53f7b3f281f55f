"""Pages in headless Chromium: how long until they are drawn, and until clicks are answered.

browser.py reads a line of JSON a page: {"url", "drawn": an expression, "clicks": {name: link}},
and writes one: {"drawn": seconds from the navigation on, null = not within a minute or never,
"clicks": {name: seconds}}.
"""

import json
import shutil
import sys
import time

from playwright.sync_api import Error, sync_playwright

# Asked before every frame, before anything of the page has run; the frame after is the answer.
WATCH = """
addEventListener("DOMContentLoaded", () => {
  const look = () => {
    if (DRAWN) requestAnimationFrame(() => { window.drawnAt = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
"""
CLICK = """async (link) => {
  const begin = performance.now();
  const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  location.hash = link;
  await changed;
  while (!document.body.dataset.ready) await new Promise((done) => setTimeout(done, 0));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - begin;
}"""
LIMIT_MS = 60_000
BETWEEN_CLICKS_MS = 500  # a person looks at what came of the one before


def drawn_at(page):
    """Milliseconds; None: not within the limit, or the page crashed."""
    end = time.monotonic() + LIMIT_MS / 1e3
    try:
        while time.monotonic() < end:
            drawn = page.evaluate("window.drawnAt ?? null")
            if drawn is not None:
                return drawn
            page.wait_for_timeout(50)
    except Error:
        pass
    return None


def measure(browser, asked):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(LIMIT_MS)
    page.add_init_script(WATCH.replace("DRAWN", asked["drawn"]))
    page.goto(asked["url"], wait_until="commit")
    drawn = drawn_at(page)
    clicks = {}
    for name, link in asked.get("clicks", {}).items():
        clicks[name] = page.evaluate(CLICK, link) / 1e3
        page.wait_for_timeout(BETWEEN_CLICKS_MS)
    page.close()
    return {"drawn": drawn and drawn / 1e3, "clicks": clicks}


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for line in sys.stdin:
            print(json.dumps(measure(browser, json.loads(line))), flush=True)
        browser.close()


if __name__ == "__main__":
    main()

"""Frame times of a page's timeline in headless Chromium: frames.py PAGE.

Zooms in, pans and zooms out by keys, waiting for each frame; writes one line of JSON: seconds
until the timeline is drawn, and milliseconds of each frame by the page's own measure."""

import json
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

KEYS = "w" * 30 + "d" * 20 + "s" * 10 + "a" * 10 + "s" * 25
READY = "() => document.body.dataset.ready === 'timeline'"
NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
MEASURES = "() => performance.getEntriesByName('timeline-frame').map(each => each.duration)"


def measure(page, url):
    page.goto(url + "#timeline")
    while not page.evaluate(READY):
        page.wait_for_timeout(20)
    drawn = page.evaluate("() => performance.now()") / 1e3
    page.locator("canvas.timeline-canvas").focus()
    page.evaluate("() => performance.clearMeasures()")
    for key in KEYS:
        page.keyboard.press(key)
        page.evaluate(NEXT_FRAME)
    return {"drawn": drawn, "frames": page.evaluate(MEASURES)}


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        print(json.dumps(measure(page, Path(sys.argv[1]).resolve().as_uri())))
        browser.close()


if __name__ == "__main__":
    main()

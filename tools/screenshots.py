#!/usr/bin/env python3
"""Make the pictures of the page in docs/images: screenshots.py [X.Y]

Records demo/forecast.py with calls, samples and sources under Python X.Y (by default the newest
that the build has a module for), writes its page, and has Debian's Chromium take a picture of
each view.  `./demo.sh --screenshots` sets up what it needs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("KYMO_BUILD", REPOSITORY / "build"))
IMAGES = REPOSITORY / "docs" / "images"

# name of the picture: link into the page, colours
PICTURES = {
    "overview": ("#overview", "light"),
    "flame": ("#flame", "light"),
    "table": ("#table", "light"),
    "graph": ("#graph", "light"),
    "timeline": ("#timeline", "dark"),
    "ranks": ("#ranks", "light"),
    "source": ("#source", "light"),
}


def interpreter(version):
    """Path of the interpreter X.Y of the build, by default the newest."""
    lines = (BUILD / "python" / "interpreters.txt").read_text().splitlines()
    found = dict(line.split(" ", 1) for line in lines)
    return found[version or lines[-1].split(" ", 1)[0]]


def make_page(folder, version):
    run, page = folder / "run", folder / "page.html"
    kymo = BUILD / "bin" / "kymo"
    options = ["-S", "--trace", "--keep-sources", "--quiet"]
    subprocess.run(
        [kymo, "run", *options, "--", interpreter(version), "demo/forecast.py", "--days", "3"],
        cwd=REPOSITORY,
        env={**os.environ, "KYMO_OUTPUT_PATH": str(run), "KYMO_TIME_OUTPUT": "OFF"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    subprocess.run([kymo, "view", "--no-open", "-o", page, run], check=True)
    return page


def take_pictures(page):
    IMAGES.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (link, colours) in PICTURES.items():
            tab = browser.new_page(
                viewport={"width": 1280, "height": 800}, color_scheme=colours, offline=True
            )
            tab.goto(page.as_uri() + link)
            view = link.lstrip("#").split("?")[0]
            tab.wait_for_selector(f"body[data-ready={view}]")
            tab.screenshot(path=IMAGES / f"{name}.png")
            print(IMAGES.relative_to(REPOSITORY) / f"{name}.png")
            tab.close()
        browser.close()


def main(version=None):
    with tempfile.TemporaryDirectory(prefix="kymo-pictures-") as folder:
        take_pictures(make_page(Path(folder), version))


if __name__ == "__main__":
    main(*sys.argv[1:])

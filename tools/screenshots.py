#!/usr/bin/env python3
"""Make the pictures of the page in docs/images.

Records demo/forecast.py with calls, samples, a trace and its sources, writes its page, and has
Debian's Chromium take a picture of each view.  `./demo.sh --screenshots` sets up what it needs.
"""

import os
import shutil
import subprocess
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


def interpreter():
    """The system's Python if the build has a module for it, else the newest one with a module, so
    that the pictures show the same standard library everywhere."""
    lines = (BUILD / "python" / "interpreters.txt").read_text().splitlines()
    found = dict(line.split(" ", 1) for line in lines)
    system = subprocess.run(
        ["/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    return "/usr/bin/python3" if system in found else lines[-1].split(" ", 1)[1]


def make_page(folder):
    run, page = folder / "run", folder / "page.html"
    kymo = BUILD / "bin" / "kymo"
    # By a name that does not depend on this machine.
    (folder / "python3").symlink_to(interpreter())
    shutil.copytree(REPOSITORY / "demo", folder / "demo")
    settings = {"KYMO_OUTPUT_PATH": str(run), "KYMO_TIME_OUTPUT": "OFF", "KYMO_QUIET": "ON"}
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    options = ["-S", "-P", "--trace", "--keep-sources"]
    subprocess.run(
        [kymo, "run", *options, "--", "python3", "demo/forecast.py", "--days", "4"],
        cwd=folder,
        env={**os.environ, **settings, "PATH": path},
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
    # They are in the repository: a third of the size, without a visible difference.
    pictures = [IMAGES / f"{name}.png" for name in PICTURES]
    subprocess.run(
        ["pngquant", "--force", "--ext", ".png", "--skip-if-larger", *pictures], check=True
    )


def main():
    with tempfile.TemporaryDirectory(prefix="harbour-") as folder:
        take_pictures(make_page(Path(folder)))


if __name__ == "__main__":
    main()

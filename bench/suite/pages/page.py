"""The page of a million call paths: writing it, opening it, and clicks in it, beside SnakeViz and
speedscope opening the same profile in the same browser."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

from suite import setup
from suite.outside import Usage
from suite.table import median, show

PROGRAM = os.path.join(setup.BENCH, "programs", "million_paths.py")
BROWSER = os.path.join(setup.BENCH, "suite", "pages", "browser.py")
PACKAGES = ("playwright", "snakeviz")

SNAKEVIZ = {
    "SnakeViz, its table": "document.querySelector('table tbody td')",
    "SnakeViz, its diagram": "document.querySelector('#chart svg path, #chart svg rect')",
}

CLICKS = {
    "the Flame view": "#flame",
    "zoom": "#flame?path=3",
    "zoom out": "#flame",
    "flame graph": "#flame?style=flame",
    "sunburst": "#flame?style=sunburst",
    "callers": "#flame?mode=callers",
    "merged recursion": "#flame?merge=1",
    "by calls": "#flame?metric=calls",
    "search": "#flame?find=7",
    "colours by heat": "#flame?colour=heat",
    "order by name": "#flame?order=name",
}


def environment_of(python):
    """A Python with Playwright and SnakeViz, and what could not be had."""
    folder = os.path.join(setup.BUILD, "bench", "venv-page")
    inside = os.path.join(folder, "bin", "python")
    if not os.path.exists(inside):
        subprocess.run([python, "-m", "venv", folder], check=True)
    missing = []
    for package in PACKAGES:
        if subprocess.run([inside, "-c", f"import {package}"], capture_output=True).returncode:
            command = [inside, "-m", "pip", "install", "-q", package]
            if subprocess.run(command, capture_output=True).returncode:
                missing.append(package)
    return inside, missing


def speedscope():
    """Folder of speedscope's page; None where npm has it not."""
    folder = os.path.join(setup.BUILD, "bench", "npm")
    page = os.path.join(folder, "node_modules", "speedscope", "dist", "release")
    if not os.path.isdir(page) and shutil.which("npm"):
        os.makedirs(folder, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, "speedscope"]
        subprocess.run(command, capture_output=True)
    return page if os.path.isdir(page) else None


def ask(python, question):
    answer = subprocess.run(
        [python, BROWSER], input=json.dumps(question) + "\n", capture_output=True, text=True
    )
    if answer.returncode != 0:
        raise RuntimeError((answer.stderr.strip().splitlines() or ["no answer"])[-1])
    return json.loads(answer.stdout)


def open_snakeviz(python, profile, drawn):
    """Its server reads the profile for every page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    server = subprocess.Popen(
        [python, "-m", "snakeviz", "-s", "-H", "127.0.0.1", "-p", port, profile],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        for line in server.stdout:
            if "http://" in line:
                break
        name = urllib.parse.quote(profile, safe="")
        url = f"http://127.0.0.1:{port}/snakeviz/{name}"
        return ask(python, {"url": url, "drawn": drawn})["drawn"]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def open_speedscope(python, page, profile, folder):
    """As its command does it: the profile as a script that hands it over."""
    script = os.path.join(folder, "profile.js")
    with open(profile, "rb") as file, open(script, "w") as out:
        text = base64.b64encode(file.read()).decode()
        out.write(f"speedscope.loadFileFromBase64('profile.json', '{text}')")
    url = f"file://{page}/index.html#localProfilePath={script}"
    drawn = "document.querySelectorAll('canvas').length > 1"
    return ask(python, {"url": url, "drawn": drawn})["drawn"]


def seconds(values):
    return "not in a minute" if None in values else f"{median(values):.2f}"


def show_peers(python, missing, exports, folder, rounds):
    header = ["opens the profile", "seconds until drawn", "MB"]
    rows = []
    if "snakeviz" not in missing:
        for name, drawn in SNAKEVIZ.items():
            times = [open_snakeviz(python, exports["pstats"], drawn) for _ in range(rounds)]
            rows.append([name, seconds(times), f"{size_of(exports['pstats']):.1f}"])
    page = speedscope()
    if page:
        times = [
            open_speedscope(python, page, exports["speedscope"], folder) for _ in range(rounds)
        ]
        rows.append(["speedscope", seconds(times), f"{size_of(exports['speedscope']):.1f}"])
    show("Peers, the same profile", header, rows)


def size_of(path):
    return os.path.getsize(path) / 1e6


def run(versions, rounds):
    version, python = list(versions.items())[-1]
    tool = os.path.join(setup.BUILD, "bin", "kymo")
    inside, missing = environment_of(python)
    if "playwright" in missing:
        print("page: Playwright cannot be installed", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        target, page = os.path.join(folder, "run"), os.path.join(folder, "page.html")
        Usage(
            [python, "-m", "kymo", "--", PROGRAM],
            setup.environment(folder, {"KYMO_OUTPUT_PATH": target}),
        )
        reports, pages, drawn, clicks = [], [], [], {name: [] for name in CLICKS}
        for _ in range(rounds):
            reports.append(Usage([tool, "report", target], dict(os.environ)).wall)
            pages.append(Usage([tool, "view", "--no-open", "-o", page, target], dict(os.environ)))
            question = {"url": f"file://{page}", "drawn": "document.body?.dataset.ready"}
            answer = ask(inside, {**question, "clicks": CLICKS})
            drawn.append(answer["drawn"])
            for name, value in answer["clicks"].items():
                clicks[name].append(1e3 * value)
        exports = {}
        for name in ("pstats", "speedscope"):
            exports[name] = os.path.join(folder, "profile." + name)
            Usage([tool, "export", target, "--format", name, "-o", exports[name]], dict(os.environ))
        title = f"A million call paths (recorded with Python {version})"
        rows = [
            ["kymo report, s", seconds(reports), "2"],
            ["kymo view, s", seconds([each.wall for each in pages]), "4"],
            ["kymo view, peak memory, MB", f"{pages[-1].peak_bytes / 1e6:.0f}", "-"],
            ["the page, MB", f"{size_of(page):.1f}", "25"],
            ["first view drawn, s", seconds(drawn), "1.5"],
        ]
        rows += [[f"{name}, ms", f"{median(values):.0f}", "100"] for name, values in clicks.items()]
        show(title, ["what", "measured", "goal"], rows)
        show_peers(inside, missing, exports, folder, rounds)

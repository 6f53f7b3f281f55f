"""kymo view --serve: the page while the run goes on."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
from pathlib import Path

import pages
import pytest
import support

PROGRAM = """
import sys

def first():
    return sum(range(1000))

def second():
    return sum(range(1000))

first()
print("ready", flush=True)
for line in sys.stdin:
    second()
    print("done", flush=True)
"""


@contextlib.contextmanager
def serving(run, *options):
    """kymo view --serve of a run; its port and the path of the page."""
    command = [support.KYMO, "view", "--serve", "--no-open", *options, run]
    with subprocess.Popen([str(each) for each in command], stderr=subprocess.PIPE, text=True) as it:
        said = it.stderr.readline()
        assert said.startswith("kymo: the page is at http://127.0.0.1:"), said + it.stderr.read()
        yield re.match(r".*127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/) until", said).groups()
        it.send_signal(signal.SIGINT)
        assert it.wait(timeout=support.TIMEOUT_S) == 0


@contextlib.contextmanager
def running(folder):
    """A Python program under Kymo that calls second() for each line it is told."""
    script = folder / "program.py"
    script.write_text(PROGRAM)
    wrapper = support.BUILD / "bin" / f"kymo-python-{support.interpreters()[-1].version}"
    with subprocess.Popen(
        [str(wrapper), str(script)],
        cwd=folder,
        env=support.clean_environment(
            folder,
            {"KYMO_OUTPUT_PATH": folder / "out", "KYMO_TIME_OUTPUT": "OFF", "KYMO_QUIET": "ON"},
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as it:
        assert it.stdout.readline() == "ready\n"
        yield it
        it.stdin.close()
        assert it.wait(timeout=support.TIMEOUT_S) == 0


def ask(served, path="", method="GET", **headers):
    port, base = served
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=support.TIMEOUT_S)
    connection.request(method, path if path.startswith("/") else base + path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_answers(demo_run):
    with serving(demo_run) as served:
        status, page = ask(served)
        assert status == 200 and page.startswith(b"<!doctype html>")
        assert b"connect-src 'self'" in page
        assert ask(served, "generation") == ask(served, "generation")
        assert ask(served, method="HEAD") == (200, b"")
        assert ask(served, "/etc/passwd")[0] == 404
        assert ask(served, "../page.html")[0] == 404
        assert ask(served, method="POST")[0] == 405


@pytest.mark.parametrize("path", ["/", "/generation", "/" + "0" * 32 + "/", "//", "/%2f"])
def test_only_for_who_knows_its_path(demo_run, path):
    """Whoever else uses this machine may connect, and is told nothing."""
    with serving(demo_run) as served:
        status, said = ask(served, path)
        assert status == 404 and len(said) < 100
        other = ask(served, served[1].rstrip("/") + "0/")
        assert other[0] == 404


def test_opens_by_a_file(demo_run, tmp_path):
    """The path is in no argument of a process; the file is the user's own and goes again."""
    pipe, browser = tmp_path / "opened", tmp_path / "browser"
    os.mkfifo(pipe)
    browser.write_text(f'#!/bin/sh\necho "$1" >{pipe}\n')
    browser.chmod(0o755)
    command = [support.KYMO, "view", "--serve", demo_run]
    settings = {"BROWSER": str(browser), "XDG_RUNTIME_DIR": str(tmp_path)}
    with subprocess.Popen(
        [str(each) for each in command],
        stderr=subprocess.PIPE,
        text=True,
        env=support.clean_environment(tmp_path, settings),
    ) as it:
        link = it.stderr.readline().split()[5]
        (opened,) = pipe.read_text().split()
        assert link.startswith("http://127.0.0.1:") and link not in opened
        assert f'content="0; url={link}"' in Path(opened).read_text()
        assert os.stat(opened).st_mode & 0o777 == 0o600
        it.send_signal(signal.SIGINT)
        assert it.wait(timeout=support.TIMEOUT_S) == 0
    assert not os.path.exists(opened)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example"])
def test_other_names(demo_run, host):
    """A page elsewhere whose name leads here is told nothing."""
    with serving(demo_run) as served:
        assert ask(served, Host=host)[0] == 403


def test_silent_connections(demo_run):
    """Browsers open connections that they may never use."""
    with serving(demo_run) as served, contextlib.ExitStack() as opened:
        for _ in range(50):
            connection = http.client.HTTPConnection("127.0.0.1", served[0])
            connection.connect()
            opened.callback(connection.close)
        assert ask(served)[0] == 200


def test_follows_the_run(browser, tmp_path):
    """What the program does while one looks comes to be seen; where one is stays."""
    context = browser.new_context()
    page = context.new_page()
    names = "async () => (await kymo.data.flat()).map((e) => kymo.data.regions.name[e.region])"
    with running(tmp_path) as program, serving(tmp_path / "out") as served:
        page.goto(f"http://127.0.0.1:{served[0]}{served[1]}#table")
        pages.wait_until(page, "() => document.body.dataset.ready === 'table'")
        assert "first" in page.evaluate(names) and "second" not in page.evaluate(names)
        program.stdin.write("go\n")
        program.stdin.flush()
        assert program.stdout.readline() == "done\n"
        pages.wait_until(
            page,
            "async () => window.kymo && (await kymo.data.flat())"
            ".some((e) => kymo.data.regions.name[e.region] === 'second')",
        )
        assert page.evaluate("() => location.hash") == "#table"
        context.close()


def test_nothing_without_server(browser, demo_run):
    """The page says that its server has gone and stays."""
    context = browser.new_context()
    page = context.new_page()
    with serving(demo_run) as served:
        page.goto(f"http://127.0.0.1:{served[0]}{served[1]}#table")
        pages.wait_until(page, "() => document.body.dataset.ready === 'table'")
    pages.wait_until(
        page, "() => document.querySelector('.status').textContent.includes('server has ended')"
    )
    assert page.locator("nav").is_visible()
    context.close()

"""kymo view --serve: the page while the run goes on."""

import contextlib
import http.client
import signal
import subprocess

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
    """kymo view --serve of a run; the port."""
    command = [support.KYMO, "view", "--serve", "--no-open", *options, run]
    with subprocess.Popen([str(each) for each in command], stderr=subprocess.PIPE, text=True) as it:
        said = it.stderr.readline()
        assert said.startswith("kymo: the page is at http://127.0.0.1:"), said + it.stderr.read()
        yield int(said.split(":")[3].split("/")[0])
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


def ask(port, path="/", method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=support.TIMEOUT_S)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_answers(demo_run):
    with serving(demo_run) as port:
        status, page = ask(port)
        assert status == 200 and page.startswith(b"<!doctype html>")
        assert b"connect-src 'self'" in page
        assert ask(port, "/generation") == ask(port, "/generation")
        assert ask(port, method="HEAD") == (200, b"")
        assert ask(port, "/etc/passwd")[0] == 404
        assert ask(port, "/../page.html")[0] == 404
        assert ask(port, method="POST")[0] == 405


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example"])
def test_other_names(demo_run, host):
    """A page elsewhere whose name leads here is told nothing."""
    with serving(demo_run) as port:
        assert ask(port, Host=host)[0] == 403


def test_silent_connections(demo_run):
    """Browsers open connections that they may never use."""
    with serving(demo_run) as port, contextlib.ExitStack() as opened:
        for _ in range(50):
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.connect()
            opened.callback(connection.close)
        assert ask(port)[0] == 200


def test_follows_the_run(browser, tmp_path):
    """What the program does while one looks comes to be seen; where one is stays."""
    context = browser.new_context()
    page = context.new_page()
    names = "async () => (await kymo.data.flat()).map((e) => kymo.data.regions.name[e.region])"
    with running(tmp_path) as program, serving(tmp_path / "out") as port:
        page.goto(f"http://127.0.0.1:{port}/#table")
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
    with serving(demo_run) as port:
        page.goto(f"http://127.0.0.1:{port}/#table")
        pages.wait_until(page, "() => document.body.dataset.ready === 'table'")
    pages.wait_until(
        page, "() => document.querySelector('.status').textContent.includes('server has ended')"
    )
    assert page.locator("nav").is_visible()
    context.close()

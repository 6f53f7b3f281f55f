"""kymo view: where the page goes, what opens it, and what is refused."""

import os
import socket
import stat

import pytest
import support
from test_cli import record


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return record(tmp_path_factory.mktemp("view"), "example.py")


def view(run, *options, env=None):
    return support.run_kymo(["view", *options], cwd=run.parent, env=env)


def fake_browser(folder):
    """A browser that writes down what it is to open, through a pipe that can be waited for."""
    pipe, script = folder / "opened", folder / "browser"
    os.mkfifo(pipe)
    script.write_text(f'#!/bin/sh\necho "$1" >{pipe}\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script, pipe


def test_default_name(run):
    result = view(run, "--no-open", run)
    assert (result.returncode, result.stdout) == (0, "")
    (page,) = run.rglob("page.html")
    assert result.stderr == f"kymo: wrote '{page}'\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_newest_run(run, tmp_path):
    result = support.run_kymo(["view", "--no-open", "-o", tmp_path / "x.html"], cwd=run.parent)
    assert result.returncode == 0 and (tmp_path / "x.html").exists()


def test_standard_output(run):
    result = view(run, "-o", "-", run)
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.endswith("</html>\n")


def test_opens_browser(run, tmp_path):
    browser, pipe = fake_browser(tmp_path)
    page = tmp_path / "page.html"
    result = view(run, "-o", page, run, env={"BROWSER": str(browser)})
    assert result.returncode == 0
    assert pipe.read_text() == f"{page}\n"


def test_several_runs(run, tmp_path):
    """What is in two of them counts once."""
    other = record(tmp_path, "processes.py")
    one = view(run, "-o", "-", other)
    both = view(run, "-o", "-", run, other)
    twice = view(run, "-o", "-", other, other)
    assert "example.py" in both.stdout and "processes.py" in both.stdout
    assert one.stdout.count('{"pid":') == twice.stdout.count('{"pid":')
    assert both.stdout.count('{"pid":') == one.stdout.count('{"pid":') + 1


REFUSED = {
    ("nowhere",): (1, "cannot read 'nowhere': No such file or directory"),
    ("--serve", "-o", "x"): (2, "--serve writes no file: leave out --output"),
    ("--port", "80"): (2, "--port goes with --serve"),
    ("--serve", "--port", "70000"): (2, "no port has so large a number"),
    ("-o", "/dev/full"): (1, "cannot write '/dev/full': No space left on device"),
    ("-o", "no/such/folder/x.html"): (1, "*No such file or directory*"),
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_refused(run, options):
    import fnmatch

    status, line = REFUSED[options]
    extra = [] if options == ("nowhere",) else [run]
    result = view(run, *options, *extra)
    assert result.returncode == status
    assert fnmatch.fnmatch(result.stderr, f"kymo: *{line}*\n") and result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_port_in_use(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = view(run, "--serve", "--no-open", "--port", str(port), run)
    assert result.returncode == 1
    assert result.stderr == (
        f"kymo: cannot serve on port {port} of 127.0.0.1: Address already in use\n"
    )

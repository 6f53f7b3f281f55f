"""The notes view: settings, environment, modules, recordings; secrets are nowhere in the page."""

import json
import re

import pages
import pytest
import support

SECRETS = {
    "GITHUB_TOKEN": "hunter2token",
    "MY_API_KEY": "hunter2key",
    "DB_PASSWORD": "hunter2pass",
    "DATABASE": "postgres://me:hunter2url@db.example/x",
    "PROXY": "http://me:hunter2,proxy@proxy:3128/",
    "HEADERS": "Authorization: Bearer hunter2bearer",
    "OPTIONS": '{"password": "hunter2json", "port": 1}',
}
PLAIN = {"PLAIN_ONE": "see me", "OMP_NUM_THREADS": "3", "REGISTRY": "https://example.org:8080/a"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    program = folder / "work.py"
    program.write_text("def work():\n    return 1\nwork()\n", encoding="utf-8")
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["-T", "--", program, "--password", "hunter2word", "--api-key=hunter2argument", "plain"],
        cwd=folder,
        env={
            "KYMO_PRECISION": "7",
            "KYMO_TIMEMORY_COMPONENTS": "wall_clock,trip_count,peak_rss",
            **SECRETS,
            **PLAIN,
        },
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def page_path(run, tmp_path_factory):
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


def rows(page, section):
    return [
        [cell.strip() for cell in each.locator("th, td").all_text_contents()]
        for each in page.locator(f"[data-section={section}] tbody tr").all()
    ]


def test_secrets(page_path):
    """No secret is in the bytes of the file, whatever shows it."""
    text = page_path.read_text(encoding="utf-8")
    assert "hunter2" not in text
    notes = json.loads(re.search(r'id="kymo-notes">(.*?)</script>', text, re.S)[1])
    environment = dict(notes["environment"])
    assert all("***" in environment[name] for name in SECRETS)
    assert environment["DATABASE"] == "postgres://me:***@db.example/x"
    assert all(environment[name] == value for name, value in PLAIN.items())
    command = dict(notes["info"])["command"]
    assert command.endswith("work.py --password *** --api-key=*** plain")


def test_sections(open_tab, page_path, run):
    tab = open_tab(page_path)
    page = tab.go("#notes")
    assert ["PLAIN_ONE", "see me"] in rows(page, "environment")
    settings = {row[0]: row for row in rows(page, "settings")}
    assert settings["PRECISION"][1:3] == ["7", "chosen; default: -1"]
    assert settings["MAX_DEPTH"][1:3] == ["65535", "default"]
    ((path, size, holds, state, *_),) = rows(page, "recordings")
    (recording,) = support.find_recordings(run)
    assert path == str(recording)
    assert size.endswith("kB") or size.endswith("MB")
    assert "trace" in holds and "call paths" in holds
    assert state == "closed"
    ((_pid, clock, _tick, readings, call, *_),) = rows(page, "clocks")
    assert clock and int(readings) >= 1 and call.endswith((" ns", " us"))
    assert dict(row[:2] for row in rows(page, "run"))["hostname"]
    assert "peak_rss" in [row[0] for row in rows(page, "metrics")]
    assert tab.serious_faults() == []


def test_filter(open_tab, page_path):
    tab = open_tab(page_path)
    page = tab.go("#notes")
    page.keyboard.press("/")
    page.keyboard.type("plain_one")
    assert page.locator(".notes-part").count() == 1
    assert rows(page, "environment") == [["PLAIN_ONE", "see me"]]
    assert tab.link == "#notes?filter=plain_one"
    page.keyboard.press("Escape")
    assert page.locator(".notes-part").count() > 4
    tab.go("#notes?filter=%2F%5EOMP_%2F")
    assert rows(page, "environment") == [["OMP_NUM_THREADS", "3"]]
    assert page.locator(".notes-filter").input_value() == "/^OMP_/"
    tab.go("#notes?filter=%2F(%2F")
    assert page.locator(".notes-part").count() > 4, "a wrong expression leaves nothing out"


def test_copy(open_tab, page_path):
    """What is shown leaves by the clipboard, or as a text to be copied."""
    tab = open_tab(page_path, permissions=["clipboard-read", "clipboard-write"])
    page = tab.go("#notes?filter=plain_one")
    page.evaluate(
        "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"
    )
    page.click("text=Copy what is shown")
    copied = page.evaluate("() => window.copied")
    assert copied == "Environment\nVariable\tValue\nPLAIN_ONE\tsee me\n"


def test_modules_and_warnings(open_tab, tmp_path):
    """Modules of native code with their build ids; what was lost comes first."""
    program = tmp_path / "m.py"
    program.write_text("import os\nos.kill(os.getpid(), 9)\n", encoding="utf-8")
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    support.run(
        [support.KYMO, "sample", "-q", "--", support.interpreters()[-1].executable, program],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, environment),
    )
    tab = open_tab(pages.write_page(tmp_path / "out", tmp_path))
    page = tab.go("#notes")
    modules = rows(page, "modules")
    assert any(
        re.search(r"libc[.-]", path) and re.fullmatch("[0-9a-f]{16,}", build_id)
        for path, build_id in modules
    )
    ((_path, _size, holds, state, *_),) = rows(page, "recordings")
    assert state == "not closed" and "samples" in holds

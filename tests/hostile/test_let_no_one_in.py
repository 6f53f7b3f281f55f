"""What other users of the machine get from a run, and what they can do with one of theirs.

docs/security.md has the promises."""

import os
import subprocess
import sys
import time

import pytest
import support
from other_user import NOBODY, give, only_root, reachable, run_as_nobody

# Each is a way to hand over a password; what is after the last letter is in no recording.
SECRET = "Zq7hunter2"
ARGUMENTS = [
    f"--token={SECRET}a",
    "--password",
    f"{SECRET}b",
    f"-p{SECRET}c",
    "-u",
    f"bob:{SECRET}d",
    f"https://bob:{SECRET}e@example.org/x?api_key={SECRET}f",
]
ENVIRONMENT = {
    "DATABASE_URL": f"postgres://bob:{SECRET}g@db/x",
    "API_TOKEN": f"{SECRET}h",
    "ODBC": f"Driver=x;UID=sa;PWD={SECRET}i",
}
SCRIPT = """
import sys, time
def work():
    return sum(range(200000))
work()
"""


def modes(folder):
    """{mode of folders}, {mode of files} of all below folder."""
    folders, files = set(), set()
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            (folders if path.is_dir() else files).add(oct(path.stat().st_mode & 0o7777))
    return folders, files


def holders(folder):
    """Files with a byte of the secret in their content or name."""
    return [
        str(path)
        for path in folder.rglob("*")
        if SECRET in str(path) or (path.is_file() and SECRET.encode() in path.read_bytes())
    ]


def record(tmp_path, command, env=None, program=("/bin/echo", "text")):
    result = support.run(
        [support.KYMO, *command, "--", *program],
        cwd=tmp_path,
        env={"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF", **(env or {})},
    )
    assert result.returncode == 0, result.stderr
    return tmp_path / "out"


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_modes(tmp_path):
    run = record(tmp_path, ["run"], {"KYMO_TRACE": "ON"})
    assert support.run_kymo(["view", "--no-open", run], cwd=tmp_path).returncode == 0
    for words in (["merge", "-o", "merged", run], ["export", "--format", "pstats", "-o", "f", run]):
        result = support.run_kymo(words, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    assert modes(run) == ({"0o700"}, {"0o600"})
    assert modes(tmp_path / "merged") == ({"0o700"}, {"0o600"})
    assert oct((tmp_path / "f").stat().st_mode & 0o7777) == "0o600"


@pytest.mark.usefixtures("no_umask")
@pytest.mark.parametrize(
    "access, folder, file", [("group", "0o750", "0o640"), ("all", "0o755", "0o644")]
)
def test_shared_on_purpose(tmp_path, access, folder, file):
    run = record(tmp_path, ["run"], {"KYMO_OUTPUT_ACCESS": access})
    assert modes(run) == ({folder}, {file})


@pytest.mark.parametrize("command", [["run"], ["sample"], ["instrument"]])
def test_no_secret_is_written(tmp_path, command):
    run = record(tmp_path, command, ENVIRONMENT, ("/bin/echo", *ARGUMENTS))
    for words in (
        ["merge", "-o", "merged", run],
        ["export", "--format", "perfetto", "-o", "trace", run],
        ["view", "--no-open", run],
    ):
        support.run_kymo(words, cwd=tmp_path, env=ENVIRONMENT)
    assert (tmp_path / "merged").is_dir() and (run / "page.html").is_file()
    assert holders(tmp_path) == []


def test_no_secret_of_python(python, tmp_path):
    script = tmp_path / "s.py"
    script.write_text(SCRIPT)
    result = support.run_kymo_python(python, ["s.py", *ARGUMENTS], cwd=tmp_path, env=ENVIRONMENT)
    assert result.returncode == 0, result.stderr
    assert support.find_recordings(tmp_path / "out")
    assert holders(tmp_path) == []


def test_no_secret_of_an_attached_process(tmp_path):
    code = "import time\nprint(1, flush=True)\nwhile True: time.sleep(0.001)"
    with subprocess.Popen(
        [sys.executable, "-c", code, *ARGUMENTS],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, ENVIRONMENT),
    ) as target:
        try:
            target.stdout.readline()
            result = support.run_kymo(
                ["attach", "-d", "0.3", "-o", tmp_path / "out", str(target.pid)], cwd=tmp_path
            )
        finally:
            target.kill()
    assert result.returncode == 0, result.stderr
    assert support.find_recordings(tmp_path)
    assert holders(tmp_path) == []


def commands(run):
    return [
        ["report", run],
        ["view", "--no-open", "-o", "page", run],
        ["export", "--format", "speedscope", "-o", "x.json", run],
        ["extract", "--region", "echo", "-o", "part", run],
        ["merge", "-o", "merged", run],
        ["diff", run, run],
        ["ctl", run, "status"],
    ]


@only_root
def test_run_of_another_user(tmp_path):
    run = record(tmp_path, ["run"])
    give(run)
    for words in commands(run):
        refused = support.run_kymo(words, cwd=tmp_path)
        assert refused.returncode != 0, words
        assert refused.stderr.count("belongs to another user") == 1, refused.stderr
        assert "--force" in refused.stderr
        forced = support.run_kymo([words[0], "--force", *words[1:]], cwd=tmp_path)
        assert forced.returncode == 0, forced.stderr
        assert "belongs to" not in forced.stderr


@only_root
def test_newest_run_is_ones_own(tmp_path):
    ours = record(tmp_path, ["run"])
    theirs = record(tmp_path, ["run"], {"KYMO_OUTPUT_PATH": tmp_path / "theirs"})
    theirs = tmp_path / "theirs"
    future = time.time() + 1000
    for path in theirs.iterdir():
        os.utime(path, (future, future))
    give(theirs)
    result = support.run_kymo(["view", "--no-open"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (ours / "page.html").exists() and not (theirs / "page.html").exists()
    give(ours)
    result = support.run_kymo(["report"], cwd=tmp_path)
    assert result.returncode == 2
    assert "no run of yours" in result.stderr


@only_root
def test_import_of_another_user(tmp_path):
    stacks = tmp_path / "stacks"
    stacks.write_text("main;f 3\n")
    give(stacks)
    refused = support.run_kymo(["import", "-o", "run", stacks], cwd=tmp_path)
    assert refused.returncode == 1
    assert "belongs to another user" in refused.stderr
    forced = support.run_kymo(["import", "--force", "-o", "run", stacks], cwd=tmp_path)
    assert forced.returncode == 0, forced.stderr


def sampled_source(tmp_path):
    """A run with the source of its own script, which is for its user alone."""
    python = support.interpreters()[-1]
    script = tmp_path / "settings.py"
    script.write_text(SCRIPT + f"# {SECRET}\n")
    script.chmod(0o600)
    past = time.time() - 1000
    os.utime(script, (past, past))
    result = support.run_kymo_python(python, ["settings.py"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return tmp_path / "out", script


def page_states(tmp_path, run, *options):
    """The states of the script on a page: "here", "withheld", …"""
    page = tmp_path / "page.html"
    result = support.run_kymo(["view", "--no-open", "-o", page, *options, run], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    text = page.read_text(errors="replace")
    return {state for state in ("here", "withheld", "private") if f'"state":"{state}"' in text} | {
        state for state in ("here", "withheld", "private") if f'"state": "{state}"' in text
    }


def test_sources_of_a_run_that_others_can_write(tmp_path):
    run, script = sampled_source(tmp_path)
    assert page_states(tmp_path, run) == {"here"}
    run.chmod(0o777)
    assert page_states(tmp_path, run) == {"withheld"}
    assert page_states(tmp_path, run, "--sources") == {"private"}
    script.chmod(0o644)
    assert page_states(tmp_path, run, "--sources") == {"here"}
    run.chmod(0o700)
    recording = support.find_recordings(run)[0]
    recording.chmod(0o666)
    assert page_states(tmp_path, run) == {"withheld"}


def test_page_through_a_link(tmp_path):
    run = record(tmp_path, ["run"])
    startup = tmp_path / "bashrc"
    startup.write_text("precious\n")
    (run / "page.html").symlink_to(startup)
    result = support.run_kymo(["view", "--no-open", run], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert startup.read_text() == "precious\n"
    assert not (run / "page.html").is_symlink()


def test_stop_through_a_link(tmp_path):
    """`kymo ctl RUN stop` leaves a file in the run."""
    victim = tmp_path / "victim"
    with subprocess.Popen(
        [support.KYMO, "run", "--", "/bin/sh", "-c", "echo begun; read line"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env=support.clean_environment(
            tmp_path, {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
        ),
    ) as program:
        program.stdout.readline()
        (tmp_path / "out" / "stopped").symlink_to(victim)
        result = support.run_kymo(["ctl", tmp_path / "out", "stop"], cwd=tmp_path)
        program.communicate(b"\n", timeout=support.TIMEOUT_S)
    assert result.returncode == 1, result.stderr
    assert not victim.exists()


@only_root
@pytest.mark.parametrize("way", ["folder", "link"])
def test_folder_that_another_put_there(tmp_path, way):
    """The name of an output folder can be guessed, and anybody may write to /tmp."""
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o1777)
    planted = place / "kymo-echo-output"
    if way == "folder":
        planted.mkdir()
        give(planted)
    else:
        (tmp_path / "victim").mkdir()
        planted.symlink_to(tmp_path / "victim")
        os.lchown(planted, NOBODY, NOBODY)
    result = support.run([support.KYMO, "run", "--", "/bin/echo", "text"], cwd=place)
    assert "another user" in result.stderr or "Permission denied" in result.stderr
    assert not list(tmp_path.rglob("*.kymo"))


@only_root
def test_output_in_a_folder_of_another(tmp_path):
    run = record(tmp_path, ["run"])
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    give(theirs)
    words = ["export", "--format", "speedscope", "-o", theirs / "x.json", run]
    result = support.run_kymo(words, cwd=tmp_path)
    assert result.returncode == 1
    assert "belongs to another user" in result.stderr
    assert not list(theirs.iterdir())
    result = support.run_kymo([words[0], "--force", *words[1:]], cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@only_root
def test_nobody_reads_a_run_of_root(tmp_path):
    """The other side of it: what is written cannot be read."""
    run = record(reachable(tmp_path), ["run"])
    assert run_as_nobody(["ls", run], cwd="/").returncode != 0
    recording = support.find_recordings(run)[0]
    run.chmod(0o711)
    assert run_as_nobody(["cat", recording], cwd="/").returncode != 0

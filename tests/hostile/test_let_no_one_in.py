"""What other users of the machine get from a run, and what they can do with one of theirs.

docs/security.md has the promises."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

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


# ---- who may read ---------------------------------------------------------------------------


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


# ---- secrets --------------------------------------------------------------------------------


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


# ---- runs of others -------------------------------------------------------------------------


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


# ---- places ---------------------------------------------------------------------------------


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


# ---- the current folder -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["kymo.py", "kymo/__init__.py"])
def test_kymo_in_the_current_folder(python, tmp_path, name):
    planted = tmp_path / name
    planted.parent.mkdir(exist_ok=True)
    planted.write_text("raise SystemExit('planted')\n")
    if name != "kymo.py":
        (tmp_path / "kymo" / "__main__.py").write_text("raise SystemExit('planted')\n")
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "s.py").write_text(
        "import sys\nprint(sys.argv, sys.path, getattr(sys, 'orig_argv', 0))\n"
    )
    env = {"KYMO_OUTPUT_PATH": tmp_path / "out"}
    command = support.BUILD / "bin" / f"kymo-python-{python.version}"
    result = support.run([command, "p/s.py", "x"], cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr
    bare = support.run_bare_python(
        python, ["p/s.py", "x"], cwd=tmp_path, env={"PYTHONPATH": support.PACKAGE_DIR}
    )
    assert result.stdout.replace("//", "/") == bare.stdout


# ---- programs that are only looked at ----------------------------------------------------------

MARKER = """
#include <fcntl.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void)
{
	open(getenv("MARKER"), O_CREAT | O_WRONLY, 0600);
}
unsigned la_version(unsigned version) { return version; }
"""
FAR = """
int far_away(int count)
{
	int sum = count;
	for (int i = 0; i < count; i++)
		sum = sum * 3 + i;
	return sum;
}
"""


def compile_c(folder, name, text, *options):
    source = folder / f"{Path(name).name}.c"
    source.write_text(text)
    command = ["cc", "-O1", "-o", folder / name, source, *options]
    subprocess.run([str(word) for word in command], check=True, timeout=support.TIMEOUT_S)
    return folder / name


def loader_name():
    """The base name of the loader that programs of this machine name."""
    found = re.search(rb"/lib[^\0]*/(ld-linux[^\0/]+)\0", Path(sys.executable).read_bytes())
    return found.group(1).decode()


@pytest.mark.parametrize("way", ["loader", "auditor", "library"])
def test_looking_runs_nothing(tmp_path, way):
    """Neither what is named as the loader, nor what the system's loader would run."""
    text = "int far_away(int); int main(void) { return far_away(1); }"
    library = compile_c(tmp_path, "libfar.so", FAR, "-shared", "-fPIC")
    options = [library, "-Wl,-rpath,$ORIGIN"]
    if way == "loader":
        main = MARKER + "int main(void) { return 0; }"
        loader = compile_c(tmp_path, loader_name(), main, "-static")
        options.append(f"-Wl,--dynamic-linker={loader}")
    elif way == "auditor":
        auditor = compile_c(tmp_path, "auditor.so", MARKER, "-shared", "-fPIC")
        options.append(f"-Wl,--audit={auditor}")
    else:
        marking = compile_c(tmp_path, "libmark.so", MARKER, "-shared", "-fPIC")
        options += ["-Wl,--no-as-needed", marking]
    program = compile_c(tmp_path, "program", text, *options)
    marker = tmp_path / "marker"
    words = ["instrument", "--simulate", "--print-instrumented", "functions", "-MI", "libfar"]
    result = support.run_kymo([*words, "--", program], cwd=tmp_path, env={"MARKER": marker})
    assert not marker.exists()
    assert result.returncode == 0, result.stderr
    assert "far_away" in result.stdout.split()


def test_libraries_as_the_loader_finds_them(tmp_path):
    """Of programs of this machine, which may be run."""
    folder = tmp_path / "lib"
    folder.mkdir()
    compile_c(tmp_path, "lib/libfar.so", FAR, "-shared", "-fPIC")
    main = "int far_away(int); int main(void) { return far_away(1); }"
    program = compile_c(
        tmp_path, "program", main, f"-L{folder}", "-lfar", "-lm", "-Wl,-rpath,$ORIGIN/lib"
    )
    for each in (program, Path(sys.executable).resolve(), support.KYMO):
        listing = subprocess.run(["ldd", str(each)], capture_output=True, text=True, check=True)
        expected = {os.path.realpath(path) for path in re.findall(r"(/\S+) \(", listing.stdout)}
        words = ["instrument", "--simulate", "--print-available", "modules", "-MI", "."]
        result = support.run_kymo([*words, "--", each], cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        found = {os.path.realpath(path) for path in re.findall(r"/\S+", result.stdout)}
        assert found - {os.path.realpath(each)} <= expected
        for name in ("libfar.so", "libm.so.6"):
            assert any(path.endswith(name) for path in found) == any(
                path.endswith(name) for path in expected
            ), (each, name)


# ---- imports ------------------------------------------------------------------------------------


def test_import_writes_into_its_run_only(tmp_path):
    """Whatever names there are in it, and whatever name it has."""
    outside = "../../../escaped"
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": outside}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": outside}},
        {"ph": "X", "name": outside, "cat": outside, "pid": 1, "tid": 1, "ts": 1, "dur": 5},
    ]
    here = tmp_path / "a" / "b" / "c"
    here.mkdir(parents=True)
    trace = here / "..%2f..%2f.kymo.json"
    trace.write_text(json.dumps(events))
    before = set(tmp_path.rglob("*"))
    result = support.run_kymo(["import", "-o", "run", trace], cwd=here)
    assert result.returncode == 0, result.stderr
    result = support.run_kymo(["view", "--no-open", "run"], cwd=here)
    assert result.returncode == 0, result.stderr
    for path in set(tmp_path.rglob("*")) - before:
        assert path == here / "run" or here / "run" in path.parents, path

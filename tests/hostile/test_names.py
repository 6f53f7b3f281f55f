"""Names that a terminal would obey, in every string of a recording and every word of a user:
no command lets one of them out."""

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import kinds_of_runs
import pytest
import support

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "e2e" / "reports"))

import kymo_decoder  # noqa: E402
import kymo_layout  # noqa: E402
import test_every_report  # noqa: E402

# Of one, two and three bytes: in the place of letters, a string stays as long as it is.
HARM = [b"\x1b", b"\xe2\x80\xae", b"\xc2\x9b", b"\x9b", b"\x07", b"\xe2\x80\xa8", b"\n", b"\x7f"]
EVIL = "e\x1b]0;x\x07\x1b[2J\n\r\t\x7f\u009b31m\u202e\u2066\u200f\u061c\u2028z"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
KINDS = (
    "calls and samples",
    "native threads",
    "merged",
    "repeats",
    "imported trace",
)
FORMS = ("text", "csv", "json")
TEXT_EXPORTS = ("collapsed", "callgrind", "dot")
JSON_EXPORTS = ("chrome", "speedscope")


def check(output, what):
    """Valid UTF-8, in which nothing is obeyed."""
    text = re.sub("^\t| \t|(?<=;)\t", "", output.decode(), flags=re.MULTILINE)  # of dot files
    found = CONTROLS.search(text)
    assert not found, f"{what}: {text[max(0, found.start() - 60) : found.end() + 60]!r}"
    return text


def kymo(*arguments, cwd, env=None, **options):
    """Run a command; what it says on both streams is checked."""
    done = support.run_kymo(arguments, cwd=cwd, env=env, text=False, **options)
    check(done.stderr, [*arguments, "stderr"])
    check(done.stdout, [*arguments, "stdout"])
    assert done.returncode in (0, 1, 2), (arguments, done.returncode, done.stderr)
    return done


def harm(text, number):
    """The text with something harmful in its last word, as long as before."""
    words = list(re.finditer(rb"[A-Za-z]{3,}", text))
    if not words:
        return text
    at = words[-1].start()
    what = HARM[number % len(HARM)]
    return text[:at] + what + text[at + len(what) :]


def harm_strings(data, recording):
    count = 0
    for chunk in recording.chunks[kymo_layout.STRINGS]:
        at, end = chunk.payload, chunk.payload + chunk.readable
        while at + 5 <= end:
            (length,) = struct.unpack_from("<I", data, at)
            if length == 0 or at + 5 + length > end:
                break
            data[at + 4 : at + 4 + length] = harm(bytes(data[at + 4 : at + 4 + length]), count)
            count += 1
            at += (4 + length + 1 + 7) // 8 * 8
    return count


def harm_notes(data, recording):
    for chunk in recording.chunks[kymo_layout.NOTES]:
        at, number = chunk.payload, 0
        while at < chunk.payload + chunk.readable:
            note = kymo_layout.Record("note", data, at)
            if note.size < 18 or note.size % 8:
                break
            begin = at + 16 + note.key_length + 1
            end = data.index(0, begin)
            data[begin:end] = harm(bytes(data[begin:end]), number)
            number += 1
            at += note.size


def harm_recordings(run):
    paths = support.find_recordings(run) if run.is_dir() else [run]
    assert paths
    for path in paths:
        data = bytearray(path.read_bytes())
        recording = kymo_decoder.Recording(bytes(data))
        assert harm_strings(data, recording) > 0
        harm_notes(data, recording)
        path.write_bytes(data)


@pytest.fixture(scope="module", params=KINDS)
def run(request, tmp_path_factory):
    made = kinds_of_runs.make(request.param, tmp_path_factory.mktemp("run"))
    harm_recordings(made)
    return made


def names_of(run, cwd):
    """Names of its regions as JSON has them."""
    done = kymo("report", "--flat", "--format", "json", run, cwd=cwd)
    return [region["name"] for region in json.loads(done.stdout)["regions"]]


def test_reports(run, tmp_path):
    """Every view, in every form."""
    names = names_of(run, tmp_path)
    assert any(CONTROLS.search(name) or "\n" in name for name in names)
    for view in test_every_report.VIEWS.values():
        words = [word.format(region=names[0]) for word in view]
        for form in FORMS:
            done = kymo("report", *words, "--format", form, run, cwd=tmp_path)
            if done.returncode == 0 and form == "json":
                json.loads(done.stdout)


def shown(name):
    """As tables have it."""
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    for sign in set(CONTROLS.findall(name)) - set(escapes):
        escapes[sign] = ("\\x%02x" if sign < "\x80" else "\\u%04x") % ord(sign)
    return "".join(escapes.get(sign, sign) for sign in name)


def test_what_is_shown_can_be_asked_for(run, tmp_path):
    name = next(each for each in names_of(run, tmp_path) if CONTROLS.search(each))
    raw = kymo("report", "--callers", name, run, cwd=tmp_path)
    typed = kymo("report", "--callers", shown(name), run, cwd=tmp_path)
    assert shown(name) != name
    assert (typed.returncode, typed.stdout) == (raw.returncode, raw.stdout)


def test_exports(run, tmp_path):
    for form in (*TEXT_EXPORTS, *JSON_EXPORTS):
        done = kymo("export", "--format", form, "-o", "-", run, cwd=tmp_path)
        if done.returncode == 0 and form in JSON_EXPORTS:
            names = {name for name in names_of(run, tmp_path) if CONTROLS.search(name)}
            text = json.dumps(json.loads(done.stdout), ensure_ascii=False)
            assert any(json.dumps(name, ensure_ascii=False)[1:-1] in text for name in names)


def test_other_commands(run, tmp_path):
    """What is made of the run, and what is said of it."""
    kymo("finish", run, cwd=tmp_path)
    kymo("diff", run, run, cwd=tmp_path)
    kymo("diff", "--format", "markdown", run, run, cwd=tmp_path)
    kymo("diff", "--format", "csv", run, run, cwd=tmp_path)
    kymo("ctl", run, "status", cwd=tmp_path)
    kymo("ctl", "--json", run, "status", cwd=tmp_path)
    kymo("view", run, "-o", tmp_path / "page.html", cwd=tmp_path)
    kymo("merge", "-o", tmp_path / "merged", run, run, cwd=tmp_path)
    name = names_of(run, tmp_path)[0]
    kymo("extract", "--region", name, "-o", tmp_path / "part", run, cwd=tmp_path)


TARGET = """
import os, select, sys, threading
EVIL = {evil!r}

def named(source, name):
    space = {{}}
    exec(compile(source, EVIL + ".py", "exec"), space)
    function = space["f"]
    names = {{"co_name": name}}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = name
    function.__code__ = function.__code__.replace(**names)
    return function

wait = named("def f(select, number):\\n    select([number], [], [])\\n", EVIL)
spin = named("def f(select, number):\\n    while not select([number], [], [], 0)[0]:\\n"
             "        sum(range(1000))\\n", "s" + EVIL)
ends, begins = os.pipe()
thread = threading.Thread(target=wait, args=(select.select, ends), name=EVIL)
thread.start()
try:
    open("/proc/self/comm", "w").write("a\\x1b[2J\\x9b")
except OSError:
    pass
os.write(1, b"x")
spin(select.select, 0)
os.write(begins, b"x")
thread.join()
"""


@pytest.fixture
def target(tmp_path):
    """A program that runs, all of whose names are hostile."""
    program = tmp_path / f"p{EVIL}.py"
    program.write_text(TARGET.format(evil=EVIL), encoding="utf-8")
    process = subprocess.Popen(
        [support.interpreters()[-1].executable, str(program), EVIL],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.read(1) == b"x"
    yield process
    process.communicate(timeout=support.TIMEOUT_S)


def test_attach_and_top(target, tmp_path):
    pid = str(target.pid)
    dumped = kymo("attach", "--dump", pid, cwd=tmp_path)
    assert dumped.returncode == 0 and b"\\x1b[2J" in dumped.stdout, dumped.stderr
    done = kymo("attach", "--dump", "--format", "json", pid, cwd=tmp_path)
    assert "\\u001b[2J" in done.stdout.decode() and json.loads(done.stdout)
    done = kymo("top", "-c", "1", "-d", "0.2", "-i", pid, cwd=tmp_path)
    assert done.returncode == 0 and b"\\x1b[2J" in done.stdout, done.stderr
    folder = tmp_path / EVIL
    kymo("attach", "-v", "-d", "0.2", "-o", folder, pid, cwd=tmp_path)
    kymo("report", "--threads", folder, cwd=tmp_path)


def test_run_and_sample(tmp_path):
    """The summary of a program whose names are hostile, in a folder of such a name."""
    program = tmp_path / f"p{EVIL}.py"
    program.write_text(TARGET.format(evil=EVIL).replace("\nspin(", "\n0 and spin("))
    python = support.interpreters()[-1].executable
    for command in (["run", "-P"], ["sample"], ["run", "-P", "-v", "1"]):
        done = support.run_kymo(
            [*command, "-o", tmp_path / EVIL, "--", python, program, EVIL],
            cwd=tmp_path,
            text=False,
        )
        assert done.returncode == 0, done.stderr
        check(done.stderr, command)


BYTES = EVIL.encode() + b"\x9b\xff"
MISUSES = {
    "run": [["--", BYTES], ["--" + EVIL], ["-o", BYTES, "--", "/nowhere" + EVIL]],
    "sample": [["--", BYTES], ["-f", EVIL, "--", "true"]],
    "instrument": [["--", BYTES], ["--simulate", "--", BYTES], ["-I", "(" + EVIL, "--", "true"]],
    "attach": [[BYTES], ["--rate", EVIL, "1"]],
    "top": [[BYTES], ["--" + EVIL]],
    "report": [[BYTES], ["--" + EVIL], ["--sort", BYTES], ["--filter", "(" + EVIL]],
    "view": [[BYTES]],
    "diff": [[BYTES, BYTES], ["--fail-if", EVIL, "a", "b"]],
    "extract": [[BYTES], ["--region", EVIL, "-o", BYTES, BYTES]],
    "export": [["--format", BYTES], ["--format", "chrome", BYTES]],
    "merge": [["-o", BYTES, BYTES], [b"@" + BYTES]],
    "import": [[BYTES], ["--format", BYTES, BYTES]],
    "ctl": [[BYTES, "status"], ["run", BYTES]],
    "avail": [["--" + EVIL], ["-r", "(" + EVIL], ["-c", BYTES]],
    "help": [[BYTES]],
    "version": [[BYTES]],
    "finish": [[BYTES]],
}


def test_every_command_is_tried():
    """A command that is new in the help has to be new here."""
    done = support.run_kymo(["help"], cwd="/")
    listed = re.findall(r"^  (\w[\w-]*) ", done.stdout, re.MULTILINE)
    assert set(listed) - {"python"} == set(MISUSES) - {"finish"}


@pytest.mark.parametrize("command", MISUSES)
def test_errors(command, tmp_path):
    for words in MISUSES[command]:
        done = subprocess.run(
            [support.KYMO, command, *words],
            cwd=tmp_path,
            env=support.clean_environment(tmp_path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=support.TIMEOUT_S,
        )
        check(done.stderr, [command, *words])
        check(done.stdout, [command, *words])


def test_unknown_command(tmp_path):
    kymo(EVIL, cwd=tmp_path)


PYTHON_MISUSES = [
    ["--" + EVIL],
    ["-" + EVIL],
    ["--config", BYTES, "x.py"],
    ["--instrumenter=" + EVIL, "x.py"],
    ["--setup", BYTES, "x.py"],
    ["--function-include", "(" + EVIL, "--", "x.py"],
    ["-v", "3", "--", BYTES],
    ["-v", "3", "x.py", BYTES],
]


@pytest.mark.parametrize("words", PYTHON_MISUSES, ids=lambda words: words[0].split("\x1b")[0])
def test_errors_of_kymo_python(newest_python, tmp_path, words):
    """Lines of Kymo's own: what the interpreter says of a name is as without Kymo."""
    (tmp_path / "x.py").write_text("")
    done = subprocess.run(
        [support.BUILD / "bin" / "kymo-python", *words],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, {"KYMO_OUTPUT_PATH": EVIL + "out"}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=support.TIMEOUT_S,
    )
    own = [line for line in done.stderr.split(b"\n") if line.startswith(b"kymo: ")]
    assert own or done.returncode == 0, done.stderr
    for line in own:
        check(line, words)


def test_arguments_that_are_no_text(python, tmp_path):
    """They reach the program, whose folder and script may have such names, too."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    folder.mkdir()
    script = folder / "x\udc9b.py"
    script.write_text("import sys\ndef called(): return sys.argv[1:]\nprint(ascii(called()))\n")
    words = ["-o", folder / "out", script, "\udcff\udc9b\x1b"]
    done = support.run_kymo_python(python, words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "['\\udcff\\udc9b\\x1b']"
    assert support.region_calls(folder / "out")["called"] == 1


def test_kymo_python_writes_names_as_the_commands_do(newest_python, tmp_path):
    source = f"from kymo._errors import plain; print(ascii(plain({EVIL!r} + chr(0xdcff) + 'é漢')))"
    done = subprocess.run(
        [newest_python.executable, "-c", source],
        env=support.clean_environment(tmp_path, {"PYTHONPATH": str(support.BUILD / "python")}),
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == ascii(shown(EVIL) + "\\xffé漢")


def test_files_of_users(tmp_path):
    """Contents of files that cannot be read, and values of settings."""
    broken = {
        "a.json": '{"traceEvents": [{"ph": "' + EVIL + '"}]',
        "b.json": json.dumps({"traceEvents": [{"ph": EVIL, "name": EVIL}]}),
        "c.txt": EVIL + ";a -1\n",
        "d.callgrind": "# callgrind format\nevents: " + EVIL + "\nfl=" + EVIL + "\n" + EVIL,
        EVIL + ".txt": "a;b 1\n",
    }
    for name, text in broken.items():
        path = tmp_path / name
        path.write_bytes(text.encode() + b"\x9b")
        kymo("import", "-o", tmp_path / f"of{name}", path, cwd=tmp_path)
    settings = {"KYMO_COMPONENTS": EVIL, "KYMO_OUTPUT_PATH": EVIL, "KYMO_" + "X": EVIL}
    (tmp_path / "settings.cfg").write_text(f"KYMO_VERBOSE = {EVIL}\n{EVIL} = 1\n")
    kymo("avail", cwd=tmp_path, env=settings)
    kymo("avail", "--csv", cwd=tmp_path, env=settings)
    kymo("avail", "--markdown", cwd=tmp_path, env=settings)
    kymo("run", "-c", "settings.cfg", "--", "true", cwd=tmp_path, env=settings)
    kymo("run", "-c", "settings.cfg", "-v", "3", "--", "true", cwd=tmp_path, env=settings)

"""Programs that give up rights and system calls: they run as without Kymo, and what was recorded
until then has its outputs, which somebody outside of the limits writes."""

import functools
import shutil
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import hostile_support as hostile
import native_support as native
import pytest
import support
from native_support import public_place  # noqa: F401

PROGRAM = "confined.c"
RESETS = "sampled_resets.c"

MODES = {
    "run": ["run"],
    "trace": ["run", "--trace"],
    "clock": ["run", "--trace"],
    "helper": ["run", "--process-sampling"],
    "sample": ["sample", "-f", "2000"],
    "marked": ["instrument"],
    "coarse": ["run", "--functions=coarse"],
    "timed": ["run", "--functions=full"],
}

SETTINGS = {"clock": {"KYMO_CLOCK": "monotonic"}}

# What a program gives up; all of it after the last right that it needs for the next.
RIGHTS = ["fsize", "nofile", "nproc", "chroot", "drop"]

# Each in a child, as servers do it, and in the process that the outputs are asked of.
COMBINATIONS = [
    ["fsize", "return"],
    ["fsize", "nofile"],
    [*RIGHTS, "return"],
    [*RIGHTS, "kill", "prctl"],
    [*RIGHTS, "kill", "seccomp", "return"],
    [*RIGHTS, "trap", "seccomp", "return"],
    ["kill", "prctl", "return"],
    ["errno", "seccomp"],
    ["threads", "kill", "tsync", "return"],
    ["threads", "fsize", "errno", "tsync"],
    ["strict", "exit-thread"],
    ["kill", "may-fork", "seccomp", "fork"],
    ["kill", "may-fork", "prctl", "fork-plainly", "return"],
]


def cases():
    """Each combination in both places; the second of them, in turns, is long."""
    for number, steps in enumerate(COMBINATIONS):
        for i, place in enumerate(("child", "itself")):
            marks = [] if i == number % 2 else pytest.mark.long
            yield pytest.param(steps, place, id=f"{' '.join(steps)}-{place}", marks=marks)


def start(mode, program, cwd, settings=None):
    """Outputs and stdout are where the program has no say."""
    cwd.mkdir(parents=True, exist_ok=True)
    own = {"KYMO_OUTPUT_PATH": cwd / "out", "KYMO_TIME_OUTPUT": "OFF"}
    env = support.clean_environment(cwd, {**own, **(settings or {})})
    line = [support.KYMO, *mode, "-q", "--", *program] if mode else list(program)
    return subprocess.run(
        [str(part) for part in line],
        cwd=str(cwd),
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=support.TIMEOUT_S,
    )


def outputs(cwd):
    """Tables and exports."""
    found = [path for path in (cwd / "out").rglob("*") if path.suffix in (".txt", ".json")]
    return sorted(path.name for path in found)


@functools.lru_cache(maxsize=None)
def without_kymo(steps, cwd):
    return start([], [native.compile(PROGRAM), *steps], cwd / "bare")


def check(mode, steps, cwd, settings=None):
    bare = without_kymo(tuple(steps), native.folder())
    under = start(mode, [native.compile(PROGRAM), *steps], cwd, settings)
    seen = f"bare: {bare}\nunder Kymo: {under}"
    assert bare.stdout.startswith("begun\n"), seen
    assert "done\n" in bare.stdout, seen
    assert (under.returncode, under.stdout) == (bare.returncode, bare.stdout), seen
    assert under.stderr == bare.stderr, seen
    # Who writes them is no child of the program or of this one, may begin late, and ends.
    native.wait_until(lambda: outputs(cwd), f"no outputs: {seen}")
    native.wait_until(lambda: not native.is_awaited(cwd / "out"), f"somebody waits still: {seen}")


@pytest.mark.parametrize(("steps", "place"), cases())
def test_every_combination(steps, place, public_place):  # noqa: F811
    needs_root(steps)
    if place == "child":
        steps = ["child", *steps]
    for name, mode in MODES.items():
        check(mode, steps, public_place / name, SETTINGS.get(name))


def needs_root(steps):
    if not hostile.is_root_user() and {"chroot", "drop"} & set(steps):
        pytest.skip("changing root and user takes root")


def test_signals_set_back(tmp_path):
    """Timers of sampling do not end a child that takes back every action on a signal."""
    program = [native.compile(RESETS), "24"]
    both = native.Both(program, tmp_path, ["--sample", "-f", "5000"], status=5)
    assert both.bare.stdout == "0 of 24 are wrong\n"
    assert both.said == []


@pytest.mark.long
def test_browser(tmp_path):
    """A program of many processes, each of which starts others in this way."""
    native.has("chromium", "chromium")
    page = "data:text/html,<p>text</p>"
    line = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    line += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page]
    for turn in range(10):
        process = native.run(line, tmp_path / f"kymo-{turn}", ["--sample"])
        seen = f"{turn}: {process}"
        assert process.returncode == 0, seen
        assert "<p>text</p>" in process.stdout, seen
        assert "crashed" not in process.stderr, seen


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def keys(place):
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / name], check=True
        )


def configure(place):
    port = free_port()
    text = f"""Port {port}
ListenAddress 127.0.0.1
HostKey {place}/host
AuthorizedKeysFile {place}/user.pub
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
"""
    (place / "config").write_text(text)
    return port


@contextmanager
def private_folder(path):
    """That the server wants to be there, and nobody is to write to."""
    is_made = not path.exists()
    if is_made:
        path.mkdir(mode=0o755)
    try:
        yield
    finally:
        if is_made:
            shutil.rmtree(path, ignore_errors=True)


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def server(mode, place):
    port = configure(place)
    program = [shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-e", "-f", str(place / "config")]
    line = [str(support.KYMO), *mode, "-q", "--", *program] if mode else program
    env = support.clean_environment(place, {"KYMO_OUTPUT_PATH": place / "out"})
    with open(place / "said", "w") as said:
        process = subprocess.Popen(line, cwd=place, env=env, stdin=subprocess.DEVNULL, stderr=said)
    try:
        native.wait_until(
            lambda: process.poll() is not None or listens(port), "the server is not there"
        )
        yield port
    finally:
        process.terminate()
        process.wait(support.TIMEOUT_S)
        native.wait_until(lambda: not native.is_awaited(place / "out"), "somebody waits still")


def log_in(port, place):
    own = ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"]
    line = ["ssh", "-F", "none", "-p", str(port), "-i", str(place / "user"), "-o", "LogLevel=ERROR"]
    line += [word for option in own for word in ("-o", option)]
    return subprocess.run(
        [*line, "root@127.0.0.1", "echo $((6 * 7))"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=support.TIMEOUT_S,
    )


def log_in_often(mode, place):
    place.mkdir(mode=0o755)
    keys(place)
    with server(mode, place) as port:
        for _ in range(4):
            process = log_in(port, place)
            seen = f"{mode} {process}\n{(place / 'said').read_text()}"
            assert (process.returncode, process.stdout) == (0, "42\n"), seen


@pytest.mark.long
def test_server_of_shells(public_place):  # noqa: F811
    """Its children change root, drop their rights and install a filter before anybody is let in.
    One test: there is one folder for all servers of the machine."""
    if not hostile.is_root_user():
        pytest.skip("sshd divides its rights where it is started by root")
    with private_folder(Path("/run/sshd")):
        log_in_often([], public_place / "bare")
        for name in ("run", "sample", "marked"):
            log_in_often(MODES[name], public_place / name)

"""Debug information beside a program, of the system, damaged, changed, and on servers."""

import http.server
import random
import re
import subprocess
import threading
from pathlib import Path

import pytest
from located import (
    INLINED,
    LOCATE,
    addr2line,
    build,
    build_id,
    call,
    functions_of,
    instructions,
    locate,
)


@pytest.mark.parametrize("place", ["beside", ".debug"])
@pytest.mark.parametrize("has_id", [True, False], ids=["build-id", "checksum"])
def test_separate_debug_file(place, has_id, tmp_path):
    flag = "-Wl,--build-id" if has_id else "-Wl,--build-id=none"
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2", flag)
    addresses = instructions(program, "-j", ".text")
    options = [f"build-id={build_id(program)}"] if has_id else []
    whole, _ = locate(program, addresses, *options)
    folder = tmp_path if place == "beside" else tmp_path / place
    folder.mkdir(exist_ok=True)
    debug = folder / "program.debug"
    call("objcopy", "--only-keep-debug", program, debug)
    call("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program)
    found, problems = locate(program, addresses, *options)
    assert functions_of(found) == functions_of(whole)
    assert not problems
    # One of another build is none.
    other = build(tmp_path, "gcc", INLINED, "-g", "-O1", flag, name="other")
    call("objcopy", "--only-keep-debug", other, debug)
    found, _ = locate(program, addresses, *options)
    assert {place.line for places in found.values() for place in places} == {0}


def test_debug_file_of_the_system():
    """By build id below /usr/lib/debug, where packages put them: that of the C library."""
    program = Path(re.search(r"libc\.so\.6 => (\S+)", call("ldd", LOCATE)).group(1)).resolve()
    identity = build_id(program)
    debug = Path("/usr/lib/debug/.build-id") / identity[:2] / f"{identity[2:]}.debug"
    if not debug.exists():
        pytest.skip(f"no {debug}: libc6-dbg is not installed")
    listing = call("nm", "-D", "--defined-only", program)
    qsort = re.search(r"^0*([0-9a-f]+) T qsort@", listing, re.MULTILINE).group(1)
    found, _ = locate(program, [qsort], f"build-id={identity}")
    assert [place.function for place in found[qsort]][-1].endswith("qsort")
    assert found[qsort][-1].file.endswith(".c") and found[qsort][-1].line > 0
    assert addr2line(debug, [qsort])[qsort][-1].row == found[qsort][-1].row


def test_changed_and_missing_files_are_told_once(tmp_path):
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    addresses = instructions(program, "-j", ".text")
    found, problems = locate(program, addresses, "build-id=" + "0" * 40)
    assert problems == [f"functions have no names: '{program}' was changed since"]
    for address in addresses:
        assert repr(found[address]) == f"[program+0x{address} (??:0)]"
        assert not found[address][0].is_named
    missing = tmp_path / "missing"
    _, problems = locate(missing, addresses)
    assert problems == [f"functions have no names: '{missing}' can no longer be read"]
    program.write_text("#!/bin/sh\n")
    _, problems = locate(program, addresses)
    assert problems == [f"functions have no names: '{program}' is no longer a program or library"]


def test_damaged_files_end_well(tmp_path):
    """Bytes of the tables changed at random: whatever is said then, it is said."""
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    addresses = instructions(program, "-j", ".text")[::5]
    whole = program.read_bytes()
    pattern = r"\] (\.(?:debug|eh|sym|str|rela|dyn)\S*) +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)"
    sections = re.findall(pattern, call("readelf", "-SW", program))
    damaged = tmp_path / "damaged"
    for seed in range(60):
        choose = random.Random(seed)
        data = bytearray(whole)
        for _ in range(choose.choice([1, 5, 30])):
            _, offset, size = choose.choice(sections)
            reach = max(1, min(int(size, 16), choose.choice([64, 1 << 20])))
            data[int(offset, 16) + choose.randrange(reach)] = choose.randrange(256)
        damaged.write_bytes(data)
        result = subprocess.run(
            [LOCATE, damaged], input="\n".join(addresses).encode(), capture_output=True, timeout=60
        )
        assert result.returncode == 0, f"seed {seed}: {result.stderr}"
        assert len(result.stdout.splitlines()) >= len(addresses)


@pytest.fixture
def debug_server(tmp_path):
    """A server of debug files: (url, folder, paths that were asked for)."""
    asked = []
    folder = tmp_path / "server"

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder, asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_servers_are_asked_only_on_request(debug_server, tmp_path):
    url, folder, asked = debug_server
    program = build(tmp_path, "gcc", INLINED, "-g", "-O2")
    identity = build_id(program)
    addresses = instructions(program, "-j", ".text")
    whole, _ = locate(program, addresses)
    place = folder / "buildid" / identity
    place.mkdir(parents=True)
    call("objcopy", "--only-keep-debug", program, place / "debuginfo")
    call("strip", program)
    env = {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": tmp_path / "cache"}
    options = [f"build-id={identity}"]
    found, _ = locate(program, addresses, *options, env=env)
    assert not asked
    assert {place.line for places in found.values() for place in places} == {0}
    found, _ = locate(program, addresses, *options, "debuginfod", env=env)
    if not asked:
        pytest.skip("no libdebuginfod")
    assert functions_of(found) == functions_of(whole)

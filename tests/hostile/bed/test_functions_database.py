"""A database of many processes with all of its functions recorded, those of its libraries, too:
made, started, used and stopped; from copies that were instrumented on disk likewise."""

import os
import pwd
import shutil

import functions_support as functions
import hostile_support as hostile
import native_support as native
import pytest
import support
from native_support import public_place  # noqa: F401
from test_bed_database import SCRIPT, find_database

pytestmark = pytest.mark.long

PROGRAMS = ["initdb", "postgres", "psql", "pgbench", "pg_ctl", "createdb"]


@pytest.fixture
def place(public_place):  # noqa: F811
    """A place of the user that the server runs as."""
    if hostile.is_root_user():
        if not native.can_be_reached(support.KYMO):
            pytest.skip("the server's user cannot reach the build")
        shutil.chown(public_place, "nobody")
    return public_place


def become():
    user = pwd.getpwnam("nobody")
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def play(place, name, programs, prefix=()):
    """What the script prints, in a folder of its own."""
    folder = place / name
    folder.mkdir()
    script = folder / "script"
    script.write_text(SCRIPT)
    env = {**functions.environment({"XDG_CACHE_HOME": place / "cache"}), "KYMO_FINISH": "OFF"}
    options = {}
    if hostile.is_root_user():
        shutil.chown(folder, "nobody")
        options["preexec_fn"] = become
    line = [*prefix, "/bin/sh", script, programs]
    if prefix:
        result = native.run_line(line, folder, env=env, **options)
    else:
        result = native.run_bare(line, folder, env, **options)
    assert result.returncode == 0, result
    assert not [line for line in result.stderr.splitlines() if line.startswith("kymo")], result
    return result.stdout


def test_in_memory(place):
    programs = find_database()
    expected = play(place, "bare", programs)
    assert "100/100" in expected
    line = [*functions.command([], "counts")]
    assert play(place, "recorded", programs, line) == expected


def test_rewritten(place):
    """Copies of its programs run alone and recorded."""
    programs = find_database()
    expected = play(place, "bare", programs)
    copies = place / "copies"
    copies.mkdir()
    for name in PROGRAMS:
        if (programs / name).read_bytes()[:4] == b"\x7fELF":
            functions.rewrite(programs / name, copies / name, "counts", place)
    assert play(place, "alone", copies) == expected
    assert play(place, "recorded", copies, [support.KYMO, "run", "-q", "--"]) == expected

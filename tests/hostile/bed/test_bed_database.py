"""A database of many processes, started, used and stopped under `kymo run --locks --trace`."""

import os
import pwd
import re
import shutil
from pathlib import Path

import hostile_support as hostile
import native_support as native
import pytest
import support
from native_support import public_place  # noqa: F401

pytestmark = pytest.mark.long

OPTIONS = ["--locks", "--trace"]

SCRIPT = """
set -e
export PATH="$1:$PATH" PGDATA="$PWD/data" PGHOST="$PWD"
initdb -N -A trust -E UTF8 --locale=C -U test >initdb.log
here="-c listen_addresses= -c unix_socket_directories='$PWD'"
pg_ctl -w -l server.log -o "-F $here" start >ctl.log
trap 'pg_ctl -w -m immediate stop >/dev/null 2>&1 || true' EXIT
createdb -U test bench
pgbench -q -i -s 1 -U test bench >init.log 2>&1
pgbench -n -c 4 -j 2 -t 25 -U test bench >bench.log 2>bench.err
grep -E 'transactions actually|clients|threads|failed' bench.log
ask() { psql -X -U test -At -c "$1" bench; }
ask 'select count(*) from pgbench_history'
ask 'select (select sum(abalance) from pgbench_accounts) = sum(delta) from pgbench_history'
pg_ctl -w -m fast stop >>ctl.log
trap - EXIT
grep -c 'shut down' server.log
"""


def find_database():
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
    if not versions:
        pytest.skip("there is no database (package postgresql)")
    return versions[-1].parent


@pytest.fixture
def place(public_place):  # noqa: F811
    """A place of the user that the server runs as."""
    if hostile.is_root_user():
        if not native.can_be_reached(support.KYMO):
            pytest.skip("the server's user cannot reach the build")
        shutil.chown(public_place, "nobody")
    return public_place


def test_postgres(place):
    programs = find_database()
    user = pwd.getpwnam("nobody").pw_uid if hostile.is_root_user() else None
    script = place / "script"
    script.write_text(SCRIPT)

    def become():
        if user is not None:
            os.setgid(pwd.getpwuid(user).pw_gid)
            os.setuid(user)

    for name in ("bare", "kymo"):
        (place / name).mkdir()
        if user is not None:
            os.chown(place / name, user, -1)
    both = native.Both(["/bin/sh", script, programs], place, OPTIONS, status=0, preexec_fn=become)
    assert re.search(r"100/100", both.bare.stdout)
    assert both.said == []
    assert both.states()[native.STATE_CLOSED] >= 30
    names = {path.name.split("-")[0] for path in support.find_recordings(both.out)}
    assert any("postgres" in name for name in names)

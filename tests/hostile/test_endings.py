"""However a process ends: its own status and outputs, and a recording of all it did."""

import hostile_support as hostile
import pytest
import support

pytestmark = pytest.mark.newest_version

PROGRAM = support.program("endings.py")

ORDERLY = [
    "returns",
    "exits",
    "exits_with_text",
    "leaves",
    "raises",
    "raises_at_exit",
    "exits_in_thread",
    "daemon_thread",
    "daemon_sleeps",
    "thread_outlives_main",
    "interrupted",
    "del_at_shutdown",
]
SUDDEN = ["aborts", "segfaults", "terminated", "killed"]
CALLS = {"thread_outlives_main": 200}


def run(python, tmp_path, kind):
    bare = hostile.run_bare(python, [PROGRAM, kind], tmp_path)
    profiled = hostile.run(python, [PROGRAM, kind], tmp_path, timeout=30)
    hostile.assert_undisturbed(bare, profiled)
    ((header,),) = hostile.processes(tmp_path / "out").values()
    return bare, header


@pytest.mark.parametrize("kind", ORDERLY)
def test_orderly(python, tmp_path, kind):
    bare, header = run(python, tmp_path, kind)
    assert header.state == 2
    if bare.returncode >= 0 and kind not in ("raises_at_exit", "interrupted"):
        assert header.exit_code in (bare.returncode, -1)
    calls = hostile.calls(tmp_path / "out")
    assert calls["leaf"] >= CALLS.get(kind, 100)


@pytest.mark.parametrize("kind", SUDDEN)
def test_sudden(python, tmp_path, kind):
    bare, header = run(python, tmp_path, kind)
    assert bare.returncode < 0 and header.state == 1
    assert hostile.calls(tmp_path / "out")["leaf"] == 100
    tree = hostile.trees(hostile.read(header.path))[0]
    ended_in = [path for path, node in tree.items() if path and node.is_open]
    assert ended_in == [("<module>",), ("<module>", kind)]
    losses = str(hostile.report(tmp_path / "out")["losses"])
    assert hostile.NOT_CLOSED in losses and hostile.WERE_OPEN in losses

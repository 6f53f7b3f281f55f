"""A recording that is written elsewhere while its program runs: where it is then and afterwards."""

import os
import shutil

import hostile_support as hostile
import pytest
import support
from refused_runs import TRACE, run_both

pytestmark = pytest.mark.newest_version


def other_file_system(tmp_path):
    shared_memory = "/dev/shm"
    if not os.access(shared_memory, os.W_OK):
        pytest.skip("there is no second file system")
    if os.stat(shared_memory).st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("there is no second file system")
    return shared_memory


def test_record_path_on_another_file_system(python, tmp_path):
    """Written there, found in the run directory while it runs, moved there at the end."""
    local = f"{other_file_system(tmp_path)}/kymo-{os.getpid()}-{python}"
    os.mkdir(local)
    try:
        program = tmp_path / "program.py"
        program.write_text(
            "import os\nprint([os.path.islink(e.path) for e in os.scandir('out')])\n"
            "def f(): pass\nf()\n"
        )
        profiled = hostile.run(python, [program], tmp_path, {"KYMO_RECORD_PATH": local})
        assert profiled.stderr == "" and profiled.stdout == "[True]\n"
        (path,) = (tmp_path / "out").iterdir()
        assert not path.is_symlink() and hostile.read(path).is_closed
        assert os.listdir(local) == []
    finally:
        shutil.rmtree(local)


def test_record_path_that_is_not_there(python, tmp_path):
    profiled = run_both(python, tmp_path, {"KYMO_RECORD_PATH": tmp_path / "nowhere"})
    (line,) = hostile.said(profiled)
    assert "RECORD_PATH" in line and "No such file" in line
    assert len(support.find_recordings(tmp_path / "out")) == 1


@pytest.mark.parametrize("setting", [{"KYMO_QUIET": "ON"}, {"KYMO_VERBOSE": "-1"}], ids=str)
def test_whoever_wants_errors_only_has_them_only(python, tmp_path, setting):
    """A recording that goes elsewhere is a warning, one that is cut off is an error."""
    warned = {"KYMO_RECORD_PATH": tmp_path / "nowhere", **setting}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert hostile.said(run_both(python, tmp_path / "a", warned)) == []
    assert len(support.find_recordings(tmp_path / "a" / "out")) == 1
    cut = {"KYMO_RECORD_LIMIT_MB": "1", **TRACE, **setting}
    (line,) = hostile.said(run_both(python, tmp_path / "b", cut))
    assert line.startswith("kymo: cannot enlarge the recording ")


def test_record_path_of_a_killed_process(python, tmp_path):
    """The link in the run directory still finds the recording."""
    local = tmp_path / "local"
    local.mkdir()
    program = tmp_path / "program.py"
    program.write_text("import os\ndef f(): pass\nf()\nos.kill(os.getpid(), 9)\n")
    profiled = hostile.run(python, [program], tmp_path, {"KYMO_RECORD_PATH": local})
    assert profiled.returncode == -9
    (path,) = (tmp_path / "out").iterdir()
    assert path.is_symlink() and path.resolve().parent == local
    assert hostile.calls(tmp_path / "out")["f"] == 1

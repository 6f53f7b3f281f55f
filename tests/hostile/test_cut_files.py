"""Files that are cut while a command reads them."""

import os
import subprocess

import pytest
import support

PROGRAM = """
def step(n):
    return n

for i in range(60000):
    step(i)
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """The bytes of a recording whose exported trace is far larger than a pipe holds."""
    folder = tmp_path_factory.mktemp("cut")
    (folder / "steps.py").write_text(PROGRAM)
    environment = {"KYMO_TRACE": "ON", "KYMO_FINISH": "OFF"}
    python = support.interpreters()[-1]
    done = support.run_kymo_python(python, ["steps.py"], cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    (found,) = support.find_recordings(folder / "out")
    return found.read_bytes()


def export_while(path, meanwhile):
    """Export to a pipe; once the first bytes came, the command waits for a reader."""
    command = [support.KYMO, "export", "--format", "chrome", "-o", "-", path]
    environment = support.clean_environment(path.parent)
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert os.read(process.stdout.fileno(), 1)
    meanwhile()
    output, errors = process.communicate(timeout=support.TIMEOUT_S)
    return process.returncode, len(output), errors.decode()


def test_recording_is_cut_while_it_is_exported(recording, tmp_path):
    path = tmp_path / "steps.kymo"
    path.write_bytes(recording)
    status, size, errors = export_while(path, lambda: None)
    assert (status, errors) == (0, "") and size > 1 << 20
    status, size, errors = export_while(path, lambda: os.truncate(path, 0))
    assert status == 1
    assert errors.startswith(f"kymo: '{path}' was truncated while it was read"), errors
    assert len(errors.splitlines()) == 1

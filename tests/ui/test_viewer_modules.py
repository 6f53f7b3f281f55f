"""The viewer's modules by themselves: viewer/tests/, run by node."""

import shutil
import subprocess

import support


def test_modules():
    result = subprocess.run(
        [shutil.which("node"), "--test", "viewer/tests/"],
        cwd=support.REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr

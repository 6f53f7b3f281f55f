"""A second user for the tests: `nobody`, which needs root."""

import os
import subprocess

import pytest
import support

NOBODY = 65534

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as two users")


def give(path, owner=NOBODY):
    """Change the owner of path, and of everything below it."""
    for folder, _, files in os.walk(path):
        os.chown(folder, owner, owner)
        for name in files:
            os.chown(os.path.join(folder, name), owner, owner, follow_symlinks=False)
    if not os.path.isdir(path):
        os.chown(path, owner, owner, follow_symlinks=False)


def run_as_nobody(command, *, cwd, env=None):
    """Run a command as nobody, who must be able to reach cwd."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=str(cwd),
        env=support.clean_environment(cwd, env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=support.TIMEOUT_S,
        text=True,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
    )


def reachable(path):
    """Make the parent folders of path searchable for all users."""
    for folder in [path, *path.parents]:
        if folder.stat().st_uid == os.geteuid() and str(folder).startswith("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    return path

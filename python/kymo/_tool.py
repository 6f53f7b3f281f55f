"""The command `kymo`, run from Python: what shows, compares and extracts runs."""

from __future__ import annotations

import os
import shutil
import subprocess

from kymo._binding import PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import CompletedProcess

# From the package: in a wheel, in the build, in an installation.
_PLACES = ("bin", "../../bin", "../../../bin", "../../../../bin")

# What belongs to the program that is recorded.
_NOT_FOR_THE_TOOL = ("LD_PRELOAD", "LD_AUDIT", "KYMO_RUN_DIR", "KYMO_PYTHON_OPTIONS")


class ToolError(Exception):
    """The command is missing, or says that it failed; the text is its line."""


def find() -> str:
    """Path of the command.  ToolError: there is none."""
    for place in _PLACES:
        path = os.path.normpath(os.path.join(PACKAGE, place, "kymo"))
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("kymo")
    if found is None:
        raise ToolError("the command 'kymo' is neither beside the package nor in PATH")
    return found


def call(*arguments: str) -> CompletedProcess[str]:
    """Run it to its end; whatever its status, with what it printed as text."""
    environment = {k: v for k, v in os.environ.items() if k not in _NOT_FOR_THE_TOOL}
    return subprocess.run(
        [find(), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def output(*arguments: str) -> str:
    """What it prints.  ToolError: it failed, with its line."""
    result = call(*arguments)
    if result.returncode != 0:
        line = result.stderr.strip() or f"status {result.returncode}"
        raise ToolError(line[6:] if line.startswith("kymo: ") else line)
    return result.stdout

"""The path of the command `kymo`."""

from __future__ import annotations

import os

from kymo._binding import PACKAGE

# From the package: in a wheel, in the build, in an installation.
_PLACES = ("bin", "../../bin", "../../../bin", "../../../../bin")

# Variables that belong to the recorded program.
_NOT_FOR_THE_TOOL = ("LD_PRELOAD", "LD_AUDIT", "KYMO_RUN_DIR", "KYMO_PYTHON_OPTIONS")


class ToolError(Exception):
    """The command is missing, or failed; the text is its line."""


def find() -> str:
    """Path of the command.  ToolError: there is none."""
    folders = [os.path.join(PACKAGE, place) for place in _PLACES]
    folders += [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if each]
    for folder in folders:
        path = os.path.normpath(os.path.join(folder, "kymo"))
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise ToolError("the command 'kymo' is neither beside the package nor in PATH")


def environment() -> dict[str, str]:
    """The environment to start it with."""
    return {name: value for name, value in os.environ.items() if name not in _NOT_FOR_THE_TOOL}

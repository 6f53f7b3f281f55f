"""The command `kymo`, run from Python: it shows, compares and extracts runs."""

from __future__ import annotations

import subprocess

from kymo._tool_place import ToolError, environment, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import CompletedProcess


def call(*arguments: str) -> CompletedProcess[str]:
    """Run it to its end; whatever its status, with what it printed as text."""
    return subprocess.run(
        [find(), *arguments],
        env=environment(),
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

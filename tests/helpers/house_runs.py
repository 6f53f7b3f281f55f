"""Runs of the scripts in tools/, for their tests."""

import subprocess
import sys

import support

TOOLS = support.REPOSITORY / "tools"


def run_tool(name, *args):
    return subprocess.run(
        [sys.executable, TOOLS / name, *args], capture_output=True, text=True, timeout=60
    )

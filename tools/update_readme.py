#!/usr/bin/env python3
"""Run ./demo.sh and put what it prints into README.md, between the demo markers."""

import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- demo:[^\n]*-->\n).*?(<!-- /demo -->)", re.DOTALL)


def demo_output():
    """Both streams of the demo in the order of a terminal, without the build's lines."""
    process = subprocess.run(
        [REPOSITORY / "demo.sh"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=REPOSITORY,
        # Into a pipe Python would buffer the program's lines until after the summary.
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    if process.returncode != 0:
        sys.exit(f"demo.sh failed:\n{process.stdout}")
    start = process.stdout.index("$ kymo-python")
    return process.stdout[start:].replace(f"{REPOSITORY}/", "").strip()


def main():
    readme = REPOSITORY / "README.md"
    block = f"```\n{demo_output()}\n```\n"
    text, count = BLOCK.subn(lambda match: match[1] + block + match[2], readme.read_text())
    if count != 1:
        sys.exit("README.md has no demo markers")
    readme.write_text(text)


if __name__ == "__main__":
    main()

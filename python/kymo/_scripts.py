"""The commands of an installed wheel: what bin/kymo and bin/kymo-python are elsewhere.

Both replace this process, so that signals and exit status need no forwarding.
"""

import os
import sys
from pathlib import Path


def kymo() -> None:
    """`kymo ...`: the command inside the package."""
    command = Path(__file__).parent / "bin" / "kymo"
    os.execv(command, ["kymo", *sys.argv[1:]])


def kymo_python() -> None:
    """`kymo-python ...`: `python -m kymo ...` with the interpreter of this environment."""
    start = Path(__file__).with_name("_start.py")
    os.execv(sys.executable, [sys.executable, str(start), *sys.argv[1:]])

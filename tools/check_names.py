#!/usr/bin/env python3
"""Check that no two sources have a static function of the same name: a backtrace, a profile and a
search then tell which is meant.  One that is likely to come again carries its module's noun.

`check_names.py [ROOT]`, ROOT being the repository by default.  Prints one line for each name and
exits with 1 when there is any.  The same file for several processors has the same names.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "python/native")

TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# As formatted by clang-format: `static` is in the first column, attributes are before the name.
STATIC = re.compile(
    r"^static\b[^;{}=()]*?(?:__attribute__\(\([^)]*\)+\)[^;{}=()]*?)*\b(?P<name>[A-Za-z_]\w*)\s*\((?!\()",
    re.MULTILINE,
)
PROCESSOR = re.compile(r"/(x86_64|aarch64|other)/")


def shared_names(root):
    """{name: the sources that have it}, of names that several have."""
    places = defaultdict(dict)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.c")):
            place = path.relative_to(root).as_posix()
            for match in STATIC.finditer(TEXT.sub(" ", path.read_text(encoding="utf-8"))):
                if not match["name"].isupper():  # a macro that defines one
                    places[match["name"]].setdefault(PROCESSOR.sub("/", place), place)
    return {name: list(by.values()) for name, by in sorted(places.items()) if len(by) > 1}


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY
    found = shared_names(root)
    for name, places in found.items():
        print(f"{', '.join(places)}: each has a static {name}(): name it after its module")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

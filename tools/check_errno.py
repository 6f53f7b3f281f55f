#!/usr/bin/env python3
"""Check that no C function saves errno by hand: KEEP_ERRNO() restores it on every return path.

`check_errno.py [ROOT]`, ROOT being the repository by default.  Prints one line for
each fault and exits with 1 when there is any.
"""

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "python/native", "include")

FAILED = "passes on why a call failed, past the closing of what was open"
CHOOSES = "a call of the program: its failure shows, its success does not"

# Functions that may save errno in a variable and restore it, and why.
ALLOWED = {
    ("src/cli/ctl/cmd_ctl.c", "change_gate"): FAILED,
    ("src/cli/ctl/ctl_snapshot.c", "snapshot_copy_recording"): FAILED,
    ("src/cli/instrument/function_filter.c", "filter_read_all"): FAILED,
    ("src/platform/files/regularfile.c", "regularfile_open"): FAILED,
    ("src/collectors/signal_hiding/hiding_input.c", "read_on"): CHOOSES,
    ("src/collectors/signal_hiding/hiding_output.c", "write_on"): CHOOSES,
    ("src/collectors/signal_hiding/hiding_sleep.c", "hiding_nanosleep"): CHOOSES,
    ("src/collectors/signal_hiding/hiding_sleep.c", "hiding_sleep"): CHOOSES,
}

# As formatted by clang-format: definitions begin and end in the first column.
BODY = re.compile(r"^\{$.*?^\}$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"\b(?!__attribute__\b)(\w+)\(")
SAVE = re.compile(r"\b(\w+) = errno\s*[,;]")
PUT_BACK = re.compile(r"\berrno = ([^;]*);")


def name_before(text, start):
    """The function whose body starts there."""
    head = re.split(r"^[};].*$|^$|\*/$", text[:start].rstrip(), flags=re.MULTILINE)[-1]
    names = NAME.findall(head)
    return names[0] if names else "?"


def hand_written(text):
    """The functions that save errno in a variable and restore it."""
    for body in BODY.finditer(text):
        saved = set(SAVE.findall(body.group()))
        put_back = set(re.findall(r"\w+", " ".join(PUT_BACK.findall(body.group()))))
        if saved & put_back:
            yield name_before(text, body.start())


def faults(root):
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.[ch]"))]
    found = set()
    for path in paths:
        place = path.relative_to(root).as_posix()
        for function in hand_written(path.read_text(encoding="utf-8")):
            found.add((place, function))
            if (place, function) not in ALLOWED:
                yield f"{place}: {function}() keeps errno by hand; base/keeperrno.h does it"
    for place, function in sorted(set(ALLOWED) - found):
        if (root / place).exists():
            yield f"{place}: {function}() is excused, but does not keep errno by hand"
    if not paths:
        yield "src: holds no sources"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY
    found = list(faults(root))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Count the modules of src/ that have a unit test of their name: `count_namesakes.py [ROOT]`.

A module is what has one name: a source file, with those of the same name for other processors, and
those that stand in for it where a library is missing (`x_dw.c`, `x_none.c` of `x.h`).  Its test
is tests/unit/**/test_<module>.c, with the name of its layer in between where that is the custom
(`test_rt_thread.c`).  Prints modules and tests by layer; exits with 1 when the share of all is
below the floor, which may only rise.
"""

import re
import sys
from pathlib import Path

FLOOR = 0.65  # of all modules; it rises with them
# Prefixes of the names of tests of some layers.
PREFIXES = {
    "attach": "attach_",
    "cli": "cli_",
    "export": "export_",
    "import": "import_",
    "runtime": "rt_",
    "view": "view_",
}
# One header, several implementations, depending on the available library.
ANSWER = re.compile(r"_(none|dw|elf|utf8proc|yajl|zlib)$")


def module_of(path):
    """The name of a source file's module."""
    shared = ANSWER.sub("", path.stem)
    has_header = any(
        (folder / f"{shared}.h").exists() for folder in (path.parent, path.parent.parent)
    )
    return shared if has_header else path.stem


def modules_by_layer(root):
    layers = {}
    for path in sorted((root / "src").rglob("*.c")):
        layer = path.relative_to(root / "src").parts[0]
        layers.setdefault(layer, set()).add(module_of(path))
    return layers


def named(layer, module, tests):
    names = {f"test_{module}", f"test_{PREFIXES.get(layer, '')}{module}"}
    return bool(names & tests)


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    tests = {path.stem for path in (root / "tests/unit").rglob("test_*.c")}
    modules = tests_found = 0
    for layer, names in sorted(modules_by_layer(root).items()):
        found = sum(named(layer, name, tests) for name in names)
        print(f"{layer:12}{found:5} of{len(names):4}")
        modules += len(names)
        tests_found += found
    share = tests_found / modules if modules else 0
    print(f"{'all':12}{tests_found:5} of{modules:4}, {100 * share:.1f} %")
    if share < FLOOR:
        print(f"fewer modules than {100 * FLOOR:.0f} % have a unit test of their name")
    return share < FLOOR


if __name__ == "__main__":
    sys.exit(main())

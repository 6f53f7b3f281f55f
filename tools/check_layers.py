#!/usr/bin/env python3
"""Check the shape of the C sources: who includes whom, names, guards, opening comments.

`check_layers.py [ROOT]`, ROOT being the repository by default.  Prints one line for
each fault and exits with 1 when there is any.
"""

import re
import sys
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

# A layer, which is a folder of src/ (or the folder named), may include its own headers and these.
ALLOWED = {
    "base": set(),
    "text": {"base"},
    "command": {"base"},
    "platform": {"base"},
    "config": {"base", "platform"},
    "format": {"base", "platform"},
    "object": {"base", "platform", "format"},
    "patch": {"base", "platform", "format", "object"},
    "pystack": {"base", "platform", "format", "object"},
    "runtime": {"base", "platform", "config", "format", "object", "include"},
    "collectors": {"base", "platform", "format", "object", "pystack", "patch", "runtime"},
    "native": {"base", "platform", "format", "object", "runtime"},
    "include": {"runtime"},
    "model": {"base", "text", "platform", "config", "format", "object", "patch"},
}
READERS = ALLOWED["model"] | {"model"}
ALLOWED |= {
    "writer": READERS - {"patch", "text"},
    "export": READERS - {"patch", "object"} | {"command"},
    "report": READERS - {"patch", "object"} | {"command"},
    "view": READERS - {"patch", "object"} | {"command"},
    "import": READERS - {"patch", "object"} | {"writer"},
    "merge": READERS - {"patch", "object"} | {"writer"},
    "attach": READERS | {"pystack", "writer"},
    "cli": READERS | {"writer", "export", "import", "merge", "report", "view", "attach", "command"},
}
# Folders that may include less than their layer: a failed allocation ends the work of a command
# that reads, but not of one that holds a program stopped, executes it or waits for it.
REFUSED = {
    "src/cli/attach": {"command"},
    "src/cli/heartbeat": {"command"},
    "src/cli/run": {"command"},
}

# Code for one processor is in folders of its name, where files may have the same names.
PROCESSORS = {"x86_64", "aarch64", "other"}
# The only other files that may test the processor: each selects a folder's file.
SELECTORS = {
    "src/platform/processor.h",
    "src/platform/rawcall.h",
    "src/patch/apply/patchcpu.h",
    "src/platform/code/codecpu.h",
}
PROCESSOR_DETECT = re.compile(r"^\s*#.*\b__(x86_64|aarch64|amd64|i386|arm)__\b", re.MULTILINE)
# A longer header is several contracts, except these installed ones.
MOST_HEADER_LINES = 150
LONG_HEADERS = {
    "include/kymo/abi.h",
    "include/kymo/kymo.h",
}
ROW = re.compile(r'^\s*[A-Z_]+\("?([\w-]+)"?\s*(?:,\s*(\w+))?', re.MULTILINE)
SERVES = re.compile(r"\bServes (\w+)\.h\b")
# A longer test file has several subjects.
MOST_TEST_LINES = 400
# A banner comment: a file that needs one is two files.
BANNER = re.compile(rb"^\s*(#|//|/\*) ?-{4,}", re.MULTILINE)
# A folder with more files is several folders; counts hand-written files everywhere.
MOST_FILES = 30
TOPS = ("src", "include", "python", "viewer", "tests", "bench", "tools", "docs")
WRITTEN = {
    ".c",
    ".h",
    ".def",
    ".s",
    ".cc",
    ".f90",
    ".py",
    ".js",
    ".css",
    ".sh",
    ".out",
    ".err",
    ".md",
}

# Where a layer's files are when that is not src/<layer>.
FOLDERS = {"native": "python/native", "include": "include/kymo"}

# Headers of CPython that its own sources include with quotes.
CPYTHON_INTERNAL = "internal/pycore_"

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def sources(root):
    """(layer, path) of every C file the rules hold for."""
    for layer in ALLOWED:
        folder = FOLDERS.get(layer, f"src/{layer}")
        for path in sorted((root / folder).rglob("*.[ch]")):
            yield layer, path


def included_layer(root, header, layer):
    """The layer that an include of a file of layer comes from; None: there is no such file."""
    if (root / "src" / header).exists():
        return header.split("/")[0]
    if layer in FOLDERS and (root / FOLDERS[layer] / header).exists():
        return layer
    if (root / "include" / header).exists():
        return "include"
    return None


def check_includes(root, layer, path, text):
    for header in INCLUDE.findall(text):
        if layer == "native" and header.startswith(CPYTHON_INTERNAL):
            continue
        other = included_layer(root, header, layer)
        if other is None:
            yield f'includes "{header}", which is in no layer'
        elif other != layer and other not in ALLOWED[layer]:
            yield f'includes "{header}": {layer} may not know {other}'
        elif other in REFUSED.get(path.parent.relative_to(root).as_posix(), ()):
            yield f'includes "{header}": {path.parent.name} may not know {other}'


def check_opening(path, text):
    if not text.startswith("/*"):
        yield "does not open with a comment that says what it is for"
    if path.suffix == ".h":
        stem = re.sub(r"[^A-Z0-9]", "_", path.stem.upper()).replace("KYMO_", "")
        found = re.search(r"^#ifndef (\w+)\n#define \1$", text, re.MULTILINE)
        if not found or not re.match(rf"KYMO_\w*{stem}\w*_H$", found.group(1)):
            yield f"has no include guard KYMO_{stem}_H"


def check_processors(root, path, text):
    """Code for one processor is in the folder of its name."""
    if path.parent.name in PROCESSORS or path.relative_to(root).as_posix() in SELECTORS:
        return
    found = PROCESSOR_DETECT.search(text)
    if found:
        yield f"asks for __{found[1]}__: that half belongs in a folder {found[1]}/"


def check_length(root, path, text):
    lines = text.count("\n")
    is_long = path.relative_to(root).as_posix() in LONG_HEADERS
    if path.suffix == ".h" and lines > MOST_HEADER_LINES and not is_long:
        yield f"has {lines} lines, more than {MOST_HEADER_LINES}: split it along its subjects"


def check_unique_names(paths):
    seen = {}
    for path in paths:
        if path.parent.name in PROCESSORS:
            continue
        first = seen.setdefault(path.name, path)
        if first != path:
            yield path, f"has the name of a file in {first.parent.name}"


def written(root, tops):
    """The hand-written files."""
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in WRITTEN and path.is_file():
                yield path


def check_test_lengths(root):
    for path in written(root, ["tests"]):
        lines = path.read_bytes().count(b"\n")
        if lines > MOST_TEST_LINES:
            yield (
                path,
                f"has {lines} lines, more than {MOST_TEST_LINES}: split it along its subjects",
            )


def check_banners(root):
    for path in written(root, TOPS):
        if BANNER.search(path.read_bytes()):
            yield path, "has a banner over a section: give that a file of its own"


def check_rooms(root):
    counts = Counter(path.parent for path in written(root, TOPS))
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES:
            yield folder, f"has {count} files, more than {MOST_FILES}: give it sub-folders"


def module_of(path):
    """A header and the source of its name are one module."""
    return path.with_suffix("")


def includes_by_module(root, paths):
    arrows = {module_of(path): set() for path in paths}
    for path in paths:
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            other = module_of(root / "src" / header)
            if other in arrows and other != module_of(path):
                arrows[module_of(path)].add(other)
    return arrows


def reached_from(start, arrows):
    reached, waiting = set(), [start]
    while waiting:
        for other in arrows[waiting.pop()] - reached:
            reached.add(other)
            waiting.append(other)
    return reached


def check_circles(root, paths):
    """Two modules may include each other, as a contract and its implementation; no more may."""
    arrows = includes_by_module(root, paths)
    reached = {module: reached_from(module, arrows) for module in arrows}
    seen = set()
    for module in sorted(arrows):
        circle = {other for other in reached[module] if module in reached[other]}
        if len(circle) > 2 and not circle & seen:
            seen |= circle
            names = ", ".join(sorted(other.name for other in circle))
            yield module, f"is in a circle of {len(circle)} modules: {names}"


def rows_above(root, folder):
    """The names in the tables of a folder and of its parents."""
    rows = set()
    while folder != root / "src":
        for table in folder.glob("*.def"):
            for names in ROW.findall(table.read_text(encoding="utf-8")):
                rows.update(name for name in names if name)
        folder = folder.parent
    return rows


def is_stated_sibling(root, path, headers):
    """A row of a table, an alternative to a `_none.c`, or a comment that names its header."""
    stem, folder = path.stem, path.parent
    question = stem.rsplit("_", 1)[0]
    if question in headers and (folder / f"{question}_none.c").exists():
        return True
    if {stem, stem.split("_", 1)[-1]} & rows_above(root, folder):
        return True
    opening = path.read_text(encoding="utf-8").split("*/", 1)[0]
    served = SERVES.search(opening)
    return bool(served) and served[1] in headers


def check_headers(root):
    """Each source has a header of its name, or names the one with its contract."""
    headers = {path.stem for path in (root / "src").rglob("*.h")}
    for path in sorted((root / "src").rglob("*.c")):
        if path.stem not in headers and not is_stated_sibling(root, path, headers):
            yield path, "has no header of its own and does not say whom it serves"


def check_layers(root):
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and folder.name not in ALLOWED and any(folder.rglob("*.[ch]")):
            yield folder, "is no layer: see ALLOWED"


def faults(root):
    paths = []
    for layer, path in sources(root):
        if layer != "include":  # installed headers have kymo/ in front of their names
            paths.append(path)
        text = path.read_text(encoding="utf-8")
        for fault in (
            *check_includes(root, layer, path, text),
            *check_opening(path, text),
            *check_processors(root, path, text),
            *check_length(root, path, text),
        ):
            yield path, fault
    yield from check_unique_names(paths)
    yield from check_rooms(root)
    yield from check_test_lengths(root)
    yield from check_banners(root)
    yield from check_circles(root, paths)
    yield from check_layers(root)
    yield from check_headers(root)
    if not paths:
        yield root / "src", "holds no sources"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY
    found = list(faults(root))
    for path, fault in found:
        print(f"{path.relative_to(root)}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Write src/pystack/pylayout_table.def: offsets in the structures of CPython, by version.

`python_layouts.py [--check] [INCLUDE_DIR...]` compiles a small program against the headers
of each interpreter found (or named: folders that hold Python.h) and prints what offsetof()
says.  Without --check the table is written anew, rows of versions that are not here are
kept.  With it the table is compared, and the exit status is 1 where it differs.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "src" / "pystack" / "pylayout_table.def"
KNOWN = ((3, 8), (3, 9), (3, 10), (3, 11), (3, 12), (3, 13), (3, 14), (3, 15))

HEAD = """\
/* Written by tools/python_layouts.py from the headers of each version, for x86-64: do not
 * edit, run it.  Sorted by version; only builds without Py_DEBUG and with a GIL. */
"""

# group, field, condition for the preprocessor (None = always), expression
FIELDS = (
    ("runtime", "size", None, "sizeof(_PyRuntimeState)"),
    ("runtime", "interpreters_head", None, "offsetof(_PyRuntimeState, interpreters.head)"),
    ("runtime", "finalizing", "V < 0x309", "offsetof(_PyRuntimeState, finalizing)"),
    ("runtime", "finalizing", "V >= 0x309", "offsetof(_PyRuntimeState, _finalizing)"),
    (
        "runtime",
        "tstate_current",
        "V < 0x30c",
        "offsetof(_PyRuntimeState, gilstate.tstate_current)",
    ),
    ("runtime", "gil", "V < 0x30c", "offsetof(_PyRuntimeState, ceval.gil)"),
    ("interpreter", "next", None, "offsetof(PyInterpreterState, next)"),
    ("interpreter", "threads_head", "V < 0x30b", "offsetof(PyInterpreterState, tstate_head)"),
    ("interpreter", "threads_head", "V >= 0x30b", "offsetof(PyInterpreterState, threads.head)"),
    ("interpreter", "id", None, "offsetof(PyInterpreterState, id)"),
    ("interpreter", "gil", "V >= 0x30c", "offsetof(PyInterpreterState, ceval.gil)"),
    ("gil", "size", None, "sizeof(struct _gil_runtime_state)"),
    ("gil", "last_holder", None, "offsetof(struct _gil_runtime_state, last_holder)"),
    ("gil", "locked", None, "offsetof(struct _gil_runtime_state, locked)"),
    ("gil", "condition", None, "offsetof(struct _gil_runtime_state, cond)"),
    ("gil", "switch_condition", None, "offsetof(struct _gil_runtime_state, switch_cond)"),
    ("gil", "switch_number", None, "offsetof(struct _gil_runtime_state, switch_number)"),
    ("thread", "size", None, "sizeof(PyThreadState)"),
    ("thread", "next", None, "offsetof(PyThreadState, next)"),
    ("thread", "interp", None, "offsetof(PyThreadState, interp)"),
    ("thread", "thread_id", None, "offsetof(PyThreadState, thread_id)"),
    ("thread", "native_thread_id", "V >= 0x30b", "offsetof(PyThreadState, native_thread_id)"),
    ("thread", "frame", "V < 0x30b", "offsetof(PyThreadState, frame)"),
    ("thread", "cframe", "V >= 0x30a && V < 0x30d", "offsetof(PyThreadState, cframe)"),
    ("thread", "current_frame", "V >= 0x30d", "offsetof(PyThreadState, current_frame)"),
    ("thread", "datastack_chunk", "V >= 0x30b", "offsetof(PyThreadState, datastack_chunk)"),
    ("thread", "datastack_top", "V >= 0x30b", "offsetof(PyThreadState, datastack_top)"),
    ("cframe", "current_frame", "V >= 0x30b && V < 0x30d", "offsetof(_PyCFrame, current_frame)"),
    ("cframe", "previous", "V == 0x30a", "offsetof(CFrame, previous)"),
    ("cframe", "previous", "V >= 0x30b && V < 0x30d", "offsetof(_PyCFrame, previous)"),
    ("frame", "size", None, "offsetof(FRAME, LOCALS)"),
    ("frame", "previous", "V < 0x30b", "offsetof(FRAME, f_back)"),
    ("frame", "previous", "V >= 0x30b", "offsetof(FRAME, previous)"),
    ("frame", "code", "V < 0x30d", "offsetof(FRAME, f_code)"),
    ("frame", "code", "V >= 0x30d", "offsetof(FRAME, f_executable)"),
    ("frame", "instruction", "V < 0x30b", "offsetof(FRAME, f_lasti)"),
    ("frame", "instruction", "V >= 0x30b && V < 0x30d", "offsetof(FRAME, prev_instr)"),
    ("frame", "instruction", "V >= 0x30d", "offsetof(FRAME, instr_ptr)"),
    ("frame", "stack", "V >= 0x30b && V < 0x30e", "offsetof(FRAME, stacktop)"),
    ("frame", "stack", "V >= 0x30e", "offsetof(FRAME, stackpointer)"),
    ("frame", "return_offset", "V >= 0x30d", "offsetof(FRAME, return_offset)"),
    ("frame", "owner", "V >= 0x30b", "offsetof(FRAME, owner)"),
    ("frame", "is_entry", "V == 0x30b", "offsetof(FRAME, is_entry)"),
    ("frame", "instruction_is_pointer", None, "V >= 0x30b"),
    ("frame", "instruction_unit", None, "V < 0x30a ? 1 : 2"),
    ("frame", "stack_is_pointer", None, "V >= 0x30e"),
    ("frame", "running", "V < 0x30a", "offsetof(FRAME, f_executing)"),
    ("frame", "running", "V == 0x30a", "offsetof(FRAME, f_state)"),
    ("frame", "running_value", "V < 0x30a", "1"),
    ("frame", "running_value", "V == 0x30a", "FRAME_EXECUTING"),
    ("frame", "running_value", "V > 0x30a", "0"),
    ("frame", "owner_generator", "V >= 0x30b", "FRAME_OWNED_BY_GENERATOR"),
    ("frame", "owner_generator", "V < 0x30b", "255"),
    ("frame", "owner_c_stack", "V >= 0x30c && V < 0x30e", "FRAME_OWNED_BY_CSTACK"),
    ("frame", "owner_c_stack", "V >= 0x30e", "FRAME_OWNED_BY_INTERPRETER"),
    ("frame", "owner_c_stack", "V < 0x30c", "255"),
    ("frame", "code_is_tagged", None, "V >= 0x30e"),
    ("code", "size", None, "sizeof(PyCodeObject)"),
    ("code", "name", None, "offsetof(PyCodeObject, co_name)"),
    ("code", "qualname", "V >= 0x30b", "offsetof(PyCodeObject, co_qualname)"),
    ("code", "filename", None, "offsetof(PyCodeObject, co_filename)"),
    ("code", "first_line", None, "offsetof(PyCodeObject, co_firstlineno)"),
    ("code", "flags", None, "offsetof(PyCodeObject, co_flags)"),
    ("code", "lines", "V < 0x30a", "offsetof(PyCodeObject, co_lnotab)"),
    ("code", "lines", "V >= 0x30a", "offsetof(PyCodeObject, co_linetable)"),
    ("code", "instructions", "V < 0x30b", "offsetof(PyCodeObject, co_code)"),
    ("code", "instructions", "V >= 0x30b", "offsetof(PyCodeObject, co_code_adaptive)"),
    ("code", "first_traceable", "V >= 0x30b", "offsetof(PyCodeObject, _co_firsttraceable)"),
    ("object", "length", None, "offsetof(PyASCIIObject, length)"),
    ("object", "state", None, "offsetof(PyASCIIObject, state)"),
    ("object", "ascii_data", None, "sizeof(PyASCIIObject)"),
    ("object", "compact_data", None, "sizeof(PyCompactUnicodeObject)"),
    ("object", "type", None, "offsetof(PyObject, ob_type)"),
    ("object", "bytes_size", None, "offsetof(PyVarObject, ob_size)"),
    ("object", "bytes_data", None, "offsetof(PyBytesObject, ob_sval)"),
    ("object", "kind_shift", None, "kind_shift()"),
    ("object", "unicode_data", None, "offsetof(PyUnicodeObject, data)"),
)

PROGRAM = """\
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#define V (PY_VERSION_HEX >> 16)
#define GILSTATE gilstate.tstate_current
#if V >= 0x309
#include "internal/pycore_interp.h"
#endif
#include "internal/pycore_pystate.h"
#if V >= 0x309
#include "internal/pycore_runtime.h"
#endif
#if V >= 0x30b
#include "internal/pycore_frame.h"
#include "internal/pycore_code.h"
#if V >= 0x30e
#include "internal/pycore_interpframe.h"
#endif
#define FRAME _PyInterpreterFrame
#define LOCALS localsplus
#else
#define FRAME PyFrameObject
#define LOCALS f_localsplus
#endif
#ifdef Py_GIL_DISABLED
#error "built without a GIL"
#endif
#ifdef Py_DEBUG
#error "built for debugging"
#endif

static unsigned kind_shift(void)
{
	PyASCIIObject text;
	unsigned bits;

	memset(&text, 0, sizeof(text));
	text.state.kind = 1;
	memcpy(&bits, &text.state, sizeof(bits));
	return (unsigned)__builtin_ctz(bits);
}

int main(void)
{
	printf("version 0x%04x\\n", (unsigned)V);
@LINES@
	return 0;
}
"""


def program():
    lines = []
    for group, field, condition, expression in FIELDS:
        line = f'\tprintf("{group} {field} %u\\n", (unsigned)({expression}));'
        lines.append(f"#if {condition}\n{line}\n#endif" if condition else line)
    return PROGRAM.replace("@LINES@", "\n".join(lines))


def include_folders():
    """Folders with the complete headers of an interpreter of a known version."""
    roots = [Path("/usr/include"), Path("/usr/local/include")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    roots += sorted(pyenv.glob("versions/*/include"))
    roots += sorted(Path("/opt").glob("*/include"))
    for root in roots:
        for folder in sorted(root.glob("python3.*")):
            if (folder / "internal" / "pycore_pystate.h").exists():
                yield folder


def header_version(folder):
    text = (folder / "patchlevel.h").read_text(encoding="utf-8")
    numbers = dict(re.findall(r"#define PY_(MAJOR|MINOR)_VERSION\s+(\d+)", text))
    return int(numbers["MAJOR"]), int(numbers["MINOR"])


def platform_folder(folder):
    """Debian has a pyconfig.h for each platform, which its own headers include."""
    return ["-I", str(folder), "-I", str(folder / "internal")]


def measure(folder):
    """The row of one interpreter's headers: {(group, field): value}, or None."""
    with tempfile.TemporaryDirectory() as scratch:
        source, binary = Path(scratch, "layout.c"), Path(scratch, "layout")
        source.write_text(program(), encoding="utf-8")
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-w", *platform_folder(folder), str(source), "-o", str(binary)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            first = next((line for line in done.stderr.splitlines() if "error" in line), "?")
            print(f"python_layouts.py: {folder}: {first}", file=sys.stderr)
            return None
        answer = subprocess.check_output([str(binary)], text=True)
    row = {}
    for line in answer.splitlines()[1:]:
        group, field, value = line.split()
        row[group, field] = int(value)
    return row


def write_row(version, row):
    """A row as C."""
    lines = ["\t{", f"\t\t.version = 0x{version[0]:02x}{version[1]:02x},"]
    groups = {}
    for group, field, _, _ in FIELDS:
        groups.setdefault(group, []).append(field)
    for group, fields in groups.items():
        lines.append(f"\t\t.{group} = {{")
        for field in dict.fromkeys(fields):
            lines.append(f"\t\t\t.{field} = {row.get((group, field), 'PYLAYOUT_NONE')},")
        lines.append("\t\t},")
    lines.append("\t},")
    return "\n".join(lines) + "\n"


def comparable(version, text):
    """What all releases of a version share.  Maintenance releases append to the structures whose
    sizes 3.13 and later publish, and what is published counts."""
    if version < (3, 13):
        return text
    return re.sub(r"(\.(?:runtime|thread) = \{\s+\.size = )\d+", r"\1", text)


def read_table():
    """{version: text of its row} as it is checked in."""
    if not TABLE.exists():
        return {}
    rows = {}
    for text in re.findall(r"^\t\{\n.*?^\t\},\n", TABLE.read_text(), re.MULTILINE | re.DOTALL):
        number = int(re.search(r"\.version = 0x([0-9a-f]{4})", text).group(1), 16)
        rows[number >> 8, number & 255] = text
    return rows


def measured_rows(folders):
    """{version: row text} of the headers here; ends when two of one version differ."""
    found = {}
    for folder in folders:
        version = header_version(folder)
        row = measure(folder) if version in KNOWN else None
        if row is None:
            continue
        text = write_row(version, row)
        first = found.setdefault(version, text)
        if comparable(version, first) != comparable(version, text):
            sys.exit(f"python_layouts.py: {folder}: not as others of {version[0]}.{version[1]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("folders", nargs="*", type=Path, metavar="INCLUDE_DIR")
    options = parser.parse_args()
    rows, found = read_table(), measured_rows(options.folders or include_folders())
    if not found:
        sys.exit("python_layouts.py: no headers of a known version found")
    if not options.check:
        rows.update(found)
        TABLE.write_text(HEAD + "".join(rows[version] for version in sorted(rows)))
        return 0
    wrong = False
    for version in sorted(found):
        agrees = comparable(version, rows.get(version, "")) == comparable(version, found[version])
        print(f"{version[0]}.{version[1]}", "agrees" if agrees else "differs")
        wrong |= not agrees
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

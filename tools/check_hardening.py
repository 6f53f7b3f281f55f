#!/usr/bin/env python3
"""Check how what was built is hardened: `check_hardening.py BUILD`.

The command, what is loaded into programs and the Python modules: nothing is bound late (the
loader's way of doing that is none for a signal handler), what the loader fills in is read-only
afterwards, no memory is writable and executable, and libraries are looked for in no folder that
depends on where a program runs.  Their objects: the stack is watched, the marks for the
processor's protection of jumps and returns are there, and thread-locals are reached by the
instructions alone that linkers know.  Prints one line for each fault and exits with 1 when there
is any.
"""

import struct
import sys
from pathlib import Path

PT_LOAD, PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
DT_STRTAB, DT_RPATH, DT_TEXTREL, DT_BIND_NOW, DT_RUNPATH = 5, 15, 22, 24, 29
DT_FLAGS, DT_FLAGS_1 = 30, 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW = 4, 8, 1
SHT_RELA, SHF_EXECINSTR = 4, 4
EM_X86_64, R_X86_64_GOTTPOFF = 62, 22
MOV, ADD = 0x8B, 0x03
X86_FEATURES, IBT, SHSTK = 0xC0000002, 1, 2

# Changes the return addresses of calls, which hardware shadow stacks would refuse.
RETURNS_ELSEWHERE = ("x86_64/funcpatch_values.c.o",)


class Elf:
    """A 64-bit file of this machine's byte order."""

    def __init__(self, path):
        self.path = path
        self.bytes = path.read_bytes()
        (self.machine,) = struct.unpack_from("<H", self.bytes, 18)

    def table(self, at_in_header, size_in_header, layout):
        (offset,) = struct.unpack_from("<Q", self.bytes, at_in_header)
        size, count = struct.unpack_from("<HH", self.bytes, size_in_header)
        return [struct.unpack_from(layout, self.bytes, offset + i * size) for i in range(count)]

    def segments(self):
        """type, flags, offset, address, -, size, -, -"""
        return self.table(32, 54, "<IIQQQQQQ")

    def sections(self):
        """name, type, flags, address, offset, size, link, info, -, -"""
        return self.table(40, 58, "<IIQQQQIIQQ")

    def dynamic(self):
        for kind, _, offset, _, _, size, _, _ in self.segments():
            if kind == PT_DYNAMIC:
                yield from struct.iter_unpack("<QQ", self.bytes[offset : offset + size])

    def text_at(self, address):
        for kind, _, offset, start, _, size, _, _ in self.segments():
            if kind == PT_LOAD and start <= address < start + size:
                at = offset + address - start
                return self.bytes[at : self.bytes.index(b"\0", at)].decode()
        return ""

    def run_path(self):
        """The folders in which libraries are searched."""
        entries = dict(self.dynamic())
        found = []
        for tag in (DT_RPATH, DT_RUNPATH):
            if tag in entries:
                found += self.text_at(entries[DT_STRTAB] + entries[tag]).split(":")
        return found


def loaded_faults(elf):
    """Checks of a file that the loader maps."""
    flags = dict(elf.dynamic())
    segments = {kind: flags for kind, flags, *_ in elf.segments()}
    is_bound = flags.get(DT_FLAGS, 0) & DF_BIND_NOW or flags.get(DT_FLAGS_1, 0) & DF_1_NOW
    if not is_bound and DT_BIND_NOW not in flags:
        yield "binds functions when they are called"
    if PT_GNU_RELRO not in segments:
        yield "leaves the loader's tables writable"
    if segments.get(PT_GNU_STACK, PF_X) & PF_X:
        yield "wants an executable stack"
    if DT_TEXTREL in flags or flags.get(DT_FLAGS, 0) & DF_TEXTREL:
        yield "changes its own text when it is loaded"
    for kind, access, *_ in elf.segments():
        if kind == PT_LOAD and access & PF_W and access & PF_X:
            yield "has memory that is writable and executable"
    for folder in elf.run_path():
        if not folder.startswith(("$ORIGIN", "/")):
            yield f"looks for libraries in '{folder}', below the current folder"


def wrong_instructions(elf):
    """GOT entries of thread-locals that are used by instructions which linkers cannot relax."""
    sections = elf.sections()
    for _, kind, _, _, offset, size, _, info, _, _ in sections:
        if kind != SHT_RELA or not sections[info][2] & SHF_EXECINSTR:
            continue
        text = sections[info][4]
        for at, what, _ in struct.iter_unpack("<QQq", elf.bytes[offset : offset + size]):
            if what & 0xFFFFFFFF == R_X86_64_GOTTPOFF and elf.bytes[text + at - 2] not in (
                MOV,
                ADD,
            ):
                yield at


def features(elf):
    """The processor features that the object's property note enables."""
    found = 0
    sections = elf.sections()
    (names_index,) = struct.unpack_from("<H", elf.bytes, 62)
    names = sections[names_index][4]
    for name, _, _, _, offset, size, *_ in sections:
        if not elf.bytes.startswith(b".note.gnu.property\0", names + name):
            continue
        at = offset + 16  # the note's head and the owner's name
        while at + 12 <= offset + size:
            kind, length, value = struct.unpack_from("<III", elf.bytes, at)
            found |= value if kind == X86_FEATURES else 0
            at += 8 + (length + 7) // 8 * 8
    return found


def object_faults(elf):
    if elf.machine != EM_X86_64:
        return
    if list(wrong_instructions(elf)):
        yield "reaches a thread-local by other than MOV and ADD"
    marks = features(elf)
    if not marks & IBT:
        yield "has no mark for watched jumps (IBT)"
    if bool(marks & SHSTK) == str(elf.path).endswith(RETURNS_ELSEWHERE):
        yield "is not what its mark for watched returns (SHSTK) says"


def loaded_files(build):
    yield build / "bin" / "kymo"
    yield from sorted((build / "lib").glob("*.so"))
    yield from sorted((build / "python" / "kymo").glob("_native.*.so"))


def faults(build):
    for path in loaded_files(build):
        elf = Elf(path)
        for fault in loaded_faults(elf):
            yield f"{path.name} {fault}"
        is_command = path.name == "kymo"
        if (b"\0__stack_chk_fail\0" in elf.bytes) < (is_command or path.name == "libkymo.so"):
            yield f"{path.name} does not watch its stack"
        if (b"\0__snprintf_chk\0" in elf.bytes) != is_command:
            yield f"{path.name} {'lacks' if is_command else 'has'} the C library's checks"
    for folder in ("src", "python"):
        for path in sorted((build / folder).rglob("*.c.o")):
            for fault in object_faults(Elf(path)):
                yield f"{path.name} {fault}"


def main():
    found = list(faults(Path(sys.argv[1])))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Recordings of instrumented functions, read without the project's own reader."""

import bisect
import os
import struct
import subprocess
from collections import Counter, namedtuple
from pathlib import Path

from support import BUILD

KYMO = BUILD / "bin" / "kymo"
CHUNK = struct.Struct("<IHHQQIIQQ16x")
TABLE = struct.Struct("<QQIIII32x")
PLACE = struct.Struct("<II")
TIMED = struct.Struct("<IIQQQQ24xQQ6d")
CALLER = struct.Struct("<IIQ48xQQ6d")
THROTTLED = struct.Struct("<IIQQQ")
MODULE = struct.Struct("<QQQQQQ16x")
TAKEN, NO_EXIT, TAIL_CALLS = 0x80000000, 0x40000000, 0x20000000
OFF, ON, TIME = 2, 3, 4
NOT_OURS = 6, 7  # ticks that others had, or Kymo

Chunk = namedtuple("Chunk", "type flags thread base sequence payload")
Event = namedtuple("Event", "kind id slot ticks")


class Recording:
    """One process's recording: its functions, and their records by thread."""

    def __init__(self, path):
        self.bytes = Path(path).read_bytes()
        self.path = Path(path)
        (self.end,) = struct.unpack_from("<Q", self.bytes, 16)
        (self.start_ns,) = struct.unpack_from("<Q", self.bytes, 88)
        self.chunks = sorted(self._chunks(), key=lambda chunk: chunk.sequence)
        self.modules = self._modules()
        self.tables = [(*TABLE.unpack_from(c.payload), c) for c in self.of(15)]
        self.names = {}
        self.flags = {}
        for table in self.tables:
            self._name(table)

    def _chunks(self):
        at = 4096
        while at + CHUNK.size <= self.end:
            magic, kind, flags, size, _, thread, _, base, sequence = CHUNK.unpack_from(
                self.bytes, at
            )
            assert magic == 0x4B4E4843, f"chunk at {at}"
            payload = self.bytes[at + CHUNK.size : at + size]
            yield Chunk(kind, flags, thread, base, sequence, payload)
            at += size

    def of(self, kind):
        return [chunk for chunk in self.chunks if chunk.type == kind]

    def _string(self, reference):
        (length,) = struct.unpack_from("<I", self.bytes, reference)
        return self.bytes[reference + 4 : reference + 4 + length].decode(errors="replace")

    def _modules(self):
        found = []
        for chunk in self.of(9):
            for at in range(0, len(chunk.payload) - MODULE.size + 1, MODULE.size):
                start, end, bias, path, *_ = MODULE.unpack_from(chunk.payload, at)
                if path:
                    found.append((start, end, bias, self._string(path)))
        return found

    def _name(self, table):
        start, _, first, count, _, _, chunk = table
        for index in range(count):
            offset, flags = PLACE.unpack_from(chunk.payload, TABLE.size + index * PLACE.size)
            self.flags[first + index] = flags
            self.names[first + index] = self.symbol(start + offset)

    def symbol(self, address):
        for start, end, bias, path in reversed(self.modules):
            if start <= address < end:
                addresses, names = symbols(path)
                at = bisect.bisect_right(addresses, address - bias) - 1
                return names[at] if at >= 0 else "?"
        return "?"

    def taken(self):
        return {self.names[id] for id, flags in self.flags.items() if flags & TAKEN}

    def events(self):
        """{thread: [Event]} of COARSE and FULL."""
        by_thread = {}
        for chunk in self.of(16):
            by_thread.setdefault(chunk.thread, []).extend(map(Event._make, decode(chunk)))
        return by_thread

    def calls(self):
        """Calls of each function by name, in any kind of record."""
        entered = Counter()
        for chunk in self.of(16):
            entered.update(id for kind, id, _, _ in decode(chunk) if kind == "enter")
        calls = Counter()
        for id, count in entered.items():
            calls[self.names[id]] += count
        for thread in {chunk.thread for chunk in self.of(18)}:
            left = self._left(thread)
            for record in self.timed(thread):
                calls[self.names[record[0]]] += record[2] - left[record[0]]
        return calls + self.throttled()

    def throttled(self):
        """Calls that were only counted by throttling, by name."""
        calls = Counter()
        for chunk in self.of(21):
            whole = len(chunk.payload) // THROTTLED.size * THROTTLED.size
            for id, _, _, count, _ in THROTTLED.iter_unpack(chunk.payload[:whole]):
                if count:
                    calls[self.names[id]] += count
        return calls

    def _left(self, thread):
        left = {}
        for chunk in self.of(17):
            if chunk.thread == thread:
                for index, value in enumerate(struct.iter_unpack("<i", chunk.payload)):
                    left[chunk.base + index] = value[0]
        return left

    def timed(self, thread=None):
        for chunk in self.of(18):
            if thread is None or chunk.thread == thread:
                for at in range(0, len(chunk.payload) - TIMED.size + 1, TIMED.size):
                    record = TIMED.unpack_from(chunk.payload, at)
                    if record[2]:
                        yield record

    def callers(self):
        """(callee, name at the return address, timed calls) of COUNTS."""
        for chunk in self.of(19):
            for at in range(0, len(chunk.payload) - CALLER.size + 1, CALLER.size):
                id, timed, address, *_ = CALLER.unpack_from(chunk.payload, at)
                if timed:
                    yield self.names[id], self.symbol(address - 1), timed


def decode_marked(chunk):
    """The fields of each Event of a FUNCTION_EVENTS chunk with marks of time."""
    data, at, ticks, events = chunk.payload, 0, chunk.base, []
    end = len(data.rstrip(b"\0"))
    while at < end:
        head = int.from_bytes(data[at : at + 4], "little")
        if data[at] & 3 == 1:
            events.append(("enter", head >> 12, head >> 2 & 1023, ticks))
            at += 4
        elif data[at] & 3 == 2:
            assert head >> 12 & 15 == 0, f"record at {at}"
            events.append(("exit", None, head >> 2 & 1023, ticks))
            at += 2
        elif data[at] >> 2 in NOT_OURS and not data[at] & 3:
            at += 9
        elif data[at]:
            assert data[at] in (OFF << 2, ON << 2, TIME << 2), f"record at {at}"
            (ticks,) = struct.unpack_from("<Q", data, at + 1)
            if data[at] >> 2 != TIME:
                events.append((data[at] >> 2, None, None, ticks))
            at += 9
        else:
            at += 1
    return events


def decode(chunk):
    """The fields of each Event of one FUNCTION_EVENTS chunk."""
    if chunk.flags:
        return decode_marked(chunk)
    data, at, ticks, events = chunk.payload, 0, chunk.base, []
    while at < len(data):
        if data[at] & 1:
            head = int.from_bytes(data[at : at + 5], "little")
            delta, most, at = head >> 1 & 511, 511, at + 5
            event = ("enter", head >> 20, head >> 10 & 1023)
        elif data[at] & 2:
            head = int.from_bytes(data[at : at + 3], "little")
            delta, most, at = head >> 2 & 4095, 4095, at + 3
            event = ("exit", None, head >> 14)
        else:
            mark = data[at] >> 2
            if mark == 0:
                break
            if mark in NOT_OURS:
                at += 9
                continue
            (ticks,) = struct.unpack_from("<Q", data, at + 1)
            events.append((mark, None, None, ticks))
            at += 9
            continue
        if delta == most:
            (ticks,) = struct.unpack_from("<Q", data, at)
            at += 8
        else:
            ticks += delta
        events.append((*event, ticks))
    return events


_symbols = {}


def symbols(path):
    """Addresses and names of a file's functions, sorted."""
    if path not in _symbols:
        found = set()
        for option in ("", "-D"):
            command = ["nm", "--defined-only", *([option] if option else []), path]
            lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
            for line in lines:
                parts = line.split()
                if len(parts) == 3 and parts[1] in "tTwWi":
                    found.add((int(parts[0], 16), parts[2].split("@")[0]))
        ordered = sorted(found)
        _symbols[path] = [a for a, _ in ordered], [n for _, n in ordered]
    return _symbols[path]


def compile_c(folder, text, name="program", *options, compiler="gcc"):
    """A program compiled from text; its path."""
    source = folder / f"{name}.{'cc' if compiler == 'g++' else 'c'}"
    source.write_text(text)
    program = folder / name
    subprocess.run(
        [compiler, "-O2", "-g", "-fno-inline", "-pthread", "-o", program, source, *options],
        check=True,
    )
    return program


def recordings_below(folder):
    """Recordings in the order of their start: process ids may wrap around."""
    found = map(Recording, folder.rglob("*.kymo"))
    return sorted(found, key=lambda recording: recording.start_ns)


def run(folder, program, cost="full", *arguments, options=(), environment=None, status=0):
    """Run program instrumented; what it printed, and its recordings, the first process first."""
    output = folder / f"out-{cost}-{len(list(folder.glob('out-*')))}"
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "KYMO_FINISH": "OFF",
        **(environment or {}),
    }
    command = [KYMO, "run", f"--functions={cost}", "-o", output, *options, "--", program]
    done = subprocess.run(
        [*map(str, command), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )
    assert done.returncode == status, done.stderr
    return done, recordings_below(output)

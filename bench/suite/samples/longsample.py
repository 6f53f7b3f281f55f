"""A day of samples of one thread at 100 Hz: the size of its recording, and opening it."""

import os
import random
import struct
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import show

RATE, HOURS = 100, 24
FUNCTIONS, STACKS = 2000, 50_000
SAMPLES = RATE * HOURS * 3600
BLOCK = SAMPLES // 100  # samples of a chunk, which is repeated
PERIOD_UNITS = 3_000_000_000 // RATE // 1024  # of a counter of 3 GHz

STRINGS, THREADS, CODES, STACK_NODES, RECORDS = 1, 3, 10, 11, 12
PROFILE_OF_SAMPLES = 16
BEGIN, REALTIME_WITH_CPU = 0, 1 | 8
START_TICKS = 1 << 40


class Recording:
    """A writer of docs/format.md, as far as samples need it."""

    def __init__(self):
        self.chunks = []
        self.end = 4096
        self.sequence = 0

    def chunk(self, kind, payload, thread=0xFFFFFFFF, record_size=0, base=0):
        size = -(-(64 + len(payload)) // 4096) * 4096
        self.sequence += 1
        head = struct.pack(
            "<IHHQQIIQQ16x",
            0x4B4E4843,
            kind,
            0,
            size,
            len(payload),
            thread,
            record_size,
            base,
            self.sequence,
        )
        self.chunks.append(head + payload + bytes(size - 64 - len(payload)))
        offset = self.end + 64
        self.end += size
        return offset

    def write(self, path, ticks):
        header = bytearray(4096)
        struct.pack_into(
            "<8sIIQQII", header, 0, b"KYMO\r\n\x1a\n", 1, 4096, self.end, self.end, 2, 2
        )
        struct.pack_into("<QQ", header, 72, START_TICKS, START_TICKS + ticks)
        struct.pack_into("<I", header, 96, 2)
        struct.pack_into("<i", header, 296, 0)
        struct.pack_into("<I", header, 300, PROFILE_OF_SAMPLES)
        struct.pack_into("<QQQ", header, 304, START_TICKS, 0, 0)
        struct.pack_into("<QQQ", header, 328, START_TICKS + ticks, ticks // 3, ticks // 3)
        with open(path, "wb") as file:
            file.write(header)
            file.writelines(self.chunks)
        return os.path.getsize(path)


def _number(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _codes(recording):
    """Functions of many files, without line tables."""
    texts, places = bytearray(), []
    for i in range(FUNCTIONS):
        for text in (f"function_{i}", f"/src/package/module_{i // 20}.py"):
            places.append(len(texts))
            record = struct.pack("<I", len(text)) + text.encode() + b"\0"
            texts += record + bytes(-len(record) % 8)
    start = recording.chunk(STRINGS, bytes(texts))
    records = b"".join(
        struct.pack(
            "<QQQQIHHQ16x",
            start + places[2 * i],
            start + places[2 * i],
            start + places[2 * i + 1],
            0,
            1 + i % 20 * 30,
            3 << 8 | 12,
            0,
            i * 256,
        )
        for i in range(FUNCTIONS)
    )
    recording.chunk(CODES, records, record_size=64)


def _stacks(recording, choose):
    """A tree that is some twenty deep: most stacks continue a late one."""
    nodes = bytearray()
    for id in range(1, STACKS + 1):
        parent = 0 if id == 1 else max(1, id - 1 - int(choose.expovariate(1 / (id / 20 + 1))))
        frame = 1 << 62 | choose.randrange(FUNCTIONS) << 32 | choose.randrange(200) * 2
        nodes += struct.pack("<QII", frame, parent, 0)
    recording.chunk(STACK_NODES, bytes(nodes), 0, 16, 1)


def _samples(recording, choose):
    """Ticks from the first to the last."""
    records, units = bytearray(), 0
    for _ in range(BLOCK):
        step = PERIOD_UNITS + choose.randrange(-3000, 3000)
        stack = min(STACKS, int(choose.paretovariate(0.4)))
        units += step
        records += bytes([REALTIME_WITH_CPU]) + _number(step) + _number(stack)
        records += _number(choose.randrange(9000, 9760))
    begin = bytes([BEGIN, 0])
    for i in range(SAMPLES // BLOCK):
        payload = bytes(records) if i else begin + bytes(records)
        recording.chunk(RECORDS, payload, 0, 0, START_TICKS + i * units * 1024)
    return SAMPLES // BLOCK * units * 1024


def run(versions, rounds):
    choose = random.Random(1)
    tool = os.path.join(setup.BUILD, "bin", "kymo")
    recording = Recording()
    _codes(recording)
    recording.chunk(THREADS, struct.pack("<IIQQ104x", 0, 0, 4242, START_TICKS), record_size=128)
    _stacks(recording, choose)
    ticks = _samples(recording, choose)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "day-4242.kymo")
        size = recording.write(path, ticks)
        for view in ([], ["--tree"], ["--lines"], ["--threads"], ["--waits"], ["--gil"]):
            usage = Usage([tool, "report", path, *view], dict(os.environ))
            rows.append(
                [" ".join(["report", *view]), f"{usage.wall:.2f}", f"{usage.peak_bytes / 1e6:.0f}"]
            )
    show(
        f"{HOURS} hours of one thread at {RATE} Hz: {size / 1e6:.0f} MB, {size / SAMPLES:.1f} "
        "bytes a sample",
        ["command", "seconds", "peak memory, MB"],
        rows,
    )

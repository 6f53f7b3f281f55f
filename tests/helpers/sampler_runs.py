"""Runs under the sampler, and their recordings: docs/format.md, section samples."""

import bisect
import functools
import math
import struct
import subprocess
from collections import Counter
from dataclasses import dataclass

import lifecycle_runs
import support

HEADER_GATE, HEADER_GATE_LOG = 1840, 1856
CODES, STACKS, SAMPLES = 10, 11, 12
NATIVE, PYTHON, KERNEL, MARK = range(4)
BEGIN, REALTIME, CPUTIME, OVERFLOW, LOST = range(5)
NOT_HELD, HELD, WAITED_FOR = 1, 2, 3
CUT, LOST_CALLERS, UNCERTAIN = "[cut]", "[lost]", "[uncertain]"
MARKS = {1: CUT, 2: LOST_CALLERS, 3: UNCERTAIN, 4: "[no stack]"}
NAMELESS = "?"


@dataclass
class Sample:
    thread: int
    kind: int
    ticks: int
    stack: list  # names, innermost first
    cpu_ns: int
    value: int
    gil: int
    weight: float = 0  # ticks, or CPU time of kind CPUTIME


@functools.lru_cache(maxsize=None)
def symbols(path, *options):
    """Sorted (address, size, name) of a file's functions."""
    command = ["nm", "-S", "--defined-only", *options, path]
    result = subprocess.run(command, capture_output=True, text=True)
    found = []
    for line in result.stdout.splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tTwWi":
            found.append((int(parts[0], 16), int(parts[1], 16), parts[3].split("@")[0]))
    return sorted(found)


def symbol_at(path, value):
    for table in (symbols(path), symbols(path, "-D")):
        at = bisect.bisect_right(table, (value, 1 << 64, "")) - 1
        if at >= 0 and value < table[at][0] + table[at][1]:
            return table[at][2]
    return NAMELESS


class Sampled:
    """The samples of one recording."""

    def __init__(self, path):
        self.recording = support.decode(path)
        assert self.recording.problems == []
        self.data = self.recording.data
        self.modules = [
            (each.start, each.end, each.bias, self.recording.string(each.path))
            for each in self.recording.modules()
        ]
        self.codes, self.nodes, self.names = [], {}, {}
        streams = []
        for kind, payload, thread, base, sequence in self.chunks():
            if kind == CODES:
                for record in struct.iter_unpack("<4QIHHQ16x", payload):
                    self.codes.append(record)
            elif kind == STACKS:
                for i, (frame, parent, _) in enumerate(struct.iter_unpack("<QII", payload)):
                    self.nodes[thread, base + i] = (frame, parent)
            elif kind == SAMPLES:
                streams.append((thread, sequence, base, payload))
        self.begins, self.lost = Counter(), Counter()
        self.samples = [each for stream in sorted(streams) for each in self.read(*stream)]
        self.weigh()

    def chunks(self):
        offset = 4096
        (end,) = struct.unpack_from("<Q", self.data, 16)
        while offset < end:
            _, kind, _, size, used, thread, _, base, sequence = struct.unpack_from(
                "<IHHQQIIQQ", self.data, offset
            )
            yield kind, self.data[offset + 64 : offset + 64 + used], thread, base, sequence
            offset += size

    def read(self, thread, sequence, base, payload):
        at, ticks = 0, base

        def number():
            nonlocal at
            value = shift = 0
            while True:
                byte = payload[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value

        while at < len(payload):
            head = payload[at]
            at += 1
            kind = head & 7
            ticks += number() << 10
            stack = number() if kind not in (BEGIN, LOST) else 0
            cpu_ns = number() << 10 if head & 8 else 0
            value = number() if head & 128 else None
            if kind == LOST:
                self.lost[thread] += value
            else:
                names = self.stack(thread, stack)
                yield Sample(thread, kind, ticks, names, cpu_ns, value, head >> 4 & 3)

    def weigh(self):
        """Each sample represents the time since the previous one of its kind, or its BEGIN."""
        before, kept = {}, []
        for each in self.samples:
            if each.kind == BEGIN:
                self.begins[each.thread] += 1
                for kind in (REALTIME, CPUTIME, OVERFLOW):
                    before[each.thread, kind] = each.ticks
                continue
            each.weight = each.ticks - before[each.thread, each.kind]
            assert each.weight >= 0
            before[each.thread, each.kind] = each.ticks
            if each.kind == CPUTIME:
                each.weight = each.cpu_ns
            kept.append(each)
        self.samples = kept

    def stack(self, thread, number):
        names = []
        while number:
            frame, parent = self.nodes[thread, number]
            assert parent < number
            names.append(self.name(frame))
            number = parent
        return names

    def name(self, frame):
        """ "spin" of native code, "py:spin" of Python, "kernel:202" of system calls."""
        if frame not in self.names:
            self.names[frame] = self.look_up(frame >> 62, frame & (1 << 62) - 1)
        return self.names[frame]

    def look_up(self, kind, content):
        if kind == PYTHON:
            name = self.recording.string(self.codes[content >> 32][0])
            return f"py:{name}"
        if kind == KERNEL:
            return f"kernel:{content >> 48}"
        if kind == MARK:
            return MARKS[content & 255]
        for start, end, bias, path in reversed(self.modules):
            if start <= content < end:
                return symbol_at(path, content - bias)
        return NAMELESS

    def of(self, kind=REALTIME, thread=None):
        return [
            each
            for each in self.samples
            if each.kind == kind and (thread is None or each.thread == thread)
        ]

    def share(self, name, kind=REALTIME, thread=None, among=None):
        """Part of the time in which name is on the stack, of that in which among is."""
        total = within = 0
        for each in self.of(kind, thread):
            if among is None or among in each.stack:
                total += each.weight
                within += each.weight * (name in each.stack)
        return within / total if total else 0

    def is_share(self, expected, name, kind=REALTIME, among=None):
        """True when the share is the expected one within five standard errors of the actual
        number of samples."""
        weights = [each.weight for each in self.of(kind) if not among or among in each.stack]
        squares = sum(each * each for each in weights)
        count = sum(weights) ** 2 / squares if squares else 0
        error = 5 * math.sqrt(expected * (1 - expected) / max(count, 1))
        share = self.share(name, kind, among=among)
        assert count > 10
        assert abs(share - expected) < error + 0.01, (share, expected, count)
        return True

    def texts(self, kind, area="sampling"):
        return [
            value.decode()
            for note, key, value in self.recording.notes()
            if note.kind == kind and key.decode().startswith(area)
        ]


def environment(cwd, **settings):
    """Settings by their names without prefix, and what every run here has."""
    settings = {"SAMPLING_FREQ": 500, "TIME_OUTPUT": "OFF", "FINISH": "OFF", **settings}
    settings["OUTPUT_PATH"] = cwd / "out"
    return {f"KYMO_{name}": str(value) for name, value in settings.items()}


def run(program, cwd, *options, kymo=support.KYMO, **settings):
    """Run under `kymo sample` and return (result, samples of all processes by their starts)."""
    result = support.run(
        [kymo, "sample", *options, "--", *program],
        cwd=cwd,
        env=environment(cwd, **settings),
    )
    return result, found(cwd)


def found(cwd):
    all_of_them = [Sampled(path) for path in support.find_recordings(cwd / "out")]
    return sorted(all_of_them, key=lambda each: each.recording.header.start_realtime_ns)


def compile(source, *flags):
    return lifecycle_runs.compile(source, *flags)

"""Targets for kymo attach, and the samples of a recording, read without any of Kymo's own
code."""

import struct
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import support

CHUNK = struct.Struct("<IHHQQIIQQ16x")
STRINGS, THREADS, MODULES, CODES, STACKS, SAMPLES = 1, 3, 9, 10, 11, 12
NATIVE, PYTHON, KERNEL, MARK = range(4)
BEGIN, REALTIME, CPUTIME, OVERFLOW, LOST = range(5)
GIL_STATES = ("unknown", "not held", "held", "waited for")
MARKS = {1: "cut", 2: "lost", 3: "uncertain", 4: "no stack"}


@dataclass
class Sample:
    thread: int
    ns: int
    since_ns: int  # the time it stands for
    cpu_ns: int
    gil: str
    frames: tuple  # outermost first: ("python", name, offset), ("kernel", call, argument) …

    @property
    def functions(self):
        return tuple(frame[1] for frame in self.frames if frame[0] == "python")


@dataclass
class Recording:
    path: Path
    pid: int = 0
    state: int = 0
    flags: int = 0
    threads: dict = field(default_factory=dict)  # number -> {id, name, end}
    modules: list = field(default_factory=list)
    codes: list = field(default_factory=list)
    stacks: dict = field(default_factory=lambda: defaultdict(list))
    samples: list = field(default_factory=list)
    lost: int = 0
    last: dict = field(default_factory=dict)  # time of each thread's latest sample

    def thread(self, name):
        """Number of the one thread of that name."""
        (number,) = [key for key, each in self.threads.items() if each["name"] == name]
        return number

    def shares(self, thread=None):
        """{function: share of the time it was the innermost Python function}."""
        times = Counter()
        for sample in self.samples:
            if thread in (None, sample.thread) and sample.functions:
                times[sample.functions[-1]] += sample.since_ns
        total = sum(times.values())
        return {name: value / total for name, value in times.items()}


def _number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def load(path):
    data = Path(path).read_bytes()
    assert data[:8] == b"KYMO\r\n\x1a\n"
    found = Recording(Path(path))
    (end,) = struct.unpack_from("<Q", data, 16)
    found.state, _, found.pid = struct.unpack_from("<III", data, 32)
    found.flags = struct.unpack_from("<I", data, HEADER_FLAGS)[0]
    chunks = []
    at = 4096
    while at < end:
        magic, kind, _, size, used, thread, record, base, sequence = CHUNK.unpack_from(data, at)
        assert magic == 0x4B4E4843
        chunks.append((sequence, kind, thread, record, base, data[at + 64 : at + 64 + used]))
        at += size
    for _, kind, thread, _, base, payload in sorted(chunks, key=lambda each: (each[1], each[0])):
        _READERS.get(kind, _skip)(found, data, thread, base, payload)
    found.samples.sort(key=lambda sample: sample.ns)
    return found


# Offset of the flags in the header: after the fixed fields of docs/format.md.
HEADER_FLAGS = 300


def _skip(*unused):
    pass


def _text(data, reference):
    if not reference:
        return None
    (length,) = struct.unpack_from("<I", data, reference)
    return data[reference + 4 : reference + 4 + length].decode("utf-8", "surrogatepass")


def _threads(found, data, thread, base, payload):
    for at in range(0, len(payload), 128):
        number, _, system_id, _, end = struct.unpack_from("<IIQQQ", payload, at)
        (name,) = struct.unpack_from("<Q", payload, at + 48)
        found.threads[number] = {"id": system_id, "name": _text(data, name), "end": end}


def _modules(found, data, thread, base, payload):
    for at in range(0, len(payload), 64):
        start, end, _, path, build_id = struct.unpack_from("<QQQQQ", payload, at)
        found.modules.append((start, end, _text(data, path), _text(data, build_id)))


def _codes(found, data, thread, base, payload):
    for at in range(0, len(payload), 64):
        name, qualname, file, _, line = struct.unpack_from("<QQQQI", payload, at)
        found.codes.append((_text(data, name), _text(data, qualname), _text(data, file), line))


def _stacks(found, data, thread, base, payload):
    for at in range(0, len(payload), 16):
        found.stacks[thread].append(struct.unpack_from("<QI", payload, at))


def _frame(found, word):
    kind, content = word >> 62, word & ((1 << 62) - 1)
    if kind == PYTHON:
        return "python", found.codes[content >> 32][0], content & 0xFFFFFFFF
    if kind == KERNEL:
        return "kernel", content >> 48, content & ((1 << 48) - 1)
    if kind == MARK:
        return "mark", MARKS[content & 0xFF]
    return "native", content


def _frames(found, thread, stack):
    frames = []
    while stack:
        word, stack = found.stacks[thread][stack - 1]
        frames.append(_frame(found, word))
    return tuple(reversed(frames))


def _samples(found, data, thread, base, payload):
    at, ns = 0, base
    while at < len(payload):
        head = payload[at]
        units, at = _number(payload, at + 1)
        ns += units << 10
        kind, stack, cpu, value = head & 7, 0, 0, 0
        if kind not in (BEGIN, LOST):
            stack, at = _number(payload, at)
        if head & 8:
            cpu, at = _number(payload, at)
        if head & 0x80:
            value, at = _number(payload, at)
        if kind == LOST:
            found.lost += value
            continue
        if kind == REALTIME:
            gil = GIL_STATES[head >> 4 & 3]
            frames = _frames(found, thread, stack)
            found.samples.append(
                Sample(thread, ns, ns - found.last.get(thread, base), cpu << 10, gil, frames)
            )
        found.last[thread] = ns


_READERS = {
    THREADS: _threads,
    MODULES: _modules,
    CODES: _codes,
    STACKS: _stacks,
    SAMPLES: _samples,
}


class Target:
    """A Python program that runs until end() is called; tests/programs/attach_work.py."""

    def __init__(self, executable, *words, script="attach_work.py", **options):
        self.process = subprocess.Popen(
            [executable, str(support.program(script)), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        assert self.process.stdout.readline() == "ready\n"

    @property
    def pid(self):
        return self.process.pid

    def status(self, key):
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return line.split(":", 1)[1].strip()
        return None

    def end(self):
        """(what it printed, its status) when it has ended without a signal."""
        output, _ = self.process.communicate(timeout=support.TIMEOUT_S)
        return output, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


# What the program prints at its end, and its status.
UNTOUCHED = ("665667000\n", 7)


def attach(target, folder, *options, env=None, **more):
    """kymo attach to a target (or a process id); outputs in folder/out."""
    Path(folder).mkdir(exist_ok=True)
    settings = {"KYMO_OUTPUT_PATH": Path(folder) / "out", "KYMO_TIME_OUTPUT": "OFF"}
    settings.update(env or {})
    pid = getattr(target, "pid", target)
    return support.run_kymo(["attach", *options, pid], cwd=folder, env=settings, **more)


def sampled(target, folder, *options, **more):
    """The one recording of a successful attach, without the outputs."""
    result = attach(target, folder, *options, env={"KYMO_FINISH": "OFF"}, **more)
    assert result.returncode == 0, result.stderr
    (path,) = support.find_recordings(Path(folder) / "out")
    return load(path)

"""A second decoder of recordings, in plain Python, written from docs/format.md alone.

It is slow and literal on purpose: section numbers in the comments are those of that page.
The tests compare what it makes of a recording with what the C reader makes of it.

    python3 kymo_decoder.py RECORDING        prints everything as JSON
"""

import collections
import functools
import json
import math
import struct
import sys

import kymo_functions
from kymo_functions import FUNCTION_EVENTS, NO_EXIT, TAKEN, TIMED

MAGIC = b"KYMO\r\n\x1a\n"
PAGE = 4096
CHUNK_MAGIC = 0x4B4E4843
NO_THREAD = 0xFFFFFFFF
ALL_ONES = 0xFFFFFFFFFFFFFFFF
UNKNOWN = "(unknown)"

STRINGS, REGIONS, THREADS, NODES, EVENTS, SERIES, POINTS, NOTES, MODULES = range(1, 10)
CODES, STACKS, SAMPLES, PARTS, SHARES = range(10, 15)
WORK = 24
PART_COMPLETE, PART_IDLE = 1, 2
BY_THREAD = (EVENTS, STACKS, SAMPLES, *kymo_functions.BY_THREAD)
ALL_OF_PAYLOAD = (EVENTS, *kymo_functions.BY_THREAD)
KIND_USER, KIND_NATIVE, KIND_LAST = 4, 5, 14
KINDS_OF_THREADS = (6, 10)  # PTHREAD and PROGRAM: the whole of a thread
KINDS_OF_C = (2, 3)
CLOCK_MONOTONIC = 1
STATE_CLOSED = 2
FLAG_PROFILE, FLAG_MERGED = 1, 64
NODE_FOLDED, NODE_INHERITED = 1, 2

METRICS_BY_VALUE = """
wall_clock trip_count thread_cpu_clock process_cpu_clock user_clock system_clock
cpu_clock monotonic_clock monotonic_raw_clock peak_rss page_rss virtual_memory
num_major_page_faults num_minor_page_faults voluntary_context_switch priority_context_switch
num_io_in num_io_out read_char written_char read_bytes written_bytes user_mode_time
kernel_mode_time current_peak_rss cpu_util thread_cpu_util process_cpu_util
sampling_wall_clock sampling_cpu_clock sampling_percent sampling_waiting"""
METRIC_NAMES = METRICS_BY_VALUE.split()
NOTE_OF_METRIC = 7

# The tables of the page: name, offset and type of each field.
TYPES = {"u16": "<H", "u32": "<I", "u64": "<Q", "i32": "<i", "i64": "<q", "f64": "<d"}
LAYOUT = {
    "header": """magic 0 8s, version 8 u32, header_size 12 u32, end 16 u64, file_bytes 24 u64,
        state 32 u32, clock_kind 36 u32, pid 40 u32, parent_pid 44 u32, parent_start_ns 48 u64,
        run_id 56 16s, start_ticks 72 u64, end_ticks 80 u64, start_realtime_ns 88 u64,
        pair_count 96 u32, metric_count 100 u32, refused_chunks 232 u64, refused_bytes 240 u64,
        lost_events 248 u64, stack_aside_count 256 u64, cost_enter_exit_ps 264 u64,
        cost_c_call_ps 272 u64, startup_ns 280 u64, process_cpu_ns 288 u64, exit_status 296 i32,
        flags 300 u32""",
    "chunk": """magic 0 u32, type 4 u16, flags 6 u16, size 8 u64, used 16 u64, thread 24 u32,
        record_size 28 u32, base 32 u64, sequence 40 u64""",
    "region": """kind 0 u32, flags 4 u32, name 8 u64, qualname 16 u64, module 24 u64, file 32 u64,
        arguments 40 u64, line 48 u32, argument_count 52 u16, local_count 54 u16,
        stack_size 56 u32""",
    "thread": """number 0 u32, flags 4 u32, system_id 8 u64, start_ticks 16 u64, end_ticks 24 u64,
        parent 32 u32, parent_node 36 u32, root_node 40 u32, name 48 u64, lost_events 56 u64,
        folded 64 u64, resynced 72 u64, cpu_ns 80 u64, trace_enters 88 u64,
        misused_ends 96 u64, never_ended 104 u64, waited_ns 112 u64, off_ticks 120 u64""",
    "series": "name 0 u64, unit 8 u64, thread 16 u32",
    "point": "ticks 0 u64, series 8 u32, value 16 f64",
    "note": "size 0 u32, kind 4 u16, key_length 6 u16, ticks 8 u64",
    "node": """region 0 u32, parent 4 u32, depth 12 u16, flags 14 u16, count 16 u64, enter 24 u64,
        sum 32 u64, min 40 u64, max 48 u64, sum_squares 56 f64""",
    "metric": """count 0 u64, enter 8 u64, sum 16 f64, min 24 f64, max 32 f64, sum_squares 40 f64,
        sum_rest 48 i64, squares_rest 56 i64""",
    "module": """start 0 u64, end 8 u64, bias 16 u64, path 24 u64, build_id 32 u64, ticks 40 u64,
        name 48 u64""",
    "code": """name 0 u64, qualname 8 u64, file 16 u64, lines 24 u64, first_line 32 u32,
        version 36 u16, flags 38 u16, address 40 u64""",
    "stack": "frame 0 u64, parent 8 u32",
    "exact": "closed 0 u64, self 8 u64, squares 16 u64, squares_high 24 u64",
    "part": """run 0 u64, program 8 u64, host 16 u64, thread_name 24 u64, run_id 32 16s, pid 48 u32,
        thread 52 u32, rank 56 i32, flags 60 u32, start_realtime_ns 64 u64, duration_ns 72 u64,
        cpu_ns 80 u64, outside_ns 88 u64""",
    "part_rest": "measuring_ns 96 u64, process_ns 104 u64",
    "function_table": """start 0 u64, ticks 8 u64, first_id 16 u32, count 20 u32, cost 24 u32,
        taken 28 u32, cost_ps 32 u64, timing_ticks 40 u64, code 48 u64, code_size 56 u32""",
    "place": "offset 0 u32, size_flags 4 u32",
    "timed": "id 0 u32, every 4 u32, due 8 u64, timed 16 u64, min 24 u64, max 32 u64",
    "brief": "id 0 u32, since 8 u64, calls 16 u64",
    "caller": "id 0 u32, timed 4 u32, return_address 8 u64",
    "sums": """ended 0 u64, ticks 8 u64, squares 16 f64, weights 24 f64, weighted_ticks 32 f64,
        spread 40 f64, spread_ticks 48 f64, spread_squares 56 f64""",
    "pair": "ticks 0 u64, monotonic_ns 8 u64, realtime_ns 16 u64",
}
SIZES = {
    "region": 64,
    "thread": 128,
    "series": 32,
    "point": 24,
    "note": 16,
    "node": 64,
    "module": 64,
    "code": 64,
    "stack": 16,
    "part": 96,
}
HEADER_METRICS, HEADER_PAIRS, PAIR_SIZE, PAIRS_MOST = 104, 304, 24, 64
HEADER_GATE, HEADER_GATE_LOG, HEADER_HEARTBEAT = 1840, 1856, 2392


class NotARecording(Exception):
    """The file cannot be read as a recording at all."""


@functools.lru_cache(maxsize=None)
def fields_of(kind):
    """[(name, offset, type)] of a table."""
    rows = (field.split() for field in LAYOUT[kind].split(","))
    return [(name, int(at), struct.Struct(TYPES.get(form, form))) for name, at, form in rows]


class Record:
    """The fields of one record as attributes."""

    def __init__(self, kind, data, offset):
        for name, at, form in fields_of(kind):
            (value,) = form.unpack_from(data, offset + at)
            setattr(self, name, value)


class Chunk(Record):
    """A chunk's header with the place of its payload."""

    def __init__(self, data, offset, limit):
        super().__init__("chunk", data, offset)
        self.payload = offset + 64
        room = max(0, min(self.size, limit - offset) - 64)
        self.readable = (
            room if self.type in ALL_OF_PAYLOAD and self.used == 0 else min(self.used, room)
        )

    def records(self):
        """Offsets of the records."""
        for i in range(self.readable // self.record_size):
            yield self.payload + i * self.record_size


class Clock:
    """Section 7."""

    def __init__(self, header, pairs):
        self.start_ticks = header.start_ticks
        self.pairs = pairs[:1]
        for pair in pairs[1:]:
            last = self.pairs[-1]
            if pair.ticks > last.ticks and pair.monotonic_ns > last.monotonic_ns:
                pair.realtime_ns = max(pair.realtime_ns, last.realtime_ns)
                self.pairs.append(pair)
        self.rate = 1.0
        if header.clock_kind != CLOCK_MONOTONIC and len(self.pairs) > 1:
            first, last = self.pairs[0], self.pairs[-1]
            self.rate = (last.monotonic_ns - first.monotonic_ns) / (last.ticks - first.ticks)

    def wall(self, ticks, name):
        """Nanoseconds of "monotonic_ns" or "realtime_ns" at ticks."""
        before = [pair for pair in self.pairs if pair.ticks <= ticks]
        if not before:
            first = self.pairs[0]
            return getattr(first, name) - math.floor((first.ticks - ticks) * self.rate)
        start = before[-1]
        base = getattr(start, name)
        if len(before) == len(self.pairs):
            return base + math.floor((ticks - start.ticks) * self.rate)
        end = self.pairs[len(before)]
        rate = (getattr(end, name) - base) / (end.ticks - start.ticks)
        return min(base + math.floor((ticks - start.ticks) * rate), getattr(end, name))

    def since_start(self, ticks):
        return self.wall(ticks, "monotonic_ns") - self.wall(self.start_ticks, "monotonic_ns")


class Recording:
    """All of a recording, with what section 10 derives."""

    def __init__(self, data):
        self.data = data
        self.problems = []
        self.read_header()
        self.find_chunks()
        self.regions = self.read_regions()
        self.functions = self.read_functions()
        self.threads = {
            number: thread
            for number, thread in self.read_numbered(THREADS, "thread").items()
            if thread.number == number
        }
        self.series = self.read_numbered(SERIES, "series")
        self.end = self.find_end()
        self.open_end = self.find_open_end()

    def read_header(self):
        if self.data[:8] != MAGIC:
            raise NotARecording("no magic number")
        if len(self.data) < PAGE:
            raise NotARecording("cut off in its header")
        self.header = header = Record("header", self.data, 0)
        if header.version != 1:
            raise NotARecording(f"version {header.version}")
        metrics = struct.unpack_from("<32I", self.data, HEADER_METRICS)
        self.metrics = metrics[: header.metric_count]
        self.is_closed = header.state == STATE_CLOSED
        self.clock = Clock(header, self.read_pairs())

    def read_pairs(self):
        pairs = [
            Record("pair", self.data, HEADER_PAIRS + i * PAIR_SIZE)
            for i in range(self.header.pair_count)
        ]
        heartbeat = Record("pair", self.data, HEADER_HEARTBEAT)
        if self.is_closed or not heartbeat.ticks:
            return pairs
        return [*pairs[: PAIRS_MOST - 1], heartbeat]

    def find_chunks(self):
        """Section 4 and the first rule of section 10."""
        self.chunks = {kind: [] for kind in range(1, WORK + 1)}
        offset, end = self.header.header_size, self.header.end
        limit = min(end, len(self.data))
        while offset + 64 <= limit:
            chunk = Chunk(self.data, offset, limit)
            is_chunk = chunk.magic == CHUNK_MAGIC and chunk.size >= PAGE and chunk.size % PAGE == 0
            if not is_chunk or (chunk.size > limit - offset and end <= limit):
                self.problems.append(f"no chunk at {offset}")
                offset += PAGE
                continue
            if chunk.type in self.chunks:
                self.chunks[chunk.type].append(chunk)
            offset += chunk.size
        for kind in BY_THREAD:
            self.chunks[kind].sort(key=lambda chunk: (chunk.thread, chunk.sequence))

    def string(self, reference):
        """Section 5; None for 0 and for what is no string.  A text that was made stays."""
        if reference is None or isinstance(reference, str):
            return reference
        text = self.string_bytes(reference)
        return None if text is None else text.decode("utf-8", "replace")

    def string_bytes(self, reference):
        for chunk in self.chunks[STRINGS]:
            if reference % 8 or not chunk.payload <= reference < chunk.payload + chunk.readable:
                continue
            room = chunk.payload + chunk.readable - reference
            if room < 5:
                break
            (length,) = struct.unpack_from("<I", self.data, reference)
            if length + 5 > room or self.data[reference + 4 + length] != 0:
                break
            return self.data[reference + 4 : reference + 4 + length]
        return None

    def read_numbered(self, kind, name):
        table = {}
        for chunk in self.chunks[kind]:
            if chunk.record_size >= SIZES[name]:
                for i, offset in enumerate(chunk.records()):
                    table[chunk.base + i] = Record(name, self.data, offset)
        return table

    def read_regions(self):
        regions = self.read_numbered(REGIONS, "region")
        blank = Record("region", bytes(64), 0)
        return {number: regions.get(number, blank) for number in range(max(regions, default=0) + 1)}

    def read(self, kind, offset):
        return Record(kind, self.data, offset)

    def read_functions(self):
        """Functions by id; those that were instrumented are regions behind all others."""
        functions = kymo_functions.functions_of(self)
        for function in functions.values():
            if function.flags & TAKEN:
                function.region = len(self.regions)
                region = Record("region", bytes(64), 0)
                region.kind = KIND_NATIVE
                region.name, region.module = kymo_functions.name_of(self, function)
                self.regions[function.region] = region
        return functions

    def notes(self):
        for chunk in self.chunks[NOTES]:
            at = chunk.payload
            while at < chunk.payload + chunk.readable:
                note = Record("note", self.data, at)
                if note.size < 18 or note.size % 8:
                    break
                text = self.data[at + 16 : at + note.size]
                value = text[note.key_length + 1 :]
                yield note, text[: note.key_length], value[: value.index(b"\0")]
                at += note.size

    def modules(self):
        for chunk in self.chunks[MODULES]:
            for offset in chunk.records() if chunk.record_size >= SIZES["module"] else ():
                module = Record("module", self.data, offset)
                if self.string(module.path) is not None and module.start < module.end:
                    yield module

    # ---- merged recordings: section 12 ----

    def chunk_shares(self, chunk):
        """(part, region, enters, own ns, total ns) of a chunk, until one is damaged."""
        at, end, part, region = chunk.payload, chunk.payload + chunk.readable, chunk.base, 0

        def take():
            nonlocal at
            found = self.number(at, end)
            at = found[1] if found else end
            return found[0] if found else None

        while at < end:
            head = take()
            step = take() if head and head & 1 else 0
            count, own, rest = take(), take(), take()
            if None in (head, step, count, own, rest):
                return
            region = (0 if head & 1 else region) + (head >> 1)
            part += step
            if part >= 1 << 32 or region >= 1 << 32 or own + rest >= 1 << 64:
                return
            yield part, region, count, own, own + rest

    def shares_of(self, kind):
        parts = self.read_numbered(PARTS, "part")
        for chunk in self.chunks[kind]:
            for share in self.chunk_shares(chunk):
                if share[0] in parts and 0 < share[1] <= max(self.regions):
                    yield list(share)

    def shares(self):
        """With what is work, where that is not all."""
        work = {(share[0], share[1]): share[3:] for share in self.shares_of(WORK)}
        for share in self.shares_of(SHARES):
            own = work.get((share[0], share[1]), share[3:])
            yield share + (own if own != share[3:] else [])

    def rest_of_part(self, number):
        """What only longer records have: [] where it is not known."""
        for chunk in self.chunks[PARTS]:
            if chunk.record_size < 112:
                continue
            for i, offset in enumerate(chunk.records()):
                part = Record("part", self.data, offset)
                if chunk.base + i == number and part.flags & PART_COMPLETE:
                    rest = Record("part_rest", self.data, offset)
                    times = [part.outside_ns, rest.measuring_ns, rest.process_ns]
                    return [*times, bool(part.flags & PART_IDLE)]
        return []

    def exact(self, reference):
        """The block of exact sums behind a node, None where there is none."""
        blocks = 1 + len(self.metrics)
        for chunk in self.chunks[NODES]:
            if chunk.payload <= reference * 64 < chunk.payload + chunk.readable:
                has_block = chunk.record_size >= 64 * (blocks + 1)
                if has_block and self.header.flags & FLAG_MERGED:
                    return Record("exact", self.data, (reference + blocks) * 64)
        return None

    def find_end(self):
        header = self.header
        if self.is_closed and header.end_ticks >= header.start_ticks:
            return header.end_ticks
        times = [header.start_ticks, header.end_ticks, self.clock.pairs[-1].ticks]
        for thread in self.threads.values():
            times += [thread.start_ticks, thread.end_ticks]
        times += [node.enter for node, _, _ in self.all_nodes()]
        for number in {chunk.thread for chunk in self.chunks[EVENTS]}:
            times += [ticks for _, _, ticks, _ in self.records(number)]
        for number in {chunk.thread for chunk in self.chunks[FUNCTION_EVENTS]}:
            times += [record[1] for record in kymo_functions.all_calls(self, number)]
        for number in {chunk.thread for chunk in self.chunks[SAMPLES]}:
            last = [chunk for chunk in self.chunks_of(SAMPLES, number) if chunk.readable][-1:]
            times += [ticks for chunk in last for ticks in self.sample_times(chunk)]
        return max(times)

    def find_open_end(self):
        """When what is open was left: recording may have been switched off before."""
        (gate,) = struct.unpack_from("<I", self.data, HEADER_GATE)
        (switched,) = struct.unpack_from("<Q", self.data, HEADER_GATE_LOG + gate % 64 * 8)
        return min(self.end, switched) if gate % 2 else self.end

    def all_nodes(self):
        """Every node with its reference and its thread."""
        for chunk in self.chunks[NODES]:
            for offset in chunk.records():
                yield Record("node", self.data, offset), offset // 64, chunk.thread

    def chunks_of(self, kind, number):
        return [chunk for chunk in self.chunks[kind] if chunk.thread == number]

    # ---- samples: section 11 ----

    def stacks(self, number):
        """({id: (frame, parent)}, smallest id that cannot be, damaged chunks) of a thread."""
        stacks, end = {}, 1
        for chunk in self.chunks_of(STACKS, number):
            if chunk.record_size < SIZES["stack"] or chunk.record_size % 8:
                continue
            offsets = list(chunk.records())
            if offsets and not end <= chunk.base <= len(self.data) // 16:
                return stacks, end, 1
            for i, offset in enumerate(offsets):
                stack = Record("stack", self.data, offset)
                id = chunk.base + i
                stacks[id] = (stack.frame, stack.parent if stack.parent < id else 0)
                end = id + 1
        return stacks, end, 0

    def number(self, at, end):
        """(number, offset behind it); None where there is none."""
        value = 0
        for i, byte in enumerate(self.data[at : min(end, at + 10)]):
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                return (value, at + i + 1) if value < 1 << 64 else None
        return None

    def sample_record(self, at, end):
        """(head, [time, stack, CPU time, value], offset behind it); None: damaged."""
        head = self.data[at]
        has_stack = head & 7 not in (0, 4)
        values = []
        at += 1
        for is_there, limit in (
            (True, 1 << 54),
            (has_stack, 1 << 32),
            (head & 8, 1 << 54),
            (head & 0x80, 1 << 64),
        ):
            found = self.number(at, end) if is_there else (None, at)
            if found is None or (found[0] or 0) >= limit:
                return None
            values.append(found[0])
            at = found[1]
        return head, values, at

    def sample_records(self, chunk):
        """(head, ticks, stack, CPU ns, value) of a chunk; the last may be None: damaged."""
        at, end, ticks = chunk.payload, chunk.payload + chunk.readable, chunk.base
        while at < end:
            found = self.sample_record(at, end)
            if found is None or ticks + found[1][0] * 1024 >= 1 << 64:
                yield None
                return
            head, (time, stack, cpu, value), at = found
            ticks += time * 1024
            yield head, ticks, stack, None if cpu is None else cpu * 1024, value

    def sample_times(self, chunk):
        return [chunk.base] + [record[1] for record in self.sample_records(chunk) if record]

    def samples(self, number):
        """([kind, GIL, stack, ticks, start ticks, CPU ns, value] of each, lost, damaged)."""
        out, lost = [], 0
        _, stack_end, damaged = self.stacks(number)
        chunks = self.chunks_of(SAMPLES, number)
        now = chunks[0].base if chunks else 0
        last = dict.fromkeys((1, 2, 3), now)
        for record in (record for chunk in chunks for record in self.sample_records(chunk)):
            if record is None:
                damaged += 1
                continue
            head, ticks, stack, cpu, value = record
            now = max(now, ticks)
            kind = head & 7
            if kind == 0:
                last = dict.fromkeys(last, now)
            elif kind == 4:
                lost += value or 0
            elif kind in last:
                damaged += stack >= stack_end
                stack = stack if stack < stack_end else 0
                out.append([kind, head >> 4 & 3, stack, now, last[kind], cpu, value or 0])
                last[kind] = now
        return out, lost, damaged

    # ---- events: section 8 ----

    def records(self, number):
        """(kind, region, ticks, further words) of a thread; extensions as "extended N"."""
        for chunk in self.chunks[EVENTS]:
            if chunk.thread == number:
                yield from self.chunk_records(chunk)

    def chunk_records(self, chunk):
        words = struct.unpack_from(f"<{chunk.readable // 8}Q", self.data, chunk.payload)
        base, at = chunk.base, 0
        while at < len(words) and words[at]:
            head = words[at]
            kind, region = head >> 61, head >> 40 & 0x1FFFFF
            count = {4: 1, 5: 1, 6: 1, 7: region >> 8 & 0xFF}.get(kind, 0)
            if kind == 0:
                return
            if at + 1 + count > len(words):
                yield "damaged", 0, base, ()
                return
            further = words[at + 1 : at + 1 + count]
            at += 1 + count
            if kind == 6:
                base = further[0]
            elif kind != 7:
                yield kind, region, base + (head & 0xFFFFFFFFFF), further
            elif region & 0xFF in (1, 2, 3, 4, 5):
                extension = region & 0xFF
                subject = further[0] if further else 0
                kind = {1: 1, 4: 2}.get(extension, f"extended {extension}")
                yield kind, subject, base + (head & 0xFFFFFFFFFF), ()
            elif region & 0xFF in (6, 7, 8) and count >= 2:
                kind = {6: "value", 7: "send", 8: "receive"}[region & 0xFF]
                yield kind, further[0], base + (head & 0xFFFFFFFFFF), further[1:2]

    def value(self, first, second):
        """[name, type, value] of a VALUE record; None when it makes no sense."""
        name, type = self.string(first & (1 << 56) - 1), first >> 56
        if type == 1:
            second = self.string(second)
        elif type == 2:
            second -= second >> 63 << 64
        elif type == 4:
            (second,) = struct.unpack("<d", struct.pack("<Q", second))
        valid = name is not None and second is not None and 1 <= type <= 5
        return [name, type, second] if valid else None

    def records_and_calls(self, number):
        """The events of a thread and, between them by their time, the records of calls as
        ("call", record, ticks, ()).  Of the same time, events come first."""
        calls = kymo_functions.calls(self, number)
        call = next(calls, None)
        for record in self.records(number):
            while record[0] not in ("value", "damaged") and call and call[1] < record[2]:
                yield "call", call, call[1], ()
                call = next(calls, None)
            yield record
        while call:
            yield "call", call, call[1], ()
            call = next(calls, None)

    def events(self, number):
        """Balanced events [what, region, ticks, is synthetic, identity, instruction, value]
        and behind that the values that belong to them, the number of those dropped, and how
        many at the end close what was open."""
        return self.balanced(number).end()

    def balanced(self, number):
        balanced = Balanced(self, number)
        for record in self.records_and_calls(number):
            balanced.take(*record)
        return balanced

    # ---- the tree: sections 6 and 10 ----

    def roots(self):
        """Per thread number the root of its tree, each node with its children."""
        has_events, has_calls = bool(self.chunks[EVENTS]), bool(self.chunks[FUNCTION_EVENTS])
        self.paths, self.moments = {}, {}
        if has_events and (has_calls or not self.header.flags & FLAG_PROFILE):
            roots = self.replayed_roots()
        elif self.chunks[NODES]:
            roots = self.recorded_roots()
        else:
            roots = {} if has_calls else self.replayed_roots()
        if self.functions and not (has_calls and has_events):
            self.add_calls(roots)
        for root in roots.values():
            root.finish(self.clock.rate)
        self.hang_threads(roots)
        return roots

    def recorded_roots(self):
        self.paths = {}
        roots = {}
        owners = {thread.root_node: number for number, thread in self.threads.items()}
        for record, reference, chunk_thread in self.all_nodes():
            node = Path(record.region)
            if record.parent == 0:
                thread = owners.get(reference)
                if thread is None and not getattr(self.threads.get(chunk_thread), "root_node", 1):
                    thread = chunk_thread
                if thread is None or thread in roots:
                    continue
                roots[thread] = node
                node.region, node.thread = 0, thread
            else:
                parent = self.paths.get(record.parent)
                if parent is None or record.region not in self.regions:
                    continue
                node.thread = parent.thread
                parent.children.append(node)
            self.paths[reference] = node
            node.load(record, self.open_end if record.parent else self.end, self.exact(reference))
            node.metrics = [
                Record("metric", self.data, reference * 64 + 64 * (1 + i))
                for i in range(len(self.metrics))
            ]
        for root in roots.values():
            root.prune()
        return roots

    def replayed_roots(self):
        self.paths = None
        self.moments = {}
        roots = {}
        numbers = set(self.threads) | {chunk.thread for chunk in self.chunks[EVENTS]}
        for number in sorted(numbers & set(range(max(self.threads, default=-1) + 1))):
            roots[number] = self.replay(number)
        return roots

    def has_ended(self, number):
        thread = self.threads.get(number)
        return self.is_closed or bool(thread and thread.end_ticks)

    def bare_root(self, number):
        """The root of a thread of which nothing but its time is known."""
        thread, has_ended = self.threads.get(number), self.has_ended(number)
        root = Path(0)
        root.thread, root.count = number, 1
        if thread:
            root.visit((thread.end_ticks or self.end) - thread.start_ticks, has_ended)
        root.is_open = not has_ended
        return root

    def replay(self, number):
        root, has_ended = self.bare_root(number), self.has_ended(number)
        balanced = self.balanced(number)
        events, self.dropped, still_open = balanced.end()
        stack, moments = [(root, 0)], [(0, root)]
        for i, (what, region, ticks, *_) in enumerate(events):
            own = ticks - balanced.left_out[i]
            if what == "enter":
                node = stack[-1][0].child(region)
                node.count += 1
                stack.append((node, own))
            elif what in ("leave", "unwind"):
                node, entered = stack.pop()
                node.visit(own - entered, has_ended or i < len(events) - still_open)
            moments.append((ticks, stack[-1][0]))
        self.moments[number] = moments
        root.leave_out(balanced.away)
        root.away = balanced.away
        return root

    def add_calls(self, roots):
        """Section 13: below the whole of each thread."""
        metrics = [Record("metric", bytes(64), 0) for _ in self.metrics if self.chunks[NODES]]
        for number in sorted(self.threads):
            calls = self.replay(number) if self.chunks[FUNCTION_EVENTS] else self.bare_root(number)
            for _, node in calls.walk():
                node.metrics = metrics
            root = roots.setdefault(number, calls)
            if root is calls:
                continue
            whole = root.children[0] if len(root.children) == 1 else root
            if self.regions[whole.region].kind not in KINDS_OF_THREADS:
                whole = root
            for node in {whole, root}:
                node.leave_out(calls.away)
            others, whole.children = whole.children, whole.children + calls.children
            self.nest(whole, others, calls.children)

    def nest(self, whole, others, calls):
        """What lies beside functions may have happened inside of the longest one, or of others."""
        if not calls:
            return
        longest = max(calls, key=lambda node: node.sum)
        own = longest.sum - sum(node.sum for node in longest.children)
        beside = sum(node.sum for node in others)
        is_shorter = whole.sum < sum(node.sum for node in whole.children)
        if is_shorter and 0 < beside <= own:
            longest.children += others
            whole.children = list(calls)
        elif is_shorter and beside > 0:
            self.fit(whole, others, calls)

    def fit(self, whole, others, calls):
        functions = [node for call in calls for _, node in call.walk()]
        own = {
            node: max(node.sum - sum(child.sum for child in node.children), 0) for node in functions
        }
        below, pieces = {}, []
        for other in sorted(others, key=lambda node: -node.sum):
            candidates = [node for node in functions if own[node] > 0]
            fitting = [node for node in candidates if own[node] * 1.001 >= other.sum]
            if fitting and other.sum > 0:
                function = min(fitting, key=own.get)
                below[other] = function
                if not other.children:
                    other.sum = min(other.sum, own[function])
                own[function] -= other.sum
            elif not other.children:
                pieces += self.share_out(other, candidates, own, below)
        for other, function in ((other, below[other]) for other in others if other in below):
            function.children.append(other)
        whole.children = [node for node in whole.children if node not in below]
        for function, piece in pieces:
            function.children.append(piece)

    def share_out(self, other, candidates, own, below):
        """[(function, its part)] of what no function has enough own time for."""
        least, pieces = other.sum / 1000, []
        for function in sorted(candidates, key=lambda node: -own[node]):
            ticks = min(own[function], other.sum)
            own[function] -= ticks
            if other.sum - ticks <= least:
                other.sum, below[other] = ticks, function
                break
            pieces.append((function, other.split(ticks)))
        return pieces

    def hang_threads(self, roots):
        for number in sorted(self.threads):
            thread = self.threads[number]
            creator = None
            if self.paths is not None:
                creator = self.paths.get(thread.parent_node)
                if creator is not None and creator.is_pruned:
                    creator = None
            elif thread.parent < number and thread.parent in self.moments:
                # Where the parent stood just before its first event from then on.
                for ticks, node in self.moments[thread.parent]:
                    if ticks < thread.start_ticks or creator is None:
                        creator = node
            if creator is None and thread.parent < number:
                creator = roots.get(thread.parent)
            if creator is not None and creator.thread < number and number in roots:
                creator.creates.append(number)


class Balanced:
    """The events of a thread as they come, balanced: sections 8, 10 and 13."""

    def __init__(self, recording, number):
        self.recording = recording
        self.out, self.dropped, self.now = [], 0, 0
        self.stack = []  # of [region]: each its own, to be told from others of the region
        self.frames = kymo_functions.Frames()
        self.open_counts = collections.Counter()
        self.thread = recording.threads.get(number)
        self.has_ended = recording.is_closed or (self.thread and self.thread.end_ticks)
        self.has_event = False  # the values that follow belong to the last one
        self.left_out = []  # by event: ticks so far in which others had the processor
        self.told = self.away = 0  # of these, not found in time that went by yet; found
        self.passed = self.thread.start_ticks if self.thread else 0

    def pass_time(self):
        """What Kymo itself had stays in: this is what is in the file."""
        gone = max(self.now - self.passed, 0)
        self.passed += gone
        found = min(self.told, gone)
        self.told -= found
        self.away += found

    def add(self, what, region, is_synthetic=False, identity=0, instruction=-1, value=0):
        self.left_out.append(self.away)
        self.out.append([what, region, self.now, is_synthetic, identity, instruction, value])

    def enter(self, region, identity=0, instruction=-1):
        self.stack.append([region])
        self.open_counts[region] += 1
        self.add("enter", region, False, identity, instruction)
        return self.stack[-1]

    def leave(self, what="leave", is_synthetic=True):
        (region,) = self.stack.pop()
        self.open_counts[region] -= 1
        is_whole = self.recording.regions[region].kind in KINDS_OF_THREADS
        if not self.stack and is_whole and self.has_ended:
            is_synthetic = False
        self.add(what, region, is_synthetic)

    def end(self):
        last = (self.thread and self.thread.end_ticks) or self.recording.open_end
        self.now = max(self.now, last)
        self.pass_time()
        still_open = len(self.stack)
        while self.stack:
            self.leave()
        return self.out, self.dropped, still_open

    def take(self, kind, region, ticks, further):
        if kind == "value":
            value = self.recording.value(region, further[0]) if self.has_event else None
            self.dropped += self.has_event and value is None
            if value:
                self.out[-1].append(value)
            return
        if kind == "call" and region[0] in kymo_functions.FOREIGN.values():
            if region[0] == "away":
                self.told = (self.told + region[3]) % 2**64
            return
        self.now = max(self.now, ticks)
        self.pass_time()
        count = len(self.out)
        if kind == "call":
            self.told = 0
            self.take_call(*region)
        else:
            self.take_event(kind, region, further)
        self.has_event = len(self.out) > count

    def take_event(self, kind, region, further):
        stack = self.stack
        if kind == "damaged":
            self.dropped += 1
        elif kind == "extended 5":
            while stack and not (self.open_counts[region] and stack[-1][0] == region):
                self.leave()
        elif kind == "extended 3":
            self.add("lost", 0, value=region)
        elif region not in self.recording.regions:
            self.dropped += 1
        elif kind in (1, 4):
            self.enter(region, further[0] if kind == 4 and further else 0)
        elif kind == 5:
            instruction = further[0] & 0xFFFFFFFF
            self.enter(region, further[0] >> 32, instruction - (instruction >> 31 << 32))
        elif kind == "extended 2":
            self.add("instant", region)
        elif kind in ("send", "receive"):
            self.add(kind, region, value=further[0])
        elif not self.open_counts[region]:
            self.dropped += 1
        else:
            while stack[-1][0] != region:
                self.leave()
            self.leave("leave" if kind == 2 else "unwind", False)

    # ---- calls of instrumented functions: section 13 ----

    def end_frames(self, count, unwound, is_known=True):
        """The innermost frames end, and with them what was entered inside of them."""
        ended = [self.frames.open.pop() for _ in range(count)]
        how = {id(frame.entry): i < unwound for i, frame in enumerate(ended)}
        inside = [i for i, entry in enumerate(self.stack) if id(entry) in how]
        while inside and len(self.stack) > inside[0]:
            unwinds = how.get(id(self.stack[-1]))
            if unwinds is None or not is_known:
                self.leave()
            else:
                self.leave("unwind" if unwinds else "leave", False)

    def take_call(self, what, ticks, slot, id):
        frames = self.frames
        if what == "enter":
            self.enter_function(ticks, slot, id)
        elif what == "exit":
            count, unwound = frames.ended_by_exit(slot)
            self.dropped += count == 0 and bool(frames.open)
            self.end_frames(count, unwound)
        elif what == "damaged":
            self.dropped += 1
        else:
            self.end_frames(len(frames.open), 0, is_known=False)
            if what == "lost":
                self.add("lost", 0)

    def enter_function(self, ticks, slot, id):
        function = self.recording.functions.get(id)
        if not function or not function.region:
            self.dropped += 1
            return
        self.end_frames(*self.frames.ended_by_enter(slot, id))
        entry = self.enter(function.region)
        if function.flags & NO_EXIT or ticks >= function.until:
            self.leave("leave", False)
        else:
            frame = kymo_functions.Frame(slot, id, function.flags, entry)
            self.frames.open.append(frame)


class Path:
    """A node of the tree."""

    def __init__(self, region):
        self.region, self.thread = region, None
        self.children, self.creates, self.metrics = [], [], []
        self.count = self.closed = self.sum = self.min = self.max = 0
        self.squares = 0.0
        self.away = 0
        self.is_open = self.is_folded = self.is_inherited = self.is_pruned = False

    def load(self, record, end, exact):
        self.count, self.sum = record.count, record.sum
        self.is_folded = bool(record.flags & NODE_FOLDED)
        self.is_inherited = bool(record.flags & NODE_INHERITED)
        self.is_open = record.enter != 0
        if self.is_open:
            self.sum += max(0, end - record.enter)
        closed = (exact.closed if exact else record.count + self.is_inherited) - self.is_open
        if closed > 0 and record.min <= record.max:
            self.closed, self.min, self.max = closed, record.min, record.max
            self.squares = record.sum_squares

    def visit(self, ticks, is_closed):
        self.sum += ticks
        if not is_closed:
            self.is_open = True
            return
        self.min = min(self.min, ticks) if self.closed else ticks
        self.max = max(self.max, ticks)
        self.squares += float(ticks) ** 2
        self.closed += 1

    def leave_out(self, ticks):
        self.sum = max(self.sum - ticks, 0)
        if self.closed == 1:
            self.min = self.max = self.sum
            self.squares = float(self.sum) ** 2

    def split(self, ticks):
        """So much of it, with its part of all else."""
        share = ticks / self.sum if self.sum > ticks else 1
        part = Path(self.region)
        part.thread, part.min, part.max, part.metrics = (
            self.thread,
            self.min,
            self.max,
            self.metrics,
        )
        part.sum, part.is_open = ticks, self.is_open
        part.count, part.closed = (int(n * share + 0.5) for n in (self.count, self.closed))
        part.squares = self.squares * share
        self.sum -= ticks
        self.count -= part.count
        self.closed -= part.closed
        self.squares -= part.squares
        return part

    def child(self, region):
        for child in self.children:
            if child.region == region:
                return child
        self.children.append(Path(region))
        self.children[-1].thread = self.thread
        return self.children[-1]

    def prune(self):
        """Take the paths away that were made and never entered."""
        for _, node in reversed(list(self.walk())):
            for child in node.children:
                child.is_pruned = not (
                    child.count or child.is_open or child.is_inherited or child.children
                )
            node.children = [child for child in node.children if not child.is_pruned]

    def finish(self, rate):
        for _, node in reversed(list(self.walk())):
            below = sum(child.sum_ns for child in node.children)
            own = node.sum * rate
            node.sum_ns = own + below if node.is_folded else max(own, below)
            node.self_ns = node.sum_ns - below
            node.min_ns, node.max_ns = node.min * rate, node.max * rate
            node.squares_ns = node.squares * rate * rate

    def walk(self):
        """(depth, node) of this node and all below, parents first; paths may be deep."""
        pending = [(0, self)]
        while pending:
            depth, node = pending.pop()
            yield depth, node
            pending.extend((depth + 1, child) for child in reversed(node.children))


# ---- as JSON ----


def label(recording, region):
    """Section 5."""
    text = (recording.string(region.name) or UNKNOWN) + (recording.string(region.arguments) or "")
    file = recording.string(region.file)
    line = f":{region.line}" if region.flags & 2 and region.line else ""
    if region.flags & 1 and file is not None:
        shown = file if region.flags & 4 else file.rsplit("/", 1)[-1]
        return f"[{text}][{shown}{line}]"
    return text + line


def show_region(recording, number):
    region = recording.regions[number]
    return {
        "kind": region.kind if region.kind <= KIND_LAST else KIND_USER,
        "flags": region.flags,
        "name": recording.string(region.name) or UNKNOWN,
        "qualname": recording.string(region.qualname),
        "module": recording.string(region.module),
        "file": recording.string(region.file),
        "arguments": recording.string(region.arguments),
        "line": region.line,
        "argument_count": region.argument_count,
        "local_count": region.local_count,
        "stack_size": region.stack_size,
        "label": label(recording, region),
    }


def show_thread(recording, number):
    thread = recording.threads[number]
    counts = "flags system_id lost_events folded resynced cpu_ns misused_ends never_ended"
    shown = {name: getattr(thread, name) for name in counts.split()}
    shown["number"] = number
    shown["parent"] = thread.parent if thread.parent < number else None
    shown["name"] = recording.string(thread.name)
    shown["start_ns"] = recording.clock.since_start(thread.start_ticks)
    shown["end_ns"] = recording.clock.since_start(thread.end_ticks) if thread.end_ticks else None
    return shown


def show_module(recording, module):
    texts = [recording.string(module.path), recording.string(module.build_id)]
    return [*texts, module.start, module.end, module.bias]


def show_code(recording, code):
    lines = recording.string_bytes(code.lines)
    return [
        *(recording.string(text) for text in (code.name, code.qualname, code.file)),
        code.first_line,
        code.version,
        code.flags,
        None if lines is None else lines.hex(),
    ]


def show_samples(recording, number):
    samples, lost, _ = recording.samples(number)
    stacks, end, _ = recording.stacks(number)
    since_start = recording.clock.since_start
    return {
        "thread": number,
        "lost": lost,
        "stacks": [list(stacks.get(id, [0, 0])) for id in range(1, end)],
        "samples": [
            [kind, gil, stack, since_start(ticks), (ticks - start) * recording.clock.rate, *rest]
            for kind, gil, stack, ticks, start, *rest in samples
        ],
    }


def show_metric(block):
    if not block.count:
        return [0, block.sum, 0, 0, block.sum_squares]
    return [block.count, block.sum, block.min, block.max, block.sum_squares]


def show_node(depth, node):
    return {
        "thread": node.thread,
        "depth": depth,
        "region": node.region,
        "count": node.count,
        "closed": node.closed,
        "sum_ns": node.sum_ns,
        "self_ns": node.self_ns,
        "min_ns": node.min_ns,
        "max_ns": node.max_ns,
        "sum_squares": node.squares_ns,
        "open": node.is_open,
        "folded": node.is_folded,
        "creates": node.creates,
        "metrics": [show_metric(block) for block in node.metrics],
    }


def show_events(recording, number):
    events, dropped, _ = recording.events(number)
    since_start = recording.clock.since_start
    return {
        "thread": number,
        "dropped": dropped,
        "events": [
            [what, region, since_start(ticks), *rest] for what, region, ticks, *rest in events
        ],
    }


def metric_name(recording, metric):
    """From 256 on a metric is named by a note, whose text is name, unit and description."""
    if metric < len(METRIC_NAMES):
        return METRIC_NAMES[metric]
    for note, key, value in recording.notes():
        if note.kind == NOTE_OF_METRIC and key == str(metric).encode():
            return value.split(b"\n")[0].decode()
    return f"metric-{metric}"


def show_merged(recording):
    """Section 12."""
    texts = ["run", "program", "host", "thread_name"]
    numbers = ["pid", "thread", "rank", "start_realtime_ns", "duration_ns", "cpu_ns"]
    return {
        "parts": [
            [
                *(recording.string(getattr(part, name)) for name in texts),
                part.run_id.hex(),
                *(getattr(part, name) for name in numbers),
                *recording.rest_of_part(number),
            ]
            for number, part in sorted(recording.read_numbered(PARTS, "part").items())
        ],
        "shares": list(recording.shares()),
    }


def counts_tell(recording):
    """Calls were counted: who called whom is told, and the paths are estimates."""
    return bool(recording.functions and recording.chunks[TIMED])


def show(data):
    """Everything that can be said about a recording, for comparison."""
    recording = Recording(data)
    header, clock = recording.header, recording.clock
    roots = recording.roots()
    calls = [node for root in roots.values() for depth, node in root.walk() if depth]
    counted = dict(kymo_functions.calls_by_region(recording))
    c_regions = {n for n, region in recording.regions.items() if region.kind in KINDS_OF_C}
    points = [
        Record("point", data, offset)
        for chunk in recording.chunks[POINTS]
        for offset in chunk.records()
    ]
    return {
        "state": header.state,
        "flags": header.flags,
        "clock_kind": header.clock_kind,
        "pid": header.pid,
        "parent_pid": header.parent_pid,
        "exit_status": header.exit_status,
        "is_closed": recording.is_closed,
        "end_ns": clock.since_start(recording.end),
        "end_realtime_ns": clock.wall(recording.end, "realtime_ns"),
        "tick_ns": clock.rate,
        "metrics": [metric_name(recording, metric) for metric in recording.metrics],
        "regions": [show_region(recording, number) for number in sorted(recording.regions)],
        "threads": [show_thread(recording, number) for number in sorted(recording.threads)],
        "notes": [
            [note.kind, key.decode(), value.decode("utf-8", "replace")]
            for note, key, value in recording.notes()
        ],
        "series": [
            [recording.string(each.name), recording.string(each.unit) or "", each.thread]
            for _, each in sorted(recording.series.items())
        ],
        "points": [[each.series, clock.since_start(each.ticks), each.value] for each in points],
        "modules": [show_module(recording, module) for module in recording.modules()],
        "call_count": sum(node.count for node in calls) + sum(counted.values()),
        "c_call_count": sum(node.count for node in calls if node.region in c_regions),
        "nodes": [
            show_node(depth, node)
            for number in (() if counts_tell(recording) else sorted(roots))
            for depth, node in roots[number].walk()
        ],
        "traces": [show_events(recording, number) for number in sorted(recording.threads)],
        "codes": [
            show_code(recording, code)
            for _, code in sorted(recording.read_numbered(CODES, "code").items())
        ],
        "samples": [show_samples(recording, number) for number in sorted(recording.threads)],
        "damaged_samples": sum(recording.samples(number)[2] for number in recording.threads),
        **(kymo_functions.show(recording) if recording.functions else {}),
        **(show_merged(recording) if header.flags & FLAG_MERGED else {}),
    }


def load(path):
    """What show() makes of a file."""
    with open(path, "rb") as file:
        return show(file.read())


def dump(shown, out):
    """As JSON, with a line for each thing, so that differences can be read."""
    sections = []
    for key, value in shown.items():
        if isinstance(value, list) and value:
            lines = ",\n".join("  " + json.dumps(item) for item in value)
            sections.append(f" {json.dumps(key)}: [\n{lines}\n ]")
        else:
            sections.append(f" {json.dumps(key)}: {json.dumps(value)}")
    out.write("{\n" + ",\n".join(sections) + "\n}\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        dump(load(sys.argv[1]), sys.stdout)
    except NotARecording as problem:
        sys.exit(f"{sys.argv[1]}: {problem}")


if __name__ == "__main__":
    main()

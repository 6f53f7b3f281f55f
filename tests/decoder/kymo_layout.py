"""The tables of docs/format.md, and the records, chunks and clock that are read by them."""

import functools
import math
import struct

import kymo_functions

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
FLAG_PROFILE, FLAG_MERGED, FLAG_POSITIONS = 1, 64, 2048
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
    "timed": "id 0 u32, sampling_interval 4 u32, due 8 u64, timed 16 u64, min 24 u64, max 32 u64",
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

"""A recording as it is in its file, and what is derived of it."""

import struct

import kymo_functions
from kymo_events import Events
from kymo_functions import FUNCTION_EVENTS, TAKEN
from kymo_layout import (
    BY_THREAD,
    CHUNK_MAGIC,
    EVENTS,
    HEADER_GATE,
    HEADER_GATE_LOG,
    HEADER_HEARTBEAT,
    HEADER_METRICS,
    HEADER_PAIRS,
    KIND_NATIVE,
    MAGIC,
    MODULES,
    NODES,
    NOTES,
    PAGE,
    PAIR_SIZE,
    PAIRS_MOST,
    REGIONS,
    SAMPLES,
    SERIES,
    SIZES,
    STATE_CLOSED,
    STRINGS,
    THREADS,
    WORK,
    Chunk,
    Clock,
    NotARecording,
    Record,
)
from kymo_merged import Merged
from kymo_samples import Samples
from kymo_tree import Trees


class Recording(Merged, Samples, Events, Trees):
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
        if header.version not in (1, 2):
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
        self.is_off = gate % 2 == 1
        (switched,) = struct.unpack_from("<Q", self.data, HEADER_GATE_LOG + gate % 64 * 8)
        return min(self.end, switched) if gate % 2 else self.end

    def all_nodes(self):
        """Every node with its reference and its thread."""
        for chunk in self.chunks[NODES]:
            for offset in chunk.records():
                yield Record("node", self.data, offset), offset // 64, chunk.thread

    def chunks_of(self, kind, number):
        return [chunk for chunk in self.chunks[kind] if chunk.thread == number]

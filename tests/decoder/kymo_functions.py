"""Section 13 of docs/format.md, instrumented functions, for kymo_decoder.py.

Literal and slow like that: what is open is a list that is searched from its end.
"""

import math
import struct

FUNCTIONS, FUNCTION_EVENTS, COUNTDOWNS, TIMED, CALLERS = range(15, 20)
THROTTLED = 21
BY_THREAD = (FUNCTION_EVENTS, COUNTDOWNS, TIMED, CALLERS, THROTTLED)
LOOP, CALL_THROUGH, UNPATCHED, TAIL_CALLS, NO_EXIT, TAKEN = (1 << bit for bit in range(26, 32))
SIZE_MASK = (1 << 26) - 1
ID_LIMIT = 1 << 20
SLOTS, RISE_MOST, CHAIN_MOST = 1024, 512, 64
TABLE_SIZE, PLACE_SIZE = 64, 8
GATE, GATE_LOG, GATE_LOG_COUNT = 1840, 1856, 64  # in the header
MARKS = {1: "lost", 2: "off", 3: "on"}
FOREIGN = {6: "away", 7: "own"}  # ticks in the place of a time
MARKED, TIME = 1, 4  # a flag of chunks, and a mark in these
COARSE = 2  # the cost of a table


class Function:
    """A place of a table."""

    def __init__(self, table, place):
        self.address = table.start + place.offset
        self.size = place.size_flags & SIZE_MASK
        self.flags = place.size_flags & ~SIZE_MASK
        self.until = math.inf  # calls that begin later have no ends
        self.region = 0


def tables(recording, with_chunks=False):
    """(table, offset of its first place) of those that hold places."""
    for chunk in recording.chunks[FUNCTIONS]:
        if chunk.readable < TABLE_SIZE:
            continue
        table = recording.read("function_table", chunk.payload)
        table.count = min(table.count, (chunk.readable - TABLE_SIZE) // PLACE_SIZE)
        is_possible = table.first_id <= len(recording.data) // 4 + 1024
        if table.count and is_possible and table.first_id + table.count <= ID_LIMIT:
            places = chunk.payload + TABLE_SIZE
            yield (chunk, table, places) if with_chunks else (table, places)


def functions_of(recording):
    """Functions by id."""
    found, until = {}, math.inf
    for table, places in tables(recording):
        for i in range(table.count):
            function = Function(table, recording.read("place", places + i * PLACE_SIZE))
            if known := found.get(table.first_id + i):  # the same one once more
                known.flags |= function.flags & UNPATCHED
                if known.flags & CALL_THROUGH and function.flags & NO_EXIT:
                    until = min(until, table.ticks)
            else:
                found[table.first_id + i] = function
    for function in found.values():
        if function.flags & CALL_THROUGH:
            function.until = until
    return dict(sorted(found.items()))


def code_of(recording):
    """[(start, end, id or None)] of the code that records calls."""
    found = []
    for chunk, table, places in tables(recording, with_chunks=True):
        at = places + table.count * PLACE_SIZE
        behind = chunk.payload + chunk.readable
        starts = []
        while table.code and table.code + table.code_size < 1 << 64 and at + 8 <= behind:
            offset, owner = struct.unpack_from("<II", recording.data, at)
            if offset >= table.code_size or (starts and offset < starts[-1][0]):
                break
            starts.append((offset, None if owner == 0xFFFFFFFF else owner))
            at += 8
        for (start, owner), (end, _) in zip(starts, [*starts[1:], (table.code_size, None)]):
            found.append((table.code + start, table.code + end, owner))
    return found


def id_at(recording, address):
    """The function that covers an address: of those that begin there or before, the last."""
    begun = [
        (function.address, id)
        for id, function in recording.functions.items()
        if function.address <= address
    ]
    start, id = max(begun, default=(0, None))
    covers = begun and address < start + recording.functions[id].size
    return id if covers else None


def caller_at(recording, code, address):
    for start, end, owner in code:
        if start <= address < end:
            return owner
    return id_at(recording, address)


def module_of(recording, address):
    """The file that holds an address: a later record covers earlier ones."""
    modules = sorted(recording.modules(), key=lambda module: module.ticks)
    held = [module for module in modules if module.start <= address < module.end]
    return held[-1] if held else None


def name_of(recording, function):
    """(name, module) of a function in a file without symbols, as one that is gone."""
    module = module_of(recording, function.address)
    if module is None:
        return "[unknown]", None
    path = recording.string(module.path)
    return f"{path.rsplit('/', 1)[-1]}+{function.address - module.bias:#x}", path


def escaped(data, at, ticks, end):
    """(time that follows a record, offset behind it); None: cut off."""
    if at + 8 > end:
        return None
    return max(ticks, int.from_bytes(data[at : at + 8], "little")), at + 8


def chunk_calls(data, chunk, ticks):
    """(what, ticks, slot, id) of a chunk; the last may be "damaged"."""
    at, end = chunk.payload, chunk.payload + chunk.readable
    while at < end:
        size, slot, id = 1, None, None
        if data[at] & 1:
            size, what = 5, "enter"
        elif data[at] & 2:
            size, what = 3, "exit"
        else:
            what = MARKS.get(data[at] >> 2, "damaged")
            if data[at] >> 2 == 0:
                return
            if data[at] >> 2 in FOREIGN and at + 9 <= end:
                told = int.from_bytes(data[at + 1 : at + 9], "little")
                yield FOREIGN[data[at] >> 2], ticks, None, told
                at += 9
                continue
        word = int.from_bytes(data[at : min(at + size, end)], "little")
        if what == "enter":
            delta, most, slot, id = word >> 1 & 511, 511, word >> 10 & 1023, word >> 20
        elif what == "exit":
            delta, most, slot = word >> 2 & 4095, 4095, word >> 14
        else:
            delta = most = 0
        behind = (
            (ticks + delta, at + size) if delta != most else escaped(data, at + size, ticks, end)
        )
        if what == "damaged" or behind is None or behind[1] > end:
            yield "damaged", ticks, None, None
            return
        ticks, at = behind
        yield what, ticks, slot, id


def marked_calls(data, chunk, ticks):
    """Likewise, of a chunk with marks of time, which are (None, ticks, None, None)."""
    at, end = chunk.payload, chunk.payload + chunk.readable
    last = at + len(data[at:end].rstrip(b"\0"))
    while at < last:
        kind, which = data[at] & 3, data[at] >> 2
        size = {1: 4, 2: 2}.get(kind, 9 if which else 1)
        word = int.from_bytes(data[at : min(at + size, end)], "little")
        slot = word >> 2 & 1023
        at += size
        if data[at - size] == 0:
            continue
        is_mark = kind == 0 and (which in MARKS or which == TIME or which in FOREIGN)
        if at > end or not (kind == 1 or (kind == 2 and word < 1 << 12) or is_mark):
            yield "damaged", ticks, None, None
            return
        if is_mark and which in FOREIGN:
            yield FOREIGN[which], ticks, None, word >> 8
        elif is_mark:
            ticks = max(ticks, word >> 8)
            yield MARKS.get(which), ticks, None, None
        elif kind == 1:
            yield "enter", ticks, slot, word >> 12
        else:
            yield "exit", ticks, slot, None


def all_calls(recording, number):
    """The records of a thread, whether their functions are known or not."""
    ticks, thread = 0, recording.threads.get(number)
    for chunk in recording.chunks_of(FUNCTION_EVENTS, number):
        if chunk.flags & MARKED and thread:
            ticks = max(ticks, thread.start_ticks)
        ticks = max(ticks, chunk.base)
        read = marked_calls if chunk.flags & MARKED else chunk_calls
        for record in read(recording.data, chunk, ticks):
            ticks = record[1]
            yield record


def stops(recording):
    """[(off, on)] of recording, as far as the log in the header goes."""
    (last,) = struct.unpack_from("<I", recording.data, GATE)
    found, before = [], 0
    for number in range(max(last - (GATE_LOG_COUNT - 1), 1), last + 1):
        at = GATE_LOG + number % GATE_LOG_COUNT * 8
        (time,) = struct.unpack_from("<Q", recording.data, at)
        if time == 0 or time < before:
            break
        before = time
        if number % 2:
            found.append((time, math.inf))
        elif found:
            found[-1] = (found[-1][0], time)
    return found


def calls(recording, number):
    """What is to be read of them: without a table, nothing.  What is open ends where recording was
    switched off, which no record tells."""
    left, before = stops(recording), 0
    for record in all_calls(recording, number) if recording.functions else ():
        if not record[0]:
            continue
        if record[0] in FOREIGN.values():  # of what comes behind the record before
            yield record[0], before, None, record[3]
            continue
        if left and record[1] >= left[0][1]:
            yield "off", max(left[0][0], before), None, None
            left = [stop for stop in left if stop[1] > record[1]]
        before = record[1]
        yield record


class Frame:
    """An open call."""

    def __init__(self, slot, id, flags, entry):
        self.slot, self.id, self.flags, self.entry = slot, id, flags, entry


class Frames:
    """The open calls of a thread, the innermost last."""

    def __init__(self):
        self.open = []

    def chain(self, at):
        """The outermost of those at one slot that follow each other up to this one."""
        while at > 0 and self.open[at - 1].slot == self.open[at].slot:
            at -= 1
        return at

    def ended_by_enter(self, slot, id):
        """(how many of the innermost end, how many of these unwound)."""
        if not self.open:
            return 0, 0
        depth, top = len(self.open), self.open[-1]
        rise = (slot - top.slot) % SLOTS
        if rise == 0 and top.flags & TAIL_CALLS:
            start = self.chain(depth - 1)
            if depth - start >= CHAIN_MOST:
                return depth - start, 0
            same = [i for i in range(start, depth) if self.open[i].id == id]
            return (depth - same[0], 0) if same else (0, 0)
        if rise == 0:
            count = depth - self.chain(depth - 1)
            return count, count
        if rise > RISE_MOST:
            return 0, 0
        risen = 0
        for at in range(depth - 2, -1, -1):
            risen += (self.open[at].slot - self.open[at + 1].slot) % SLOTS
            if risen >= rise:
                count = depth - self.chain(at) if risen == rise else 0
                return count, count
        return 0, 0

    def ended_by_exit(self, slot):
        for at in range(len(self.open) - 1, -1, -1):
            if self.open[at].slot != slot:
                continue
            unwound = len(self.open) - 1 - at
            mask = TAIL_CALLS if self.open[at].flags & CALL_THROUGH else TAIL_CALLS | CALL_THROUGH
            while (
                at > 0
                and self.open[at - 1].slot == slot
                and self.open[at - 1].flags & mask == TAIL_CALLS
            ):
                at -= 1
            return len(self.open) - at, unwound
        return 0, 0

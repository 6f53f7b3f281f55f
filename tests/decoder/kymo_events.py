"""Events of threads as they were recorded, and balanced."""

import collections
import struct

import kymo_functions
from kymo_functions import NO_EXIT
from kymo_layout import EVENTS, KINDS_OF_THREADS


class Events:
    """Section 8."""

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

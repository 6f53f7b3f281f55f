"""Samples of threads, and their stacks."""

from kymo_layout import SAMPLES, SIZES, STACKS, Record


class Samples:
    """Section 11."""

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

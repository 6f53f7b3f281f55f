"""What merged recordings hold besides others."""

from kymo_layout import FLAG_MERGED, NODES, PART_COMPLETE, PART_IDLE, PARTS, SHARES, WORK, Record


class Merged:
    """Section 12."""

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

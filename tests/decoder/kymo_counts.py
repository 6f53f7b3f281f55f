"""Section 13 of docs/format.md, functions whose calls were counted, for kymo_decoder.py."""

from kymo_functions import CALLERS, COUNTDOWNS, THROTTLED, TIMED, caller_at, code_of, tables

COST_COUNTS = 1
SUM_LIMIT = 1e60
TIMED_SIZE, BRIEF_SIZE = 128, 32
BRIEF_LIMIT = 1 << 60
SUMS = "ended ticks squares weights weighted_ticks spread spread_ticks spread_squares"


def left(recording, number, id):
    for chunk in recording.chunks_of(COUNTDOWNS, number):
        index = id - chunk.base
        if 0 <= index < chunk.readable // 4:
            at = chunk.payload + 4 * index
            return int.from_bytes(recording.data[at : at + 4], "little", signed=True)
    return 0


def table_of(recording, kind, name, number):
    """The records of a thread, each with its sums."""
    for chunk in recording.chunks_of(kind, number):
        for at in chunk.records() if chunk.record_size >= TIMED_SIZE else ():
            record = recording.read(name, at)
            record.sums = recording.read("sums", at + 64)
            if all(0 <= value < SUM_LIMIT for value in sums(record)[2:]):
                yield record


def counted(recording, number):
    """{id: record, with its calls} of a thread."""
    found = {}
    for record in table_of(recording, TIMED, "timed", number):
        function = recording.functions.get(record.id)
        record.calls = record.due - left(recording, number, record.id)
        is_valid = record.due and function and function.region and record.calls >= 0
        if is_valid and record.id not in found:
            found[record.id] = record
    return dict(sorted(found.items()))


def brief(recording, number):
    """{id: calls that were only counted} of a thread."""
    found = {}
    for chunk in recording.chunks_of(THROTTLED, number):
        for at in chunk.records() if chunk.record_size >= BRIEF_SIZE else ():
            record = recording.read("brief", at)
            function = recording.functions.get(record.id)
            if 0 < record.calls < BRIEF_LIMIT and function and function.region:
                found[record.id] = found.get(record.id, 0) + record.calls
    return found


def callers(recording, number, known):
    """{(callee, caller): [timed, sums]}; the caller is None where it was not counted."""
    code = [each for each in code_of(recording) if each[0] < each[1]]
    found = {}
    for record in table_of(recording, CALLERS, "caller", number):
        if not record.timed or record.id not in known:
            continue
        address = record.return_address
        caller = caller_at(recording, code, address - 1) if address else None
        caller = caller if caller in known else None
        edge = found.setdefault((record.id, caller), [0] + [0] * len(SUMS.split()))
        edge[0] += record.timed
        for i, value in enumerate(sums(record)):
            edge[1 + i] += value
    add_unknown_callers(found, known)
    return found


def add_unknown_callers(found, known):
    """What of a function's timed calls no record says the caller of, to those of no known one."""
    for id, function in known.items():
        told = [edge for (callee, _), edge in found.items() if callee == id]
        seen = [sum(column) for column in zip(*told)] or [0] * (1 + len(SUMS.split()))
        whole = [function.timed, *sums(function)]
        if seen[0] > 0 and seen[1] >= whole[1]:
            continue
        edge = found.setdefault((id, None), [0] * len(whole))
        for i, (all_of_it, part) in enumerate(zip(whole, seen)):
            edge[i] += max(0, all_of_it - part)


def sums(record):
    return [getattr(record.sums, name) for name in SUMS.split()]


def show_counts(recording, number):
    known = counted(recording, number)
    edges = callers(recording, number, known)
    order = sorted(edges, key=lambda edge: (edge[0], edge[1] is None, edge[1]))
    return {
        "thread": number,
        "functions": [
            [id, each.sampling_interval, each.calls, each.timed, each.min, each.max, *sums(each)]
            for id, each in known.items()
        ],
        "callers": [[*edge, *edges[edge]] for edge in order],
    }


def calls_by_region(recording):
    """Of functions that were counted."""
    found = {}
    for number in recording.threads:
        for id, calls in brief(recording, number).items():
            region = recording.functions[id].region
            found[region] = found.get(region, 0) + calls
        for id, record in counted(recording, number).items():
            region = recording.functions[id].region
            found[region] = found.get(region, 0) + record.calls
    return [[region, count] for region, count in sorted(found.items()) if count]


def show(recording):
    costs = [table.cost for table, _ in tables(recording)]
    return {
        "function_tables": {
            "has_counts": COST_COUNTS in costs,
            "has_records": any(cost != COST_COUNTS for cost in costs),
            "cost_ps": max(table.cost_ps for table, _ in tables(recording)),
        },
        "functions": [
            [id, each.address, each.size, each.flags >> 27, each.region]
            for id, each in recording.functions.items()
        ],
        "counts": [show_counts(recording, number) for number in sorted(recording.threads)],
        "function_calls": calls_by_region(recording),
    }

"""A second decoder of recordings, in plain Python, written from docs/format.md alone.

It is slow and literal on purpose: section numbers in the comments are those of that page.
The tests compare what it makes of a recording with what the C reader makes of it.

    python3 kymo_decoder.py RECORDING        prints everything as JSON
"""

import json
import sys

import kymo_counts
from kymo_functions import TIMED
from kymo_layout import (
    CODES,
    FLAG_MERGED,
    KIND_LAST,
    KIND_USER,
    KINDS_OF_C,
    METRIC_NAMES,
    NOTE_OF_METRIC,
    PARTS,
    POINTS,
    UNKNOWN,
    NotARecording,
    Record,
)
from kymo_recording import Recording


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
    counted = dict(kymo_counts.calls_by_region(recording))
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
        **(kymo_counts.show(recording) if recording.functions else {}),
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

"""Shared by the tests of waiting: which threads waited for what, in a recording."""

import struct
import subprocess
from collections import Counter
from pathlib import Path

import lifecycle_runs
import support

KIND_PTHREAD, FLAG_OBJECT = 6, 16
CHUNK_MODULES = 9
CHUNK_HEADER, MODULE_SIZE = 64, 64
LIBRARIES = support.BUILD / "lib"

compile, run, run_both = lifecycle_runs.compile, lifecycle_runs.run, lifecycle_runs.run_both


def modules(recording):
    """(start, end, bias, path) of every module of a recording."""
    data, offset = recording.data, recording.header.header_size
    while offset < recording.header.end:
        _, kind, _, size, used = struct.unpack_from("<IHHQQ", data, offset)
        if kind == CHUNK_MODULES:
            for at in range(offset + CHUNK_HEADER, offset + CHUNK_HEADER + used, MODULE_SIZE):
                start, end, bias, path = struct.unpack_from("<QQQQ", data, at)
                yield start, end, bias, recording.string(path)
        offset += size


def symbols(path):
    """{value in the file: name} of its data."""
    listing = subprocess.check_output(["nm", str(path)], text=True)
    rows = (line.split() for line in listing.splitlines())
    return {int(row[0], 16): row[2] for row in rows if len(row) == 3 and row[1] in "bBdD"}


def object_name(recording, address, names):
    """The symbol of a static object of the program; "" for anything else."""
    for start, end, bias, path in modules(recording):
        if start <= address < end:
            return names.get(address - bias, "") if Path(path) == names["path"] else ""
    return ""


def waits(recording, program=None):
    """{(function, object's name): visits}, of calls that carry an object."""
    names = {"path": program, **(symbols(program) if program else {})}
    labels, found = {}, Counter()
    for number, region in recording.regions.items():
        if region.kind == KIND_PTHREAD and region.flags & FLAG_OBJECT:
            arguments = recording.string(region.arguments)
            assert arguments.startswith("(0x") and arguments.endswith(")")
            name = object_name(recording, int(arguments[1:-1], 16), names)
            labels[number] = (recording.string(region.name), name)
    for node, _, _ in recording.all_nodes():
        if node.region in labels:
            found[labels[node.region]] += node.count
    return +found


def is_clean(recording):
    """Checks that all enters have a leave, in order."""
    threads = recording.threads.values()
    is_open = any(node.enter for node, _, _ in recording.all_nodes())
    return not is_open and not any(thread.resynced or thread.lost_events for thread in threads)


def enters(recording):
    """Enters in the traces of all threads."""
    events = [event for number in recording.threads for event in recording.events(number)[0]]
    return sum(what == "enter" for what, *_ in events)


def record(name, kind, tmp_path, *options, env=None):
    """(its waits, the recording) of a program that has one process and does the same bare."""
    program = compile(name)
    _, (recording,) = run_both([program, kind], tmp_path, *options, env=env)
    assert recording.header.exit_status == 5
    assert is_clean(recording)
    return waits(recording, program), recording

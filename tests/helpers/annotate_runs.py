"""Compiling annotated programs, running them with the runtime preloaded, and reading their
recordings."""

import struct

import support

INCLUDE = support.REPOSITORY / "include"
PRELOADED = support.BUILD / "lib" / "libkymo-lifecycle.so"
RUNTIME = support.BUILD / "lib" / "libkymo.so"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")

NOT_LOADED = 1
VALUE, SEND, RECEIVE = 6, 7, 8
# Regions, phases, parameters and progress points.
OF_USERS = (4, 11, 12, 13)
REFERENCE_MASK = (1 << 56) - 1


def compile(tmp_path, source, *flags, compiler="gcc", output=None):
    """Compile a program of tests/programs, or a path, into tmp_path; returns its path."""
    binary = tmp_path / (output or source.rsplit(".", 1)[0])
    command = [compiler, *WARNINGS, f"-I{INCLUDE}", support.program(source), *flags]
    result = support.run([*command, "-o", binary, "-pthread", "-ldl"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return binary


def run(tmp_path, command, **settings):
    """Run a program under the runtime; returns (its output, its recordings decoded)."""
    environment = {"LD_PRELOAD": PRELOADED, **silent(tmp_path, **settings)}
    result = support.run(command, cwd=tmp_path, env=environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout, recordings(tmp_path)


def silent(tmp_path, **settings):
    """Settings that record into tmp_path/out and write nothing else."""
    own = {"OUTPUT_PATH": tmp_path / "out", "TIME_OUTPUT": "OFF", "FINISH": "OFF", **settings}
    return {f"KYMO_{name}": value for name, value in own.items()}


def recordings(tmp_path):
    found = [
        path for path in support.find_recordings(tmp_path / "out") if "snapshots" not in str(path)
    ]
    return [support.decode(path) for path in found]


def label(recording, region):
    record = recording.regions[region]
    return recording.string(record.name) + (recording.string(record.arguments) or "")


def paths(recording, thread=0):
    """{"a/b": visits} of a thread's tree: only the regions that users named."""
    found = {}
    pending = [("", recording.roots()[thread])]
    while pending:
        prefix, node = pending.pop()
        for child in node.children:
            path = prefix
            if recording.regions[child.region].kind in OF_USERS:
                name = label(recording, child.region)
                path = f"{prefix}/{name}" if prefix else name
                found[path] = found.get(path, 0) + child.count
            pending.append((path, child))
    return found


def points(recording):
    """{counter: [values]}."""
    found = {}
    for chunk in recording.chunks[7]:
        for offset in chunk.records():
            series, value = struct.unpack_from("<8xI4xd", recording.data, offset)
            name = recording.string(recording.series[series].name)
            found.setdefault(name, []).append(value)
    return found


def extended(recording, wanted):
    """The two words of each event of an extension, in the order of the file."""
    for chunk in recording.chunks[5]:
        words = struct.unpack_from(f"<{chunk.readable // 8}Q", recording.data, chunk.payload)
        at = 0
        while at < len(words) and words[at]:
            kind, subject = words[at] >> 61, words[at] >> 40 & 0x1FFFFF
            count = {4: 1, 5: 1, 6: 1, 7: subject >> 8 & 0xFF}.get(kind, 0)
            if kind == 7 and subject & 0xFF == wanted:
                yield chunk.thread, words[at + 1 : at + 1 + count]
            at += 1 + count


def values(recording):
    """[(name, type, value)] of all values, texts as texts."""
    for _, (name, value) in extended(recording, VALUE):
        kind = name >> 56
        if kind == 1:
            value = recording.string(value)
        elif kind == 2:
            value -= value >> 63 << 64
        elif kind == 4:
            (value,) = struct.unpack("<d", struct.pack("<Q", value))
        yield recording.string(name & REFERENCE_MASK), kind, value


def notes(recording, kind=5):
    return [value.decode() for note, _, value in recording.notes() if note.kind == kind]

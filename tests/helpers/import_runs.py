"""Files of other tools for kymo import, and the results."""

import json
import re

import pytest
import support


def kymo_import(files, *options, cwd, **arguments):
    """Import into cwd/imported; may fail."""
    target = cwd / "imported"
    command = ["import", "-o", str(target), *options, *map(str, files)]
    process = support.run_kymo(command, cwd=cwd, **arguments)
    missing = re.search(r"it was built without (\w+)", process.stderr)
    if missing:
        pytest.skip(f"this build has no {missing.group(1)}")
    return process


def imported(files, *options, cwd, **arguments):
    """The run made from the files."""
    process = kymo_import(files, "--force", *options, cwd=cwd, **arguments)
    assert process.returncode == 0, process.stderr
    return cwd / "imported"


def import_text(text, *options, cwd, name="file"):
    """The run made from a file with this text."""
    path = cwd / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return imported([path], *options, cwd=cwd)


def export(run, form, *options):
    """The run in that format, as a file."""
    target = run.parent / f"exported.{form}"
    command = ["export", str(run), "--format", form, *options, "-o", str(target)]
    process = support.run_kymo(command, cwd=run.parent)
    assert process.returncode == 0, process.stderr
    return target


def pstats_of(path, python=None):
    """{function: (cc, nc, tt, ct, callers)} as an interpreter's pstats reads the file."""
    python = python or support.interpreters()[-1]
    script = "import pstats, sys; print(repr(pstats.Stats(sys.argv[1]).stats))"
    process = support.run([python.executable, "-c", script, str(path)], cwd=path.parent)
    assert process.returncode == 0, process.stderr
    return eval(process.stdout)


def flat(run, *options):
    """{function: (cc, nc, tt, ct, callers)} of a run."""
    return pstats_of(export(run, "pstats", *options))


def by_name(run):
    """{name: (calls, own seconds, seconds)}, functions of one name together."""
    rows = {}
    for (_, _, name), (_, count, own, total, _) in flat(run).items():
        before = rows.get(name, (0, 0, 0))
        rows[name] = (before[0] + count, before[1] + own, before[2] + total)
    return rows


def paths(run):
    """{(frame, …): microseconds} of the collapsed stacks."""
    rows = {}
    for line in export(run, "collapsed").read_text().splitlines():
        stack, weight = line.rsplit(" ", 1)
        rows[tuple(stack.split(";"))] = int(weight)
    return rows


def timeline(run):
    """Events of the Chrome trace that the run becomes."""
    return json.loads(export(run, "chrome").read_text())["traceEvents"]


def report(run):
    process = support.run_kymo(["report", str(run)], cwd=run.parent)
    assert process.returncode == 0, process.stderr
    return process.stdout

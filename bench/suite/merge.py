"""Merging many recordings of about 1 MB, beside reading the same files.

Two sets: processes that ran the same (one tree many times), and processes that have no name in
common, whose trees add up and do not fit into --memory. KYMO_BENCH_MERGE is the number of
recordings, 10000 for what the documentation says."""

import glob
import os
import random
import shutil
import struct
import tempfile

from suite import setup
from suite.outside import Usage
from suite.table import show

RECORDINGS = int(os.environ.get("KYMO_BENCH_MERGE", "500"))
PATHS, NAMES = 14_500, 900
SALT = b"SALT0000"
PID, RUN_ID, START = 40, 56, 88  # in the header of a recording


def _collapsed(path):
    """Call paths up to 40 deep that share their beginnings."""
    chance = random.Random(1)
    paths = [["main"]]
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(PATHS):
            parent = chance.choice(paths[-400:])[:40]
            paths.append([*parent, f"{SALT.decode()}_f{chance.randrange(NAMES)}"])
            file.write(";".join(paths[-1]) + f" {chance.randrange(1, 1000)}\n")


def _template(tool, folder):
    collapsed, run = os.path.join(folder, "paths.folded"), os.path.join(folder, "template")
    _collapsed(collapsed)
    Usage([tool, "import", "--format", "collapsed", "-o", run, collapsed], dict(os.environ))
    (recording,) = glob.glob(os.path.join(run, "*.kymo"))
    with open(recording, "rb") as file:
        return bytearray(file.read())


def _write(folder, template, count, is_same):
    """Recordings of processes that are not the same; their bytes."""
    os.makedirs(folder)
    for i in range(count):
        struct.pack_into("<I", template, PID, 1000 + i)
        struct.pack_into("<Q", template, START, 1_700_000_000_000_000_000 + i)
        template[RUN_ID : RUN_ID + 16] = bytes([7] * 16)
        data = bytes(template)
        if not is_same:
            data = data.replace(SALT, b"S%07d" % i)
        with open(os.path.join(folder, f"p{i:06}.kymo"), "wb") as file:
            file.write(data)
    return len(template) * count


def _read(folder):
    """Seconds that cat takes for all of it."""
    return Usage(["find", folder, "-type", "f", "-exec", "cat", "{}", "+"], dict(os.environ)).wall


def _row(tool, folder, name, size, jobs):
    output = os.path.join(folder, "out")
    command = [tool, "merge", "-j", str(jobs), "-o", output, os.path.join(folder, "in")]
    usage = Usage(command, dict(os.environ))
    written = sum(entry.stat().st_size for entry in os.scandir(output))
    shutil.rmtree(output)
    return [
        f"{name}, -j {jobs}",
        f"{usage.wall:.2f}",
        f"{size / 1e6 / usage.wall:.0f}",
        f"{usage.peak_bytes / 1e6:.0f}",
        f"{written / 1e6:.1f}",
    ]


def run(versions, rounds):
    tool = os.path.join(setup.BUILD, "bin", "kymo")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        template = _template(tool, folder)
        for name, count in (("same", RECORDINGS), ("distinct", max(1, RECORDINGS // 5))):
            size = _write(os.path.join(folder, "in"), template, count, name == "same")
            seconds = _read(os.path.join(folder, "in"))
            title = f"{count} {name}"
            rows.append(
                [f"{title}, cat", f"{seconds:.2f}", f"{size / 1e6 / seconds:.0f}", "-", "-"]
            )
            for jobs in (1, os.cpu_count() or 1):
                rows.append(_row(tool, folder, title, size, jobs))
            shutil.rmtree(os.path.join(folder, "in"))
    show(
        f"kymo merge: recordings of {len(template) / 1e6:.1f} MB",
        ["recordings", "s", "MB/s", "peak MB", "out MB"],
        rows,
    )

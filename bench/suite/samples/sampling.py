"""What a sample costs the thread that is interrupted, at a depth of 20 calls: beside an empty
handler of a timer at the same rate, in rounds that take turns.  All by the work that is done in
a second of the thread's CPU time, so that other programs count for little."""

from suite import native
from suite.table import median, show

RATES = (100, 1000, 10000)
SECONDS = 0.5
DEPTH = 20


def _speed(command, folder):
    return float(native.answer(command, folder).split()[0])


def _costs(binary, folder, rate, rounds):
    """Part of the CPU time that an empty handler takes, and that sampling takes."""
    bare = [binary, str(SECONDS), str(DEPTH)]
    sampled = [native.KYMO, "sample", "-q", "-f", str(rate), "--", *bare]
    empty, ours = [], []
    for _ in range(rounds):
        speed = _speed(bare, folder)
        empty.append(1 - _speed([*bare, str(rate)], folder) / speed)
        ours.append(1 - _speed(sampled, folder) / speed)
    return empty, ours


def run(_versions, rounds):
    rows = []
    with native.workplace() as folder:
        binary = native.compile(folder, "sampled_depth", "sampled_depth.c")
        for rate in RATES:
            empty, ours = _costs(binary, folder, rate, max(rounds, 9))
            theirs, own = median(empty), median(ours)
            added = median([b - a for a, b in zip(empty, ours)])
            rows.append(
                [
                    f"{rate} Hz",
                    f"{100 * theirs:.2f} %",
                    f"{100 * own:.2f} %",
                    f"{1e6 * theirs / rate:.1f}",
                    f"{1e6 * own / rate:.1f}",
                    f"{100 * added / theirs:+.0f} %" if theirs > 0.002 else "-",
                ]
            )
    header = ["rate", "empty handler", "samples", "us a signal", "us a sample", "dearer"]
    show("Samples of a busy thread, depth 20", header, rows)

"""Locks that nobody waits for: bare, with --locks (what waits), with --locks=all."""

from suite import clock, native
from suite.table import median, show

WAYS = {
    "kymo run": [],
    "--locks": ["--locks"],
    "--locks=all": ["--locks=all"],
}


def measure(rounds):
    """{way: {kind of lock: [nanoseconds]}} of lock and unlock."""
    results = {}
    with native.workplace() as folder:
        binary = native.compile(folder, "locks", "locks.c")
        commands = {"bare": [binary]}
        for name, options in WAYS.items():
            commands[name] = [*native.under(options), binary]
        for _ in range(rounds):
            for name, command in commands.items():
                for line in native.answer(command, folder).splitlines():
                    kind, figure = line.split()
                    by_kind = results.setdefault(name, {})
                    by_kind.setdefault(kind, []).append(float(figure))
    return results


def run(_versions, rounds):
    floor = clock.pair_ns()
    results = measure(rounds)
    rows = []
    for kind, bare in results["bare"].items():
        cells = [kind.replace(",", " "), f"{median(bare):.1f}"]
        for way in WAYS:
            added = [a - b for a, b in zip(results[way][kind], bare)]
            cells.append(f"{median(added):+.1f}")
        rows.append(cells)
    header = ["ns a lock and unlock", "bare", *[f"{way}, added" for way in WAYS]]
    show("Locks that nobody waits for, CPU time", header, rows)
    if floor:
        print(f"Two readings of the processor's counter cost {floor:.1f} ns here.")

"""pthread_create() and pthread_join() of a thread that does nothing: bare and recorded."""

from suite import native
from suite.table import median, show

WAYS = {"profile": native.PROFILE, "trace": native.TRACE, "profile and trace": native.BOTH}


def run(_versions, rounds):
    results = {name: [] for name in ["bare", *WAYS]}
    with native.workplace() as folder:
        binary = native.compile(folder, "threads", "threads.c")
        for _ in range(2 * rounds):
            for name in results:
                command = [binary] if name == "bare" else [*native.under(WAYS[name]), binary]
                results[name].append([float(x) for x in native.answer(command, folder).split()])
    rows = []
    for name, figures in results.items():
        row = [name]
        for which in (0, 1):
            time, bare = (median([f[which] for f in each]) for each in (figures, results["bare"]))
            row += [f"{time:.1f}", f"{time / bare:.2f}"]
        rows.append(row)
    header = ["", "pthread_create, us", "times bare", "until joined, us", "times bare"]
    show("A thread made and joined, wall time", header, rows)

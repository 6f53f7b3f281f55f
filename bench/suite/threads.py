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
                results[name].append(float(native.answer(command, folder)))
    bare = median(results["bare"])
    rows = [
        [name, f"{median(times):.1f}", f"{median(times) / bare:.2f}"]
        for name, times in results.items()
    ]
    show("A thread made and joined, wall time", ["", "us", "times bare"], rows)

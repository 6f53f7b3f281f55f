"""Native functions: what a recorded call costs on whole programs, beside peers."""

import os
import tempfile

from suite import native, setup
from suite.functions import functions_goals, functions_loads, functions_start
from suite.functions import functions_ways as ways
from suite.outside import Usage
from suite.table import median, show


class Measured:
    """CPU and wall seconds of a way, with work less without."""

    def __init__(self):
        self.cpu, self.wall, self.begins = [], [], []

    def add(self, work, nothing):
        self.cpu.append(work.cpu - nothing.cpu)
        self.wall.append(work.wall - nothing.wall)
        self.begins.append(nothing.wall)


def _usage(way, load, has_work, place):
    out = os.path.join(place, "out")
    variables = setup.environment(
        os.path.join(place, "out-kymo"), {**load.settings, **ways.settings_of(way, out)}
    )
    try:
        return Usage(way.command(load, has_work, out), variables)
    finally:
        ways.clear(out)


def _round(results, chosen, take):
    """Call take(way) of each way that is still there; one that fails is said and left out."""
    for way in [way for way in chosen if way.name in results]:
        try:
            take(way)
        except (RuntimeError, OSError) as error:
            setup.say(f"{way.name}: {error}")
            del results[way.name]


def measure(load, chosen, rounds, place):
    """{way's name: Measured}, interleaved, after a start of each that is not measured: what is
    prepared when a program is met first is not part of a call."""
    results = {way.name: Measured() for way in chosen if way.is_for(load)}

    def take(way):
        if not (way.is_slow and results[way.name].cpu):
            pair = [_usage(way, load, has_work, place) for has_work in (True, False)]
            results[way.name].add(*pair)

    _round(results, chosen, lambda way: _usage(way, load, False, place))
    for _ in range(rounds):
        _round(results, chosen, take)
    return results


def per_call(load, results):
    """{name: net nanoseconds of CPU time a call}, bare = 0."""
    bare = median(results["bare"].cpu)
    if not load.calls:
        return {}
    return {
        name: (median(each.cpu) - bare) / load.calls * 1e9
        for name, each in results.items()
        if name != "bare"
    }


def _show(load, results, where):
    bare, net = results["bare"], per_call(load, results)
    theirs = [value for name, value in net.items() if name.startswith("uftrace")]
    rows = []
    for name, each in results.items():
        cheapest = f"{min(theirs) / net[name]:.1f}" if theirs and net.get(name, 0) > 0 else "-"
        rows.append(
            [
                name,
                f"{median(each.cpu):.2f}",
                f"{median(each.cpu) / median(bare.cpu):.2f}",
                f"{median(each.wall) / median(bare.wall):.2f}",
                f"{net[name]:.2f}" if name in net else "-",
                cheapest,
                f"{1e3 * (median(each.begins) - median(bare.begins)):.0f}",
            ]
        )
    calls = f"{load.calls / 1e6:.1f} million calls" if load.calls else "calls not counted"
    show(
        f"{load.name}, all functions of the program, {calls}, written to {where}",
        [
            "",
            "CPU, s",
            "times bare",
            "wall, times",
            "ns a call",
            "uftrace / this",
            "start-up, ms",
        ],
        rows,
    )
    return net


def _loads(folder):
    for name, make in functions_loads.LOADS.items():
        try:
            load = make(folder)
            load.calls = load.calls or functions_start.count_calls(load, folder)
            yield load
        except native.Missing as missing:
            setup.say(f"{name}: {missing}")


def run(_versions, rounds):
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    everything = [ways.BARE, *ways.KYMO, *ways.PEERS]
    on_disk = [ways.BARE, ways.KYMO[-1], *ways.UFTRACE[:1]]
    measured = {}
    with native.workplace() as folder, tempfile.TemporaryDirectory(dir=shared) as memory:
        for load in _loads(folder):
            results = measure(load, everything, rounds, memory)
            measured[load.name] = _show(load, results, "memory")
            if load.builds:
                results = measure(load, on_disk, max(1, rounds // 2), folder)
                measured["disk"] = _show(load, results, "disk")
        measured["start"] = functions_start.run(folder, rounds)
    functions_goals.show_all(measured)

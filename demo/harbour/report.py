"""From the log to the printed page, as a pipeline of generators."""

from collections import defaultdict
from statistics import mean


def parse(lines):
    for line in lines:
        hour, ship, event = line.split()
        yield float(hour), ship, event


def visits(records):
    """(ship, hours waited, hours at berth) of each ship that has sailed."""
    seen = defaultdict(dict)
    for hour, ship, event in records:
        seen[ship][event] = hour
        if event == "sails":
            times = seen.pop(ship)
            yield ship, times["berths"] - times["arrives"], hour - times["berths"]


def by_type(rows):
    groups = defaultdict(list)
    for ship, waited, berthed in rows:
        groups[ship.split("-")[0]].append((waited, berthed))
    return sorted(groups.items())


def clock(hour):
    day, rest = divmod(hour, 24)
    return f"day {int(day) + 1:2d} {int(rest):02d}:{int(rest % 1 * 60):02d}"


def render(stations, high_waters, log):
    """Lines of the report."""
    yield "Highest water"
    for station in stations:
        hour, height = max(high_waters[station.name], key=lambda item: item[1])
        yield f"  {station.name:<12} {height:5.2f} m  {clock(hour)}"
    yield "Ships"
    for kind, group in by_type(visits(parse(log))):
        waited = mean(times[0] for times in group)
        berthed = mean(times[1] for times in group)
        yield f"  {kind:<12} {len(group):3d}  waited {waited:5.1f} h  at berth {berthed:4.1f} h"

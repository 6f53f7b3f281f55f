"""Tides as a sum of harmonic constituents."""

import math
from dataclasses import dataclass

# Name, amplitude in metres, period in hours, phase in radians.
BREST = [
    ("M2", 2.05, 12.4206, 1.83),
    ("S2", 0.75, 12.0000, 2.49),
    ("N2", 0.42, 12.6583, 1.57),
    ("K1", 0.06, 23.9345, 1.19),
    ("O1", 0.07, 25.8193, 5.65),
]


@dataclass(frozen=True)
class Constituent:
    name: str
    amplitude: float
    period: float
    phase: float

    def height(self, hour):
        return self.amplitude * math.cos(2 * math.pi * hour / self.period - self.phase)


class Station:
    """A place with its mean level and its own share of every constituent."""

    def __init__(self, name, mean_level, factor, delay):
        self.name = name
        self.mean_level = mean_level
        self.constituents = [
            Constituent(name, amplitude * factor, period, phase + delay)
            for name, amplitude, period, phase in BREST
        ]

    def height(self, hour):
        level = self.mean_level
        for constituent in self.constituents:
            level += constituent.height(hour)
        return level

    def series(self, hours, per_hour=60):
        """(hour, height) in steps of a minute."""
        for step in range(hours * per_hour):
            hour = step / per_hour
            yield hour, self.height(hour)

    def high_waters(self, hours):
        """(hour, height) of each local maximum."""
        before = last = (0.0, float("inf"))
        for now in self.series(hours):
            if before[1] < last[1] >= now[1]:
                yield last
            before, last = last, now


def load_stations():
    return [
        Station("Brest", 4.0, 1.00, 0.00),
        Station("Le Conquet", 3.8, 0.97, -0.08),
        Station("Ouessant", 3.9, 0.95, -0.15),
        Station("Roscoff", 5.0, 1.22, 0.61),
    ]

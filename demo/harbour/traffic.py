"""Ships as generators on an event queue: arrive, wait for water, wait for a berth, unload."""

import heapq
import itertools
import random

SILL = -2.2  # height of the harbour's sill against chart datum, metres
LOOK_AHEAD = 1 / 20  # hours between two looks at the water


class Simulation:
    """Runs processes: generators that yield the hours they want to sleep."""

    def __init__(self):
        self.now = 0.0
        self.queue = []
        self.order = itertools.count()

    def start(self, process, delay=0.0):
        heapq.heappush(self.queue, (self.now + delay, next(self.order), process))

    def run(self, until):
        while self.queue and self.queue[0][0] < until:
            self.now, _, process = heapq.heappop(self.queue)
            try:
                delay = next(process)
            except StopIteration:
                continue
            self.start(process, delay)


class Harbour:
    def __init__(self, station, surge, hours, berths):
        self.station = station
        self.surge = surge
        self.surge_per_hour = len(surge) / hours
        self.free_berths = berths
        self.log = []

    def water(self, hour):
        """Depth over the sill."""
        step = min(int(hour * self.surge_per_hour), len(self.surge) - 1)
        return self.station.height(hour) + self.surge[step] - SILL

    def hours_until_safe(self, hour, draught):
        """How long a ship has to wait for half a metre under her keel."""
        wait = 0.0
        while self.water(hour + wait) < draught + 0.5 and wait < 24:
            wait += LOOK_AHEAD
        return wait

    def write(self, hour, ship, event):
        self.log.append(f"{hour:08.3f} {ship} {event}")


def ship(simulation, harbour, name, draught, cargo):
    """One ship's visit."""
    harbour.write(simulation.now, name, "arrives")
    while True:
        wait = harbour.hours_until_safe(simulation.now, draught)
        if wait > 0:
            yield wait
        if harbour.free_berths:
            break
        yield 0.25
    harbour.free_berths -= 1
    harbour.write(simulation.now, name, "berths")
    yield cargo / 900
    while harbour.hours_until_safe(simulation.now, draught - 1.0) > 0:
        yield 0.25
    harbour.free_berths += 1
    harbour.write(simulation.now, name, "sails")


def arrivals(simulation, harbour, seed):
    """Starts a ship now and then."""
    chance = random.Random(seed)
    for number in itertools.count(1):
        yield chance.expovariate(1 / 1.1)
        name = f"{chance.choice(['tanker', 'coaster', 'trawler', 'ferry'])}-{number:03d}"
        draught = chance.uniform(4.0, 8.6)
        simulation.start(ship(simulation, harbour, name, draught, chance.uniform(500, 6000)))


def simulate(station, surge, hours):
    """The harbour's log."""
    simulation = Simulation()
    harbour = Harbour(station, surge, hours, berths=7)
    simulation.start(arrivals(simulation, harbour, seed=1858))
    simulation.run(until=hours)
    return harbour.log

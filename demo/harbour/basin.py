"""Water in a channel: the one-dimensional shallow-water equations on a staggered grid."""

import math

GRAVITY = 9.81


class Channel:
    def __init__(self, cells, length=12_000.0, depth=9.0):
        self.depth = depth
        self.cell_size = length / cells
        self.time_step = 0.4 * self.cell_size / math.sqrt(GRAVITY * depth)
        self.level = [0.0] * cells
        self.flow = [0.0] * (cells + 1)

    def slope(self, edge):
        return (self.level[edge] - self.level[edge - 1]) / self.cell_size

    def divergence(self, cell):
        return (self.flow[cell + 1] - self.flow[cell]) / self.cell_size

    def push(self, wind):
        """One step of the momentum: gravity, wind, friction."""
        for edge in range(1, len(self.flow) - 1):
            force = wind - GRAVITY * self.depth * self.slope(edge)
            self.flow[edge] = 0.999 * self.flow[edge] + self.time_step * force

    def fill(self):
        """One step of the continuity."""
        for cell in range(len(self.level)):
            self.level[cell] -= self.time_step * self.divergence(cell)

    def step(self, wind):
        self.push(wind)
        self.fill()


def gusts(steps):
    """Wind stress of each step: a slow front with gusts on it."""
    for step in range(steps):
        yield 2e-4 * math.sin(step / 90) * (1 + 0.4 * math.sin(step / 7))


def simulate_surge(cells, steps):
    """Level at the inner end of the channel after each step, metres."""
    channel = Channel(cells)
    surge = []
    for wind in gusts(steps):
        channel.step(wind)
        surge.append(channel.level[-1])
    return surge

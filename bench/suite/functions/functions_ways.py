"""Ways to record every function of a program: Kymo's and its peers', as commands."""

import dataclasses
import os
import shutil

from suite import native

KYMO_NOTHING_YET = "100000000"  # seconds: recording never begins


@dataclasses.dataclass
class Way:
    """A command line for a load's command; out is where it writes."""

    name: str
    prefix: list = dataclasses.field(default_factory=list)
    build: str = None  # of Load.builds
    is_slow: bool = False  # one round is enough
    settings: dict = dataclasses.field(default_factory=dict)
    tool: str = None  # that must be there

    def command(self, load, has_work, out):
        prefix = [part.replace("OUT", out) for part in self.prefix]
        return [*prefix, *load.command(has_work, self.build)]

    def is_for(self, load):
        if self.build and self.build not in load.builds:
            return False
        return not self.tool or shutil.which(self.tool) is not None


def kymo(cost, **settings):
    names = {f"KYMO_{name}": value for name, value in settings.items()}
    prefix = [native.KYMO, "instrument", "-q", "--cost", cost, "--"]
    return Way(f"kymo {cost}", prefix, settings={**names, "KYMO_FINISH": "OFF"})


def _uftrace(name, build, *options):
    prefix = ["uftrace", "record", "--no-libcall", "--no-event", "--no-pager", "-d", "OUT"]
    return Way(f"uftrace, {name}", [*prefix, *options], build, tool="uftrace")


BARE = Way("bare")
OFF = kymo("full", TRACE_DELAY=KYMO_NOTHING_YET)
OFF.name = "kymo, switched off"

KYMO = [OFF, kymo("counts"), kymo("coarse"), kymo("full")]

UFTRACE = [
    _uftrace("-pg", "-pg"),
    _uftrace("-P .", "-fpatchable-function-entry", "-P", "."),
]

PEERS = [
    Way("-finstrument-functions, empty hooks", build="-finstrument-functions"),
    Way("gprof: -pg", build="-pg", settings={"GMON_OUT_PREFIX": "OUT"}),
    *UFTRACE,
    Way(
        "callgrind",
        ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=OUT"],
        is_slow=True,
        tool="valgrind",
    ),
]


def settings_of(way, out):
    return {name: value.replace("OUT", out) for name, value in way.settings.items()}


def clear(out):
    """Take away what a way wrote, also beside OUT: gmon's files have a process's number."""
    folder, name = os.path.split(out)
    for each in os.listdir(folder):
        if each.startswith(name):
            path = os.path.join(folder, each)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

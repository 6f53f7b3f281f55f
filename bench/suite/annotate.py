"""A user's region, begin and end, beside tracepoints and the compiler's own hooks.

Every round runs each way once, in a process of its own that also measures the empty loop
and two readings of the processor's counter."""

import os
import shutil
import subprocess

from suite import native
from suite.table import median, ratio, show

LTTNG_FLAGS = (
    "-DWITH_LTTNG",
    "-DLTTNG_UST_TRACEPOINT_CREATE_PROBES",
    "-DLTTNG_UST_TRACEPOINT_DEFINE",
    "-llttng-ust",
    "-ldl",
)

# name: (flags, options of kymo run or None, whether LTTng records)
WAYS = {
    "kymo.h, not loaded": (("-DWITH_KYMO",), None),
    "kymo.h, profile": (("-DWITH_KYMO",), native.PROFILE),
    "kymo.h, trace": (("-DWITH_KYMO",), native.TRACE),
    "kymo.h, both": (("-DWITH_KYMO",), native.BOTH),
    "by name, not loaded": (("-DWITH_KYMO_NAMES",), None),
    "by name, profile": (("-DWITH_KYMO_NAMES",), native.PROFILE),
    "empty -finstrument-functions": (("-DWITH_HOOKS", "-finstrument-functions"), None),
    "LTTng, not recording": (LTTNG_FLAGS, None),
    "LTTng, recording": (LTTNG_FLAGS, None),
}


class Session:
    """A session of LTTng that records the tracepoints; the daemon is started where none
    answers, and stopped again."""

    def __init__(self, folder):
        if not shutil.which("lttng") or not shutil.which("lttng-sessiond"):
            raise native.Missing("there is no lttng (package lttng-tools)")
        self.daemon = None
        self.variables = dict(os.environ, LTTNG_HOME=folder)
        if subprocess.run(["lttng", "list"], capture_output=True, env=self.variables).returncode:
            # Its own processes keep what they inherit: they get no pipe of ours.
            line = ["lttng-sessiond", "--background", "--no-kernel"]
            self.pid_file = os.path.join(folder, "sessiond.pid")
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            if subprocess.run(
                [*line, "--pidfile", self.pid_file], env=self.variables, **quiet
            ).returncode:
                raise native.Missing("lttng-sessiond does not start")
            self.daemon = True
        output = "--output=" + os.path.join(folder, "lttng")
        self._do(["lttng", "create", "kymo-bench", output])
        self._do(["lttng", "enable-channel", "-u", "-s", "kymo-bench", "--subbuf-size=4M", "all"])
        self._do(["lttng", "enable-event", "-u", "-s", "kymo-bench", "-c", "all", "kymo_bench:*"])
        self._do(["lttng", "start", "kymo-bench"])

    def _do(self, command):
        process = subprocess.run(command, capture_output=True, text=True, env=self.variables)
        if process.returncode != 0:
            self.close()
            raise native.Missing((process.stderr.strip().splitlines() or ["lttng failed"])[-1])

    def close(self):
        subprocess.run(["lttng", "destroy", "kymo-bench"], capture_output=True, env=self.variables)
        if self.daemon:
            self.daemon = None
            with open(self.pid_file) as file:
                os.kill(int(file.read()), 15)


def _one(name, binary, options, folder):
    """[empty, two clocks, one region, two in turns] in nanoseconds."""
    command = [binary] if options is None else [*native.under(options), binary]
    if name != "LTTng, recording":
        return [float(word) for word in native.answer(command, folder).split()]
    session = Session(folder)
    try:
        environment = {"LTTNG_HOME": folder, "LTTNG_UST_REGISTER_TIMEOUT": "-1"}
        return [float(word) for word in native.answer(command, folder, environment).split()]
    finally:
        session.close()


def measure(rounds):
    """{way: [figures of a round]} and {way: why it is left out}."""
    results, missing = {}, {}
    with native.workplace() as folder:
        binaries = {}
        for number, (name, (flags, _)) in enumerate(WAYS.items()):
            try:
                binaries[name] = native.compile(folder, f"regions-{number}", "regions.c", *flags)
            except native.Missing as error:
                missing[name] = str(error)
        for _ in range(rounds):
            for name, binary in binaries.items():
                if name in missing:
                    continue
                try:
                    figures = _one(name, binary, WAYS[name][1], folder)
                    results.setdefault(name, []).append(figures)
                except native.Missing as error:
                    missing[name] = str(error)
    return results, missing


def run(_versions, rounds):
    results, missing = measure(rounds)
    clocks = median([c - e for figures in results.values() for e, c, _, _ in figures])
    lttng = results.get("LTTng, recording")
    peer = median([one - empty for empty, _, one, _ in lttng]) if lttng else 0
    rows = [["two readings of the counter", f"{clocks:.1f}", "-", "-", ratio(clocks, peer)]]
    for name, figures in results.items():
        one = median([one - empty for empty, _, one, _ in figures])
        two = median([two - empty / 2 for empty, _, _, two in figures])
        beyond = median([one - clocks for _, clocks, one, _ in figures])
        timed = "loaded" not in name and "hooks" not in name and "instrument" not in name
        timed = timed and name != "LTTng, not recording"
        rows.append(
            [name, f"{one:.1f}", f"{two:.1f}", f"{beyond:+.1f}" if timed else "-", ratio(one, peer)]
        )
    header = ["a region, begin and end", "ns", "two in turns", "beyond two readings", ":LTTng"]
    show("Users' regions, CPU time of the calling thread", header, rows)
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    print("Perfetto's and Tracy's macros for C are in no package of Debian or PyPI: left out.")

"""Native functions: the goals, next to what was measured."""

from suite.table import show

PER_CALL = {
    "kymo counts": 2.0,
    "kymo coarse": 5.0,
    "kymo, switched off": 0.5,
}
AGAINST_UFTRACE = {"kymo full": 8, "kymo counts": 40}
AGAINST_UFTRACE_ON_DISK = 4
FIRST_START_S, FIRST_START_US, SECOND_START_US = 0.4, 8, 1
REWRITING_S, REWRITTEN_START_MS, STOP_MS, BUDGET = 2, 1, 50, 1.06


def _row(rows, what, goal, number, holds, unit):
    rows.append([what, f"{goal} {unit}", f"{number:.2f} {unit}", "yes" if holds else "NO"])


def _calls(rows, load, net):
    for name, goal in PER_CALL.items():
        if name in net:
            _row(rows, f"{load}: {name}", f"<= {goal}", net[name], net[name] <= goal, "ns")
    theirs = [value for name, value in net.items() if name.startswith("uftrace")]
    for name, goal in AGAINST_UFTRACE.items():
        if theirs and net.get(name, 0) > 0:
            times = min(theirs) / net[name]
            _row(rows, f"{load}: uftrace / {name}", f">= {goal}", times, times >= goal, "times")


def _disk(rows, net):
    theirs = [value for name, value in net.items() if name.startswith("uftrace")]
    if theirs and net.get("kymo full", 0) > 0:
        times, goal = min(theirs) / net["kymo full"], AGAINST_UFTRACE_ON_DISK
        _row(rows, "sqlite on disk: uftrace / full", f">= {goal}", times, times >= goal, "times")


def _start(rows, figures):
    for name in [name for name in figures if name not in ("stop", "budget")]:
        each = figures[name]
        first, second = each["begins"]
        rewriting, starts = each["rewritten"]
        if name == "cc1":
            _row(rows, "cc1: first start", f"<= {FIRST_START_S}", first, first <= 0.4, "s")
            holds = rewriting <= REWRITING_S
            _row(rows, "cc1: rewriting", f"<= {REWRITING_S}", rewriting, holds, "s")
        _row(rows, f"{name}: rewritten starts", "<= 1", starts * 1e3, starts * 1e3 <= 1, "ms")
        if each["functions"]:
            for kind, time, goal in (("first", first, 8), ("second", second, 1)):
                us = time / each["functions"] * 1e6
                _row(rows, f"{name}: {kind} start", f"<= {goal}", us, us <= goal, "us a function")
    if figures["stop"] is not None:
        stop = figures["stop"]
        _row(rows, "attaching stops for", f"<= {STOP_MS}", stop, stop <= STOP_MS, "ms")
    if figures["budget"] is not None:
        budget = figures["budget"]
        _row(rows, "--budget 5 of brief calls", f"<= {BUDGET}", budget, budget <= BUDGET, "times")


def show_all(measured):
    rows = []
    for load, net in measured.items():
        if load == "disk":
            _disk(rows, net)
        elif load == "start":
            _start(rows, net)
        else:
            _calls(rows, load, net)
    show("Goals", ["", "goal", "measured", "holds"], rows)

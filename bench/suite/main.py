"""Command line of bench/run."""

import argparse

from suite import (
    annotate,
    calls,
    cost,
    large,
    launch,
    locks,
    merge,
    metrics,
    processes,
    procstat,
    region,
    setup,
    start,
    threads,
)
from suite.functions import counted, functions, make
from suite.pages import page, page_timeline
from suite.samples import attached, longsample, samplers, sampling, truth, unwind

PARTS = {
    "calls": calls.run,
    "processes": processes.run,
    "start": start.run,
    "large": large.run,
    "cost": cost.run,
    "metrics": metrics.run,
    "annotate": annotate.run,
    "region": region.run,
    "locks": locks.run,
    "procstat": procstat.run,
    "threads": threads.run,
    "launch": launch.run,
    "functions": functions.run,
    "make": make.run,
    "merge": merge.run,
    "unwind": unwind.run,
    "samplers": samplers.run,
    "sampling": sampling.run,
    "truth": truth.run,
    "counted": counted.run,
    "longsample": longsample.run,
    "attached": attached.run,
    "page_timeline": page_timeline.run,
    "page": page.run,
}


def main(arguments, description):
    parser = argparse.ArgumentParser(
        prog="bench/run", description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    parser.add_argument("--python", nargs="+", metavar="X.Y", help="interpreters (default: all)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds (default: 5)")
    options = parser.parse_args(arguments)
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"unknown part '{part}'; there are {', '.join(PARTS)}")
    versions = setup.interpreters()
    for version in options.python or []:
        if version not in versions:
            parser.error(
                f"the build has no module for Python {version}; it has "
                f"{', '.join(versions) or 'none'}"
            )
    if not versions:
        parser.error(f"no build in '{setup.BUILD}'; run ./demo.sh or ./test.sh first")
    chosen = {v: p for v, p in versions.items() if not options.python or v in options.python}
    for part in options.parts or PARTS:
        PARTS[part](chosen, options.rounds)
    return 0

"""One process: a workload bare and under one tool, in turns.

Prints per workload: name, bare seconds, seconds under the tool, calls (best of the turns)."""

import sys
import time

from suite import tools
from suite.workloads import WORKLOADS

TURNS = 7


def timed(function, size):
    before = time.process_time()
    function(size)
    return time.process_time() - before


def main():
    switch_on, switch_off = tools.install(sys.argv[1])
    for name, (function, size, calls) in WORKLOADS.items():
        bare, hooked = [], []
        for _ in range(TURNS):
            bare.append(timed(function, size))
            switch_on()
            try:
                hooked.append(timed(function, size))
            finally:
                switch_off()
        print(name, min(bare), min(hooked), calls)


if __name__ == "__main__":
    main()

"""A whole program for measurements from outside: `python -m suite.programs WORKLOAD TIMES`."""

import sys

from suite.workloads import WORKLOADS


def main():
    function, size, _ = WORKLOADS[sys.argv[1]]
    for _ in range(int(sys.argv[2])):
        function(size)


if __name__ == "__main__":
    main()

"""Work of 1:2:3:4 over four ranks, which wait for each other in mpi4py."""

import sys

from mpi4py import MPI

COMM = MPI.COMM_WORLD
ROUNDS = int(sys.argv[1])


def work():
    total = 0
    for i in range(COMM.Get_rank() + 1):
        for k in range(300000):
            total += i ^ k
    return total


def main():
    for i in range(ROUNDS):
        total = work()
        COMM.Barrier()
        COMM.allreduce(total)


main()

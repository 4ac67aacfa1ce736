# SPDX-License-Identifier: MIT
"""A node's ranks are those of the communicator of mpi4py that it is given, which may be freed once the node is open;
MPI stays mpi4py's.

usage: communicator.py    as 2 ranks or more
exit:  0, and "rank N: all right" from each, N of all that mpirun has started; 1 with the line of what does not hold

Path: run.py -> this -> python/gravel/_opening.py.
"""

import numpy as np
from mpi4py import MPI

import gravel
from refused import refused


def check_numbers(node, rank, size):
    assert (node.rank, node.size) == (rank, size), (node.rank, node.size)
    words = node.array(size, np.uint32)
    for m in range(size):
        words.put([10 + rank], m, first=rank)
    node.barrier()
    assert (words.get() == 10 + np.arange(size)).all(), words.get()
    node.barrier()


def main(world):
    n, rank = world.Get_size(), world.Get_rank()
    for bad in 3, "world", MPI:
        with refused(TypeError, "comm is a communicator of mpi4py"):
            gravel.open(comm=bad)
    turned = world.Split(0, n - rank)
    with gravel.open(comm=turned, heap_bytes="1M") as node:
        turned.Free()
        check_numbers(node, n - 1 - rank, n)
    with gravel.open(comm=MPI.COMM_SELF, heap_bytes="1M") as node:
        check_numbers(node, 0, 1)
    half = world.Split(int(rank == 0), rank)  # two jobs side by side
    with gravel.open(comm=half, heap_bytes="1M") as node:
        check_numbers(node, half.Get_rank(), half.Get_size())
    assert world.allreduce(1) == n
    print("rank %d: all right" % rank, flush=True)


main(MPI.COMM_WORLD)

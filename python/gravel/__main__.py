# SPDX-License-Identifier: MIT
"""python3 -m gravel: whether it works here. A histogram on four loop-back nodes, and PASS.

exit: 0; 1 with what went wrong
"""
from __future__ import annotations

import sys

import numpy as np
import pyopencl.array

import gravel

_N_NODES, _N_BINS, _N_KEYS = 4, 1000, 1 << 20
_SOURCE = """#include "gravel.cl.h"
kernel void count(GRAVEL_ARENA, ulong bins, global const uint *keys)
{
    GRAVEL_OPEN(g);
    uint key = keys[get_global_id(0)], n = gravel_n_nodes(g);
    gravel_inc_uint_wg(g, bins, key / n, key % n);
}
"""


def main() -> int:
    print("gravel", gravel.__version__)
    with gravel.open(transport="self", loopback_nodes=_N_NODES, heap_bytes="1M") as node:
        print("device", node.device.name.strip())
        print("step", node.step)
        bins = node.array(_N_BINS, np.uint32)
        keys = np.random.default_rng(1).integers(0, _N_NODES * _N_BINS, _N_KEYS, np.uint32)
        node.program(_SOURCE).count(keys.shape, None, bins, pyopencl.array.to_device(node.queue, keys))
        node.barrier()
        counted = np.stack([bins.get(i) for i in range(_N_NODES)], axis=1).ravel()
        n_wrong = int((counted != np.bincount(keys, minlength=_N_NODES * _N_BINS)).sum())
    print("histogram of %d keys on %d nodes: %d bins are wrong" % (_N_KEYS, _N_NODES, n_wrong))
    print("FAIL" if n_wrong else "PASS")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except gravel.Error as error:
        sys.exit("%s: %s\nFAIL" % (type(error).__name__, error))

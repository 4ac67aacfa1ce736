# SPDX-License-Identifier: MIT
"""The library's loader of OpenCL and PyOpenCL's are two, as where a wheel brings its own: a node takes the device and
the queue that either of them gave. Without any driver the error says what is missing.

usage: loaders.py two       each loader sees drivers
       loaders.py other     PyOpenCL's alone
       loaders.py none      neither
exit:  0, and "NAME: all right"

Path: loaders.sh, wheel.sh -> this -> python/gravel/_opening.py.
"""
import re
import sys

import numpy as np
import pyopencl as cl

import gravel
from refused import refused

KERNEL = """#include "gravel.cl.h"
kernel void count(GRAVEL_ARENA, ulong words)
{
    GRAVEL_OPEN(g);
    gravel_inc_uint_wg(g, words, 0, gravel_n_nodes(g) - 1);
}
"""
ALONE = {"transport": "self", "loopback_nodes": 2, "heap_bytes": "1M"}
N = 256


def loaders():
    """Those in this process; what loaders.sh makes has an X in its name."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {found.group() for found in re.finditer(r"/\S*/libOpenC[LX]\S*", maps.read())}


def counts(node):
    words = node.array(1, np.uint32)
    node.program(KERNEL).count(N, None, words)
    node.barrier()
    return words.get(1)[0] == N


def two():
    with gravel.open(**ALONE) as node:
        assert counts(node)
        name = node.device.name
    own = next(device for platform in cl.get_platforms() for device in platform.get_devices() if device.name == name)
    with gravel.open(device=own, **ALONE) as node:
        assert counts(node) and node.device.name == name
    queue = cl.CommandQueue(cl.Context([own]))
    with gravel.open(queue, **ALONE) as node:
        assert counts(node) and node.queue is queue
    assert len(loaders()) == 2, loaders()


def other():
    with refused(gravel.DeviceError, "no OpenCL platform"):  # a device by its name is the library's to find
        gravel.open(device="cpu", **ALONE)
    with gravel.open(**ALONE) as node:
        assert counts(node)
    assert len(loaders()) == 2, loaders()


def none():
    with refused(gravel.DeviceError, "no OpenCL platform", "install a driver"):
        gravel.open(**ALONE)


{"two": two, "other": other, "none": none}[sys.argv[1]]()
print("%s: all right" % sys.argv[1])

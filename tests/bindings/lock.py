# SPDX-License-Identifier: MIT
"""Python's lock: other threads have it while a call waits, and a thread that keeps it keeps no message waiting.

usage: lock.py free
       lock.py kept     as 2 ranks
exit:  0, and "free: all right", of 2 ranks "kept RANK: all right"

Path: run.py -> this -> python/gravel.
"""
import ctypes
import os
import select
import struct
import sys
import tempfile
import threading
import time

import numpy as np
import pyopencl as cl

import gravel
from gravel import _interrupt

KERNEL = '#include "gravel.cl.h"\nkernel void nothing(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n'
TIMEOUT_MS = 3000
KEPT_S = 1.5 * TIMEOUT_MS / 1000  # longer than any wait lasts without progress
LIMIT_MS = 60000


def free():
    """The kernel that a call waits for begins when another thread of Python says so."""
    with gravel.open(transport="self", heap_bytes="1M", timeout_ms=TIMEOUT_MS) as node:
        nothing = node.program(KERNEL).nothing
        nothing(1, 1)
        node.barrier()
        held_up = cl.UserEvent(node.context)
        def begin():
            while _interrupt._State.node is None:  # until the main thread waits within a call
                time.sleep(0.001)
            held_up.set_status(cl.command_execution_status.COMPLETE)
        threading.Thread(target=begin).start()
        nothing(1, 1, wait=[held_up])
        node.barrier()


def kept():
    """Rank 1 keeps the lock until messages of rank 0 have been applied at it, one after the other."""
    with tempfile.TemporaryDirectory() as work, gravel.open(heap_bytes="1M", timeout_ms=TIMEOUT_MS) as node:
        words, place = node.array(1, np.uint64), node.array(256, np.uint8)
        if node.rank == 0:
            pipe = os.path.join(work, "pipe").encode()
            os.mkfifo(pipe)
            place.put(np.frombuffer(pipe, np.uint8), 1)
        node.barrier()
        (send if node.rank == 0 else keep)(node, words, bytes(place.get()).rstrip(b"\0") if node.rank else pipe)
        node.barrier()
        return node.rank


def send(node, words, pipe):
    node.barrier()
    began, n = time.monotonic(), 0
    while time.monotonic() - began < KEPT_S:
        node.update("inc", words, 0, node=1)
        node.quiet()
        n += 1
    with open(pipe, "wb") as told:
        told.write(b"%d" % n)


def keep(node, words, pipe):
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    node.barrier()
    poll = ctypes.create_string_buffer(struct.pack("ihh", reader, select.POLLIN, 0))  # struct pollfd
    assert ctypes.PyDLL(None).poll(poll, 1, LIMIT_MS) == 1, "rank 0 waits for this rank's lock"
    assert words.get()[0] == int(os.read(reader, 64)) > 0
    os.close(reader)


rank = {"free": free, "kept": kept}[sys.argv[1]]()
print("%s: all right" % (sys.argv[1] if rank is None else "%s %d" % (sys.argv[1], rank)), flush=True)

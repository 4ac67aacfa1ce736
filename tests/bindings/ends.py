# SPDX-License-Identifier: MIT
"""How a node ends that does not just close: by Ctrl-C, by an exception at one rank, or with its process.

usage: ends.py (interrupt | interrupt_child | interrupt_open | left_open)
       ends.py (raise_alone | raise_in_part | interrupt_alone | interrupt_close | sizes_differ |
                finalise_open)     as 2 ranks
       ends.py interrupt_open_alone FOLDER      as 2 ranks, with a FOLDER that is empty and theirs
exit:  0, and "NAME: all right", of 2 ranks "NAME RANK: all right"

Path: run.py -> this -> python/gravel.
"""
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyopencl as cl

import gravel
from gravel import _interrupt, _node

KERNEL = '#include "gravel.cl.h"\nkernel void nothing(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n'
LIMIT_S = 20.0  # a wait that Ctrl-C or another node ends takes less, also on a busy machine; else it takes longer


def while_waiting(act, *arguments):
    """Acts, in a thread, as soon as the main thread has let go of Python's lock within a call that waits."""
    def watch():
        while _interrupt._State.node is None:
            time.sleep(0.001)
        act(*arguments)
    sys.setswitchinterval(LIMIT_S)  # it keeps the lock until then
    threading.Thread(target=watch).start()


def interrupt():
    """A wait for a kernel that does not begin; the file of the byte that the signal writes has it too."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    began = time.monotonic()
    try:
        with gravel.open(transport="self", heap_bytes="1M", timeout_ms=4000) as node:  # so long a kernel is awaited
            nothing = node.program(KERNEL).nothing
            nothing(1, 1)
            node.barrier()
            held_up = cl.UserEvent(node.context)
            while_waiting(os.kill, os.getpid(), signal.SIGINT)
            try:
                nothing(1, 1, wait=[held_up])
                node.barrier()
            finally:
                held_up.set_status(cl.command_execution_status.COMPLETE)
    except KeyboardInterrupt:
        assert time.monotonic() - began < LIMIT_S
        assert signal.SIGINT in os.read(reader, 64)
        assert signal.set_wakeup_fd(-1) == writer
        return
    raise AssertionError("no KeyboardInterrupt")


def interrupt_child():
    """A child that another thread forks meanwhile gets Ctrl-C, which does not end the wait of its parent."""
    def fork(held_up):
        child = os.fork()
        if child == 0:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        time.sleep(0.2)  # what aborts the node would have done so
        held_up.set_status(cl.command_execution_status.COMPLETE)
    with gravel.open(transport="self", heap_bytes="1M") as node:
        if os.fork() == 0:
            node.__exit__(None, None, None)  # which does nothing: the node is the parent's
            os._exit(0)
        assert os.wait()[1] == 0
        held_up = cl.UserEvent(node.context)
        while_waiting(fork, held_up)
        node.program(KERNEL).nothing(1, 1, wait=[held_up])
        node.barrier()


class Pressing:
    """A setting whose text is read while Ctrl-C is pressed."""

    def __str__(self):
        os.kill(os.getpid(), signal.SIGINT)
        return "1M"


def interrupt_open():
    """Before the node is there: it opens, is given up, and none is left open; the next one opens."""
    try:
        gravel.open(transport="self", heap_bytes=Pressing())
    except KeyboardInterrupt:
        assert not _node._alone, "a node is left open"
    else:
        raise AssertionError("no KeyboardInterrupt")
    with gravel.open(transport="self", heap_bytes="1M") as node:
        node.barrier()


def interrupt_open_alone(folder):
    """One rank waits in open for the other, which comes when Ctrl-C has been pressed: the first one gets no node, and
    the other does not wait for it."""
    began, pressed = time.monotonic(), os.path.join(folder, "pressed")
    try:
        os.close(os.open(os.path.join(folder, "first"), os.O_CREAT | os.O_EXCL))
        is_first = True
    except FileExistsError:
        is_first = False
    if is_first:  # by a process: mpi4py keeps Python's lock while it waits for the other rank
        subprocess.Popen(["sh", "-c", 'sleep 1; kill -INT "$1"; : >"$2"', "-", str(os.getpid()), pressed])
    while not is_first and not os.path.exists(pressed):
        assert time.monotonic() - began < LIMIT_S, "nothing is pressed"
        time.sleep(0.05)
    try:
        with gravel.open(heap_bytes="1M") as node:
            assert not is_first, "opened in spite of Ctrl-C"
            node.barrier()
    except KeyboardInterrupt:
        assert is_first and not _node._of_jobs, "a node is left open"
        return 0
    except gravel.PeerError as error:
        assert not is_first and "KeyboardInterrupt" in str(error), error
        return 1
    raise AssertionError("nothing raised")


def left_open():
    """A process that ends with an open node says so, and ends; one that closes says nothing."""
    program = "import gravel; node = gravel.open(transport='self', heap_bytes='1M'); keep = [node]; "
    for end, status, said in ("", 0, "ResourceWarning"), ("1 / 0", 1, "ZeroDivisionError"), ("node.close()", 0, None):
        ended = subprocess.run([sys.executable, "-W", "default", "-c", program + end], capture_output=True, text=True,
                               timeout=60, check=False)
        assert ended.returncode == status, ended
        assert said in ended.stderr if said else "gravel.Node" not in ended.stderr, ended


def raise_alone():
    """At rank 1, while rank 0 is in a barrier."""
    return raised_in(contextlib.nullcontext, gravel.Node.barrier)


def raise_in_part():
    """At rank 1, in the statement of a mirror: it destroys nothing alone."""
    return raised_in(lambda node: node.mirror(node.array(4, np.uint32), [[0], [1]]), gravel.Mirror.share)


def raised_in(statement, call):
    began = time.monotonic()
    try:
        with gravel.open(heap_bytes="1M") as node, statement(node) as part:
            if node.rank == 1:
                raise LookupError("nothing found")
            call(part)
    except LookupError:
        return 1
    except gravel.PeerError as error:
        assert "LookupError: nothing found" in str(error) and "node 1" in str(error), error
        assert time.monotonic() - began < LIMIT_S
        return 0
    raise AssertionError("nothing raised")


def interrupt_alone():
    """Rank 0, in a barrier to which rank 1 does not come."""
    return interrupted_in(lambda node: node.barrier())


def interrupt_close():
    """Rank 0, as it closes and rank 1 does not: the node is closed, and nothing closes it again."""
    return interrupted_in(lambda node: node.close())


def interrupted_in(call):
    began, rank = time.monotonic(), None
    try:
        with gravel.open(heap_bytes="1M") as node:
            rank = node.rank
            if rank == 0:
                while_waiting(os.kill, os.getpid(), signal.SIGINT)
                call(node)
            while time.monotonic() - began < LIMIT_S:  # no collective call; the failure comes with any other
                node.quiet()
                time.sleep(0.05)
    except KeyboardInterrupt:
        assert rank == 0 and time.monotonic() - began < LIMIT_S
        assert "closed" in repr(node)
        return 0
    except gravel.PeerError as error:
        assert rank == 1 and "KeyboardInterrupt" in str(error), error
        return 1
    raise AssertionError("rank %r was not interrupted" % rank)


def finalise_open():
    """By the program: the node ends, its calls say so, and the process ends as it likes."""
    from mpi4py import MPI
    node = gravel.open(heap_bytes="1M")
    MPI.Finalize()
    for call in node.barrier, node.close:
        try:
            call()
        except gravel.MPIError as error:
            assert "MPI_Finalize: node %d is open" % node.rank in str(error), error
        else:
            raise AssertionError("a call behind MPI_Finalize")
    return node.rank


def sizes_differ():
    """At each rank; the node works on."""
    with gravel.open(heap_bytes="1M") as node:
        try:
            node.array(10 + node.rank, np.uint32)
        except gravel.MismatchError as error:
            assert "40" in str(error) and "44" in str(error), error
        else:
            raise AssertionError("arrays of different sizes")
        assert node.array(10, np.uint32).size == 10
        return node.rank


CASES = {case.__name__: case for case in (interrupt, interrupt_child, interrupt_open, left_open, raise_alone,
                                          raise_in_part, interrupt_alone, interrupt_close, interrupt_open_alone,
                                          sizes_differ, finalise_open)}


def main(name, *arguments):
    rank = CASES[name](*arguments)
    print("%s: all right" % (name if rank is None else "%s %d" % (name, rank)), flush=True)


main(*sys.argv[1:])

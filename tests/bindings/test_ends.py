# SPDX-License-Identifier: MIT
"""How a node ends that does not just close: by Ctrl-C, by an exception at one rank, or with its process. Python's lock, which
other threads have while a call waits. The ranks of a communicator of mpi4py. Each case is a process, or two ranks.

usage: test_ends.py CASE FOLDER     FOLDER is empty, and theirs
exit:  0, and from each rank "CASE RANK"; 1 with the line of what does not hold

Path: pytest -> this -> processes.py -> this, as a program -> python/gravel
"""
import contextlib
import ctypes
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pyopencl as cl
import pytest

import gravel
from conftest import ALONE, refuse
from gravel import _interrupt, _node
from processes import MPIRUN, lines_of

KERNEL = '#include "gravel.cl.h"\nkernel void nothing(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n'
LIMIT_S = 20.0  # a wait that Ctrl-C or another node ends takes less, also on a busy machine; else it takes longer
TIMEOUT_MS = 3000  # so long a kernel is awaited
KEPT_S = 1.5 * TIMEOUT_MS / 1000  # longer than any wait lasts without progress

# ---- a process ---------------------------------------------------------------------------------------------------------


def while_waiting(act, *arguments):
    """Acts, in a thread, as soon as the main thread has let go of Python's lock within a call that waits."""
    def watch():
        while _interrupt._State.node is None:
            time.sleep(0.001)
        act(*arguments)
    sys.setswitchinterval(LIMIT_S)  # it keeps the lock until then
    threading.Thread(target=watch).start()


def wait_until(act):
    """Waits for a kernel that begins when act, called by another thread with the kernel's event, says so."""
    with gravel.open(**ALONE, timeout_ms=TIMEOUT_MS) as node:
        nothing = node.program(KERNEL).nothing
        nothing(1, 1)
        node.barrier()
        held_up = cl.UserEvent(node.context)
        while_waiting(act, held_up)
        try:
            nothing(1, 1, wait=[held_up])
            node.barrier()
        finally:
            begin(held_up)


def begin(held_up):
    if held_up.command_execution_status > 0:
        held_up.set_status(cl.command_execution_status.COMPLETE)


def lock_is_free(_):
    wait_until(begin)


def interrupt(_):
    """The file of the byte that the signal writes has it too."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait_until(lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert time.monotonic() - began < LIMIT_S
    assert signal.SIGINT in os.read(reader, 64) and signal.set_wakeup_fd(-1) == writer


def interrupt_child(_):
    """A child that another thread forks during a wait gets Ctrl-C, which does not end that wait."""
    def fork(held_up):
        child = os.fork()
        if child == 0:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        time.sleep(0.2)  # what aborts the node would have done so
        begin(held_up)
    wait_until(fork)


def child_leaves(_):
    with gravel.open(**ALONE) as node:
        if os.fork() == 0:
            node.__exit__(None, None, None)  # which does nothing: the node is the parent's
            os._exit(0)
        assert os.wait()[1] == 0
        node.barrier()


class Pressing:
    """A setting whose text is read while Ctrl-C is pressed."""

    def __str__(self):
        os.kill(os.getpid(), signal.SIGINT)
        return "1M"


def interrupt_open(_):
    """Before the node is there: it opens, is given up, and none is left open; the next one opens."""
    with pytest.raises(KeyboardInterrupt):
        gravel.open(transport="self", heap_bytes=Pressing())
    assert not _node._alone, "a node is left open"
    with gravel.open(**ALONE) as node:
        node.barrier()


def left_open(_):
    """A process that ends with an open node says so, and ends; one that closes says nothing."""
    program = "import gravel; node = gravel.open(transport='self', heap_bytes='1M'); keep = [node]; "
    for end, status, said in ("", 0, "ResourceWarning"), ("1 / 0", 1, "ZeroDivisionError"), ("node.close()", 0, None):
        ended = subprocess.run([sys.executable, "-W", "default", "-c", program + end], capture_output=True, text=True,
                               timeout=60, check=False)
        assert ended.returncode == status, ended
        assert said in ended.stderr if said else "gravel.Node" not in ended.stderr, ended


# ---- two ranks ---------------------------------------------------------------------------------------------------------


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
        with pytest.raises(KeyboardInterrupt):
            gravel.open(heap_bytes="1M")
        assert not _node._of_jobs, "a node is left open"
        return 0
    while not os.path.exists(pressed):
        assert time.monotonic() - began < LIMIT_S, "nothing is pressed"
        time.sleep(0.05)
    with pytest.raises(gravel.PeerError, match="KeyboardInterrupt"), gravel.open(heap_bytes="1M") as node:
        node.barrier()
    return 1


def raise_alone(_):
    """At rank 1, while rank 0 is in a barrier."""
    return raised_in(contextlib.nullcontext, gravel.Node.barrier)


def raise_in_part(_):
    """At rank 1, in the statement of a mirror: it destroys nothing alone."""
    return raised_in(lambda node: node.mirror(node.array(4, np.uint32), [[0], [1]]), gravel.Mirror.share)


def raised_in(statement, call):
    began = time.monotonic()
    with pytest.raises((LookupError, gravel.PeerError)) as raised:
        with gravel.open(heap_bytes="1M") as node, statement(node) as part:
            if node.rank == 1:
                raise LookupError("nothing found")
            call(part)
    assert time.monotonic() - began < LIMIT_S
    if raised.type is LookupError:
        return 1
    assert "LookupError: nothing found" in str(raised.value) and "node 1" in str(raised.value), raised.value
    return 0


def interrupt_alone(_):
    """Rank 0, in a barrier to which rank 1 does not come."""
    return interrupted_in(lambda node: node.barrier())


def interrupt_close(_):
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
        assert rank == 0 and time.monotonic() - began < LIMIT_S and "closed" in repr(node)
    except gravel.PeerError as error:
        assert rank == 1 and "KeyboardInterrupt" in str(error), error
    else:
        raise AssertionError("rank %r was not interrupted" % rank)
    return rank


def lock_is_kept(folder):
    """Rank 1 keeps the lock until messages of rank 0 have been applied at it, one after the other."""
    pipe = os.path.join(folder, "pipe")
    with gravel.open(heap_bytes="1M", timeout_ms=TIMEOUT_MS) as node:
        words = node.array(1, np.uint64)
        if node.rank == 0:
            os.mkfifo(pipe)
        node.barrier()
        (send if node.rank == 0 else keep)(node, words, pipe)
        node.barrier()
        return node.rank


def send(node, words, pipe):
    node.barrier()
    began, n = time.monotonic(), 0
    while time.monotonic() - began < KEPT_S:
        node.update("inc", words, 0, node=1)
        node.quiet()
        n += 1
    with open(pipe, "wb") as sink:
        sink.write(b"%d" % n)


def keep(node, words, pipe):
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    node.barrier()
    poll = ctypes.create_string_buffer(struct.pack("ihh", reader, select.POLLIN, 0))  # struct pollfd
    assert ctypes.PyDLL(None).poll(poll, 1, 60000) == 1, "rank 0 waits for this rank's lock"
    assert words.get()[0] == int(os.read(reader, 64)) > 0
    os.close(reader)


def communicators(_):
    """A node's ranks are those of the communicator it is given, which may be freed then; MPI stays mpi4py's."""
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    n, rank = world.Get_size(), world.Get_rank()
    refuse(TypeError, "comm is a communicator of mpi4py", *(lambda bad=bad: gravel.open(comm=bad) for bad in (3, "world", MPI)))
    for comm in world.Split(0, n - rank), MPI.COMM_SELF, world.Split(int(rank == 0), rank):  # at last two jobs
        rank_there, size = comm.Get_rank(), comm.Get_size()
        with gravel.open(comm=comm, heap_bytes="1M") as node:
            if comm != MPI.COMM_SELF:
                comm.Free()
            assert (node.rank, node.size) == (rank_there, size), (node.rank, node.size)
            node.barrier()
    assert world.allreduce(1) == n
    return rank


# ---- the tests ---------------------------------------------------------------------------------------------------------

OF_A_PROCESS = lock_is_free, interrupt, interrupt_child, child_leaves, interrupt_open, left_open
OF_TWO_RANKS = (interrupt_open_alone, raise_alone, raise_in_part, interrupt_alone, interrupt_close, lock_is_kept,
                communicators)


@pytest.mark.parametrize("case", OF_A_PROCESS)
def test_of_a_process(case, tmp_path):
    assert "%s None" % case.__name__ in lines_of((1, 1), [__file__, case.__name__, tmp_path])


@pytest.mark.skipif(not MPIRUN, reason="without MPI")
@pytest.mark.parametrize("case", OF_TWO_RANKS)
def test_of_two_ranks(case, tmp_path):
    if case is communicators:
        pytest.importorskip("mpi4py")
    said = lines_of((2, 2), [__file__, case.__name__, tmp_path])
    assert {"%s %d" % (case.__name__, rank) for rank in range(2)} <= set(said), said


if __name__ == "__main__":
    print(sys.argv[1], globals()[sys.argv[1]](sys.argv[2]), flush=True)

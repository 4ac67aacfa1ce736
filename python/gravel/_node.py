# SPDX-License-Identifier: MIT
"""Nodes: how they open, what they are asked, and how they end.

A node ends with its `with` statement. An exception that leaves the statement gives the node up, so that other nodes
wait for none that cannot come; else the end closes. A node that is open when the process ends is closed, with a
ResourceWarning, or given up after an exception that nothing caught.

Path: open -> gravel_open -> Node -> Array, Mirror, Accumulator, BlockPool, Flow, Rounds, Deques, Program; _leave when the
      process ends.
"""
from __future__ import annotations

import atexit
import contextlib
import ctypes as c
import functools
import os
import sys
import warnings
import weakref
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from . import _library
from ._accumulator import Accumulator
from ._array import Array
from ._block_pool import BlockPool
from ._deques import Deques
from ._errors import Error
from ._flow import Channel, Flow
from ._interrupt import held_back, waiting
from ._library import check, error_of, lib, number_of
from ._mirror import Mirror
from ._opening import Handler, opened, settings_of
from ._part import Part
from ._program import SERVED, Kernel, Program, events_of
from ._rounds import Rounds
from ._stream import Functions, Stream, is_in_function
from ._words import operation_of, pointer, type_of, word_of

_DIRECT_STEPS = ("svm", "usm")  # where the host addresses the heap


class Node:
    """Node `rank` of `size`, on step `step`; or all loop-back nodes of this process.

    The end of its `with` statement closes it, or gives the job up after an exception.
    """

    def __init__(self, queue: Optional[cl.CommandQueue], device: Union[cl.Device, str, None], comm: Any,
                 handlers: Mapping[str, Handler], device_code: Optional[str], functions: Functions,
                 settings: Mapping[str, Any]) -> None:
        self._handle: Optional[int] = None
        self._functions = functions
        try:
            with held_back():
                self._handle = opened(queue, device, comm, handlers, device_code, functions, settings)
                self._look(queue, handlers)
        except KeyboardInterrupt as pressed:
            self._give_up(pressed)
            raise
        finally:
            functions._begin(self)

    def _look(self, queue: Optional[cl.CommandQueue], handlers: Mapping[str, Handler]) -> None:
        """What stays as it is while the node is open."""
        self._handlers = {name: i for i, name in enumerate(handlers)}
        if queue is not None:
            self.queue, self.context, self.device = queue, queue.context, queue.device
        self._held: list[tuple[cl.Event, tuple[Any, ...]]] = []  # what launches use
        self._parts: list[Part] = []
        self._process = os.getpid()
        self.rank: int = lib.gravel_node(self._handle)
        self.size: int = lib.gravel_n_nodes(self._handle)
        self.step: str = lib.gravel_step(self._handle).decode()
        self.group_size: int = lib.gravel_group_size(self._handle)
        self._is_direct = self.step in _DIRECT_STEPS
        self._launch = _at_once if self._is_direct else waiting
        self._is_alone = self.config["transport"] == "self"
        (_alone if self._is_alone else _of_jobs).add(self)

    # ---- calls

    def _opened(self) -> int:
        if self._handle is None:
            raise ValueError("this node is closed")
        return self._handle

    def _check(self, status: int) -> None:
        if status:
            raise self._functions._explained(error_of(status))

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        self._check(function(self._opened(), *arguments))

    def _wait(self, function: Callable[..., int], *arguments: Any) -> None:
        self._check(waiting(function, self._opened(), *arguments))

    def _complete(self, function: Callable[..., int], *arguments: Any) -> None:
        """A call that waits for what was launched before it."""
        held, self._held = self._held, []
        try:
            self._wait(function, *arguments)
        except BaseException:
            self._held = held + self._held
            raise

    def _keep(self, ended: cl.Event, arguments: tuple[Any, ...]) -> None:
        self._held.append((ended, arguments))
        if len(self._held) % 256 == 0:
            running = cl.command_execution_status.COMPLETE
            self._held = [launch for launch in self._held if launch[0].command_execution_status > running]

    def _has_failed(self) -> bool:
        """Then each call that sends says so, one of no bytes too."""
        return bool(lib.gravel_put(self._opened(), 0, None, 0, self.rank))

    def _is_local(self, node: int) -> bool:
        return bool(lib.gravel_is_local(self._opened(), node))

    def __repr__(self) -> str:
        return "<gravel.Node %d of %d, %s>" % (self.rank, self.size, "step " + self.step if self._handle else "closed")

    # ---- what it is

    @property
    def local(self) -> list[int]:
        """The nodes of this process: this one, or all loop-back nodes."""
        return [node for node in range(self.size) if self._is_local(node)]

    @functools.cached_property
    def device(self) -> cl.Device:
        return cl.Device.from_int_ptr(lib.gravel_cl_device(self._opened()), retain=True)

    @functools.cached_property
    def context(self) -> cl.Context:
        return cl.Context.from_int_ptr(lib.gravel_cl_context(self._opened()), retain=True)

    @functools.cached_property
    def queue(self) -> cl.CommandQueue:
        """The queue on which launches run, in order."""
        return cl.CommandQueue.from_int_ptr(lib.gravel_cl_queue(self._opened()), retain=True)

    @property
    def config(self) -> dict[str, str]:
        """The settings in force, as texts."""
        return settings_of(lib.gravel_config_of(self._opened()))

    @property
    def stats(self) -> dict[str, int]:
        """The counters of this node (docs/reference/settings.md); exact after quiet."""
        if not _counters:  # their names, once: the order is that of struct gravel_stats
            name, value = c.c_char_p(), c.c_uint64()
            while not lib.gravel_stats_get(self._opened(), len(_counters), c.byref(name), c.byref(value)):
                _counters.append((name.value or b"").decode())
        values = (c.c_uint64 * len(_counters))()
        self._call(lib.gravel_stats_read, values, c.sizeof(values), _library.ALL_NODES)
        return dict(zip(_counters, values))

    # ---- memory and kernels

    def array(self, shape: Union[int, Sequence[int]], dtype: npt.DTypeLike) -> Array:
        """A symmetric array of zeros, numbers or records, on each node. Collective, with a barrier."""
        return Array(self, shape, dtype)

    def mirror(self, array: Array, words: Sequence[npt.ArrayLike], op: Optional[str] = None) -> Mirror:
        """Copies of words of an array, which own kernels read, or slots that they change by `op`. Collective.

        words[m] are elements of node m's part, counted as in ravel(); copy, or slot, i is for the i-th of them all.
        """
        return Mirror(self, array, words, op)

    def accumulator(self, array: Array, op: str = "add") -> Accumulator:
        """Words of all nodes that own kernels change by `op` in own memory. Collective."""
        return Accumulator(self, array, op)

    def block_pool(self, block_bytes: int, n_blocks: int) -> BlockPool:
        """Blocks of `block_bytes`, a power of two from 8, that kernels allocate; n_blocks for each node. Collective."""
        return BlockPool(self, block_bytes, n_blocks)

    def program(self, source: str, name: str = "kernel.cl", options: str = "") -> Program:
        """Build OpenCL C that includes "gravel.cl.h"; the compiler's messages name the file `name`."""
        return Program(self, source, name, options)

    def server_program(self, source: str, name: str = "kernel.cl", options: str = "") -> Program:
        """Build OpenCL C for launch_server(), usually the node's `device_code`."""
        return Program(self, source, name, options, lib.gravel_server_build, SERVED)

    def launch_server(self, kernel: Kernel, n_items: int, *arguments: Any, wait: Sequence[cl.Event] = ()) -> None:
        """Run a kernel of a server_program, as a launch does, and the handlers with keys that it sends to here."""
        node = self._opened()
        kernel._launch_by(SERVED, self, arguments, lambda handle: int(lib.gravel_server_launch(
            node, handle, n_items, len(wait), events_of(wait), None)))

    def flow(self, channels: Mapping[str, Channel], depth: int = 0, *, max_bytes: int = 0, group_items: int = 0,
             n_messages: int = 0) -> Flow:
        """A graph of channels by name, with its memory, as struct gravel_channel_graph."""
        return Flow(self, channels, depth, max_bytes, group_items, n_messages)

    def rounds(self, source: str, function: str, name: str = "rounds.cl", options: str = "", *, group_items: int = 0,
               n_groups: int = 0) -> Rounds:
        """A kernel of phases of this text, as struct gravel_rounds_program. Collective."""
        return Rounds(self, source, function, name, options, group_items, n_groups)

    def deques(self, dtype: npt.DTypeLike = np.uint64, capacity: int = 0, *, group_size: int = 0,
               n_groups: int = 0) -> Deques:
        """Deques of tasks for a kernel whose groups steal work, as struct gravel_steal_options."""
        return Deques(self, dtype, capacity, group_size, n_groups)

    # ---- completion

    def quiet(self) -> None:
        """Wait until this node's messages are applied, and the answers to its requests are here."""
        self._complete(lib.gravel_quiet)

    def fence(self) -> None:
        """Order messages before it and after it, destination by destination."""
        self._wait(lib.gravel_fence)

    def barrier(self) -> None:
        """Wait until all messages of all nodes are applied. Collective."""
        self._complete(lib.gravel_barrier)

    def barrier_sum(self, counters: Array) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """A barrier that also sums up to 32 uint32 counters over all nodes, and sets them to 0. Collective.

        Returns
        -------
        (sums, own)
            Over all nodes, and of this node, as flat arrays.
        """
        if counters.dtype != np.uint32:
            raise TypeError("counters are of uint32, and %r is not" % counters)
        n_told = min(counters.size, _library.MAX_COUNTERS)  # more are refused
        sums, own = np.zeros(n_told, np.uint64), np.zeros(n_told, np.uint64)
        self._complete(lib.gravel_barrier_sum, counters.offset, counters.size, pointer(own, c.c_uint64),
                       pointer(sums, c.c_uint64))
        return sums, own

    @contextlib.contextmanager
    def session(self) -> Iterator[None]:
        """A `with` statement in which node buffers do not age, so that fewer and fuller ones are sent."""
        self._wait(lib.gravel_session_begin)
        try:
            yield
        finally:
            if self._handle is not None:
                self._wait(lib.gravel_session_end)

    def reduce(self, values: npt.ArrayLike, op: str = "add") -> Any:
        """The sum ("add"), "min" or "max" of numbers of 4 or 8 bytes over all nodes, element by element. Collective.

        Returns
        -------
        array, or a number for one number
        """
        if op not in ("add", "min", "max"):
            raise ValueError("op is 'add', 'min' or 'max', not %r" % (op,))
        out = np.array(values, order="C")
        self._wait(lib.gravel_reduce, operation_of(op), type_of(out.dtype), out.ctypes.data, out.size)
        return out[()]

    def share(self, n: int) -> range:
        """This process's share of n things, as a range."""
        first, count = c.c_uint64(), c.c_uint64()
        check(lib.gravel_share(self._opened(), number_of("n", n), c.byref(first), c.byref(count)))
        return range(first.value, first.value + count.value)

    # ---- messages from the host

    def update(self, op: str, array: Array, index: int, value: Any = None, *, node: int) -> None:
        """Send one update of an element of any node, counted as in ravel(). Complete after quiet or barrier.

        `op` is "put", "inc" (without a value), "add", "min", "max", "and", "or" or "xor".
        """
        number = operation_of(op)
        if (value is None) != (op == "inc"):
            raise TypeError("inc takes no value, each other operation takes one")
        word = None if value is None else word_of("a value of an array", value, array.dtype)
        self._call(lib.gravel_update, number, type_of(array.dtype), array._at(index, 1),
                   None if word is None else word.ctypes.data, node)

    def am(self, name: str, *arguments: Union[int, Array, BlockPool, Mirror], node: int) -> None:
        """Send an active message to a handler. Complete after quiet or barrier."""
        if name not in self._handlers:
            raise KeyError("no handler %r; the node has %s" % (name, ", ".join(self._handlers) or "none"))
        if len(arguments) > _library.AM_MAX_ARGS:
            raise TypeError("%s: %d arguments, and messages have %d at most"
                            % (name, len(arguments), _library.AM_MAX_ARGS))
        words = (c.c_uint64 * _library.AM_MAX_ARGS)(*(_argument(argument) for argument in arguments))
        self._call(lib.gravel_am, self._handlers[name], words, len(arguments), node)

    def constant(self, i: int, value: Union[int, Array, BlockPool]) -> None:
        """Set what handlers read as call.constants[i]: a number, or the offset of an array or pool. Collective."""
        self._wait(lib.gravel_set_constant, i, _argument(value))

    # ---- the end

    def abort(self, reason: str = "") -> None:
        """Give the job up: calls that wait end at all nodes, with this text. Any thread may call it."""
        self._call(lib.gravel_abort, reason.encode())

    def close(self) -> None:
        """Close the node and its parts, with a barrier. Collective. A second close does nothing."""
        if self._handle is None:
            return
        if os.getpid() != self._process or is_in_function():
            self._check(lib.gravel_close(self._handle))  # which is refused: nothing is closed
        with held_back():
            failure = self._end_parts()
            status = waiting(lib.gravel_close, self._handle)
            self._handle = None
            self._held = []
            _alone.discard(self)
            _of_jobs.discard(self)
            if status:
                _may_run.append(self._functions)
        self._check(status)
        if failure is not None:
            raise failure

    def _end_parts(self) -> Optional[Error]:
        """@return what the first one met that could not end"""
        failure: Optional[Error] = None
        for part in reversed(self._parts.copy()):
            try:
                part._end()
            except Error as error:
                failure = failure or error
        return failure

    def __enter__(self) -> Node:
        return self

    def __exit__(self, kind: Any, value: Optional[BaseException], trace: Any) -> None:
        if os.getpid() != self._process:
            return  # a forked child, which leaves the node to its parent
        if value is None or isinstance(value, SystemExit) and not value.code:
            self.close()
        else:
            self._give_up(value)

    def _give_up(self, why: BaseException) -> None:
        """Abort with an exception's text, which other nodes get, and close, which waits for none of them then."""
        if self._handle is not None:
            lib.gravel_abort(self._handle, ("%s: %s" % (type(why).__name__, why)).encode(errors="replace"))
            with contextlib.suppress(Error):
                self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and self._is_alone and os.getpid() == self._process:
            warnings.warn("%r was not closed" % self, ResourceWarning, source=self)
            with contextlib.suppress(Error):
                self.close()


def _at_once(function: Callable[..., int], node: int, *arguments: Any) -> int:
    return function(node, *arguments)


def _argument(value: Any) -> int:
    """Of a message, as 64 bits: a number, or the offset of an array, a mirror or a pool."""
    offset = value.offset if isinstance(value, (Array, BlockPool, Mirror)) else value
    return number_of("an argument", offset)


_counters: list[str] = []
_alone: weakref.WeakSet[Node] = weakref.WeakSet()  # of transport self: garbage collection may close them
_of_jobs: set[Node] = set()  # of several processes: closing is collective, so they stay until closed
_may_run: list[Functions] = []  # of nodes that failed: the library leaves a thread that is in one of them


@atexit.register
def _leave() -> None:
    uncaught: Optional[BaseException] = getattr(sys, "last_value", None)
    for node in [*_alone, *_of_jobs]:
        if node._process != os.getpid():
            continue
        warnings.warn("%r was not closed" % node, ResourceWarning)
        if uncaught is not None:
            node._give_up(uncaught)
        else:
            with contextlib.suppress(Error):
                node.close()


def open(queue: Optional[cl.CommandQueue] = None, *, device: Union[cl.Device, str, None] = None, comm: Any = None,
         handlers: Optional[Mapping[str, Handler]] = None, device_code: Optional[str] = None,
         streams: Optional[Mapping[str, Stream]] = None, print_to: Optional[Callable[[str], object]] = None,
         **settings: Any) -> Node:
    """Open this process's node, in a `with` statement. Collective.

    Parameters
    ----------
    queue : pyopencl.CommandQueue
        In order; the node takes its context and device. None: the node makes one.
    device : pyopencl.Device or str
        A device, or as the setting: part of a name, or its numbers "0:1".
    comm : mpi4py.MPI.Comm
        Its processes are the nodes. None: all that mpirun has started.
    handlers, streams : dict
        A Handler, or a Stream, by each name, the same at every node.
    device_code : str
        OpenCL C of the handlers without a function.
    print_to : callable
        Takes whole lines that kernels print, as functions of streams do; the setting `print` names the node.
    settings
        Of docs/reference/settings.md, by name: heap_bytes="64M", loopback_nodes=4, check=True.
    """
    return Node(queue, device, comm, handlers or {}, device_code, Functions(streams or {}, print_to), settings)

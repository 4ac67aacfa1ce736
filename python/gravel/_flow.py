# SPDX-License-Identifier: MIT
"""Flows: graphs of channels, whose kernel makes work for itself until none is left.

Path: Node.flow -> gravel_flow_create -> this -> the flow's kernel, by GRAVEL_FLOW.
"""
from __future__ import annotations

import ctypes as c
import dataclasses
import threading
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import ChannelRow, Edge, FlowStats, Graph, counted, lib, number_of, u32
from ._part import OwnPart
from ._program import Kernel
from ._words import records_of, values_of

if TYPE_CHECKING:
    from ._node import Node

_TAKEN_AT_ONCE = 1 << 12  # elements of an output


@dataclasses.dataclass(frozen=True)
class Channel:
    """A channel of a flow, as flow.h's struct gravel_channel; its name is its key in `channels`.

    Parameters
    ----------
    dtype : dtype
        Of its record, of 4-byte words as the struct of its name in OpenCL C; a gravel_slot is a np.uint32.
    kind : str
        "stream", "output", "spawn", "after" or "held".
    into : dict
        How many elements of which channels one element makes at most.
    width : int
        Elements that a level holds; 0: chosen by the library.
    may_fill, group_node : bool
        GRAVEL_MAY_FILL and GRAVEL_GROUP_NODE of channel.h.
    """

    dtype: npt.DTypeLike
    kind: str
    into: Mapping[str, int] = dataclasses.field(default_factory=dict)
    width: int = 0
    may_fill: bool = False
    group_node: bool = False

    def _number(self, name: str) -> int:
        if self.kind not in _library.CHANNELS:
            raise ValueError("channel %s: kind is one of %s, not %r" % (name, ", ".join(_library.CHANNELS), self.kind))
        return _library.CHANNELS[self.kind] | self.may_fill * _library.MAY_FILL | self.group_node * _library.GROUP_NODE


def _edges(into: Mapping[str, int]) -> Any:
    edges = (Edge * max(len(into), 1))()
    for edge, (name, at_most) in zip(edges, into.items()):
        edge.into, edge.at_most = name.encode(), number_of("elements of channel %s at most" % name, at_most, u32)
    return edges


class Flow(OwnPart):
    """Made by Node.flow. First build(); then push(), post() or produce() elements, and run().

    During a run any thread may post(), and read or reset statistics.
    """

    _destroys = lib.gravel_flow_destroy

    def __init__(self, node: Node, channels: Mapping[str, Channel], depth: int, max_bytes: int, group_items: int,
                 n_messages: int) -> None:
        self._dtypes = {name: records_of("a record of channel " + name, one.dtype) for name, one in channels.items()}
        self._beside = threading.Lock()  # of calls that may be made beside a run
        self._own: Optional[Kernel] = None  # as the flow's, for its parameters
        self._kernels: dict[str, Kernel] = {}
        self._held: tuple[Any, ...] = ()  # arguments of the flow's kernel
        rows = (ChannelRow * max(len(channels), 1))()
        for row, (name, one) in zip(rows, channels.items()):
            row.name, row.record_bytes, row.kind = name.encode(), self._dtypes[name].itemsize, one._number(name)
            row.width, row.n_into, row.into = one.width, len(one.into), _edges(one.into)
        graph = Graph(bytes=c.sizeof(Graph), channel_bytes=c.sizeof(ChannelRow), channels=rows,
                      n_channels=len(channels), depth=depth, max_bytes=max_bytes, group_items=group_items,
                      n_messages=n_messages)
        super().__init__(node, lib.gravel_flow_create, c.byref(graph))

    def _what(self) -> str:
        return " of channels %s" % ", ".join(self._dtypes)

    def _call_beside(self, function: Callable[..., int], *arguments: Any) -> None:
        """A call of any thread, also during a run."""
        with self._beside:
            made = self._made()
            self.node._call(lambda _: function(made, *arguments))

    def _take(self) -> int:
        with self._beside:
            made = super()._take()
        for kernel in [self._own, *self._kernels.values()]:
            if kernel is not None:
                kernel._end()
        return made

    # ---- programs

    def build(self, source: str, function: str, name: str = "flow.cl", options: str = "") -> None:
        """Build its program, OpenCL C that includes "gravel.cl.h", with the kernel of this name. Once."""
        self._call(lib.gravel_flow_build, name.encode(), source.encode(), options.encode(), function.encode())
        self._own = self._made_kernel(function)

    def set(self, *arguments: Any) -> None:
        """Set all arguments of its kernel after GRAVEL_FLOW, as launches have them, for all later runs."""
        if self._own is None:
            raise ValueError("%r is not built" % self)
        self._own._check_launch("Flow.produce", arguments)
        with self._lock:
            made = self._made()
            for (index, take), value in zip(self._own._setters, arguments):
                n_bytes, at = take(value)
                if n_bytes is None:
                    raise TypeError("%s: a flow's own kernel takes no accumulator" % self._own.signature)
                self.node._check(lib.gravel_flow_set_argument(made, index, n_bytes, at))
            self._held = arguments

    def kernel(self, function: str) -> Kernel:
        """Another kernel of its program, for produce()."""
        if function not in self._kernels:
            self._kernels[function] = self._made_kernel(function)
        return self._kernels[function]

    def _made_kernel(self, function: str) -> Kernel:
        handle = c.c_void_p()
        self._call(lib.gravel_flow_kernel, function.encode(), c.byref(handle))
        return Kernel(self.node, handle.value or 0, function)

    # ---- elements

    def _dtype(self, channel: str) -> np.dtype[Any]:
        if channel not in self._dtypes:
            raise KeyError("no channel %r; the flow has %s" % (channel, ", ".join(self._dtypes)))
        return self._dtypes[channel]

    def _records(self, channel: str, records: npt.ArrayLike) -> npt.NDArray[Any]:
        return values_of("records of channel " + channel, records, self._dtype(channel))

    def push(self, channel: str, records: npt.ArrayLike) -> None:
        """Add elements to a stream, or tasks of level 0 to a stack."""
        given = self._records(channel, records)
        self._call(lib.gravel_flow_push, channel.encode(), given.ctypes.data, given.size)

    def post(self, channel: str, records: npt.ArrayLike) -> None:
        """As push(), by any thread, in functions of streams and during a run, too."""
        given = self._records(channel, records)
        self._call_beside(lib.gravel_flow_post, channel.encode(), given.ctypes.data, given.size)

    def produce(self, kernel: Kernel, n_items: int, into: Mapping[str, int], *arguments: Any) -> None:
        """Launch a producer and wait for its end. `into`: elements of each channel that one work-item makes at most."""
        edges = _edges(into)
        with self._lock:
            made = self._made()
            if kernel not in self._kernels.values():
                raise ValueError("%r is not of %r" % (kernel, self))
            kernel._launch_by("Flow.produce", self.node, arguments, lambda handle: int(lib.gravel_flow_produce(
                made, handle, n_items, edges, len(into))))

    def take(self, channel: str, most: Optional[int] = None) -> npt.NDArray[Any]:
        """Take the oldest elements of an output. `most` None: all."""
        parts: list[npt.NDArray[Any]] = []
        left, dtype, n = most, self._dtype(channel), c.c_uint32()
        while left is None or left > 0:
            out = np.empty(_TAKEN_AT_ONCE if left is None else min(left, _TAKEN_AT_ONCE), dtype)
            self._call(lib.gravel_flow_take, channel.encode(), out.ctypes.data, out.size, c.byref(n))
            if not n.value:
                break
            parts.append(out[:n.value])
            left = None if left is None else left - n.value
        return np.concatenate(parts) if parts else np.empty(0, dtype)

    # ---- runs

    def run(self) -> None:
        """Process elements until none is left except in outputs."""
        self._call(lib.gravel_flow_run)

    def call(self, channel: str, record: Any, to: str, dtype: npt.DTypeLike = np.uint32) -> Any:
        """Push one task, run, and return its result. The slot is the record's field `to`, the result a scalar of `dtype`."""
        kind = self._dtype(channel)
        fields: dict[str, Any] = dict(kind.fields or {})
        if to not in fields:
            raise KeyError("no field %r; a record of channel %s has %s" % (to, channel, ", ".join(fields) or "none"))
        given = values_of("a record of channel " + channel, record, kind)
        out = np.zeros((), records_of("a result", dtype))
        if given.size != 1:
            raise ValueError("%d records of channel %s, and one is called" % (given.size, channel))
        self._call(lib.gravel_flow_call, channel.encode(), given.ctypes.data, fields[to][1], out.ctypes.data, out.nbytes)
        return out[()]

    def start(self) -> None:
        """Run concurrently with the caller, until wait()."""
        self._call(lib.gravel_flow_start)

    def wait(self) -> None:
        """Wait for the end of what start() began, and raise its exception."""
        self._call(lib.gravel_flow_wait)

    @property
    def stats(self) -> dict[str, int]:
        """Counters, as `struct gravel_flow_stats`."""
        read = FlowStats()
        self._call_beside(lib.gravel_flow_stats_read, c.byref(read), c.sizeof(read))
        return counted(read)

    def channel_stats(self, channel: str) -> dict[str, int]:
        """Elements of a level: `width` it holds, `peak` it held at most between two rounds."""
        self._dtype(channel)
        width, peak = c.c_uint32(), c.c_uint32()
        self._call_beside(lib.gravel_flow_channel_read, channel.encode(), c.byref(width), c.byref(peak))
        return {"width": width.value, "peak": peak.value}

    def reset_stats(self) -> None:
        """Set the counters to 0, except `bytes`."""
        self._call_beside(lib.gravel_flow_stats_reset)

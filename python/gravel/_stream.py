# SPDX-License-Identifier: MIT
"""Functions of Python that take what kernels append to streams, and lines that they print.

A thread of the library's runs them, the writer, which takes Python's lock for each. It is beside the network thread:
while it waits for the lock, all messages but records and lines are applied.

Path: the writer -> Functions -> a function of the user's, whose exception the node's next call that waits raises.
"""
from __future__ import annotations

import ctypes as c
import dataclasses
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

import numpy as np
import numpy.typing as npt

from ._errors import Error, HandlerError
from ._library import PRINT_FUNCTION, STREAM_FUNCTION, Block, StreamRow
from ._words import records_of

if TYPE_CHECKING:
    from ._node import Node
    Taker = Callable[[Node, int, npt.NDArray[Any]], object]

_here = threading.local()  # has is_in_function while this thread is in one


def is_in_function() -> bool:
    """Whether this thread runs one, where calls that wait are refused."""
    return bool(getattr(_here, "is_in_function", False))


@dataclasses.dataclass(frozen=True)
class Stream:
    """A stream of records, as gravel.h's struct gravel_stream; its name is its key in `streams`.

    `function(node, source, records)` runs at the node that a kernel names, one at a time; `records` [n] of `dtype` are
    a new array. It may call node.put, update and am, nothing that waits, and block for less than GRAVEL_TIMEOUT. What
    it raises is the cause of a HandlerError of this node's next quiet or barrier, and of the sender's.
    """

    dtype: npt.DTypeLike
    function: Taker


class Functions:
    """Those of a node. They stay as long as the writer may call them."""

    def __init__(self, streams: Mapping[str, Stream], print_to: Optional[Callable[[str], object]]) -> None:
        self._node: Callable[[], Optional[Node]] = lambda: None
        self._is_open = threading.Event()
        self._raised: Optional[BaseException] = None  # by a stream's function, since the last error
        self._unprinted: Optional[BaseException] = None  # by print_to, which is not called again
        self._rows = (StreamRow * max(len(streams), 1))()
        self._n_streams = len(streams)
        for row, (name, stream) in zip(self._rows, streams.items()):
            dtype = records_of("a record of stream " + name, stream.dtype)
            _check_function("stream " + name, stream.function)
            row.name, row.record_bytes = name.encode(), dtype.itemsize
            row.function = STREAM_FUNCTION(self._guarded(self._taker(dtype, stream.function)))
        self._print = PRINT_FUNCTION(0)
        if print_to is not None:
            _check_function("print_to", print_to)
            self._print = PRINT_FUNCTION(self._guarded(_printer(print_to), "_unprinted"))

    def _fill(self, bindings: Block) -> None:
        bindings.streams, bindings.n_streams, bindings.print = self._rows, self._n_streams, self._print

    def _begin(self, node: Node) -> None:
        """The node is open, or could not open. Records of another node may have come before."""
        self._node = weakref.ref(node)
        self._is_open.set()

    def _taker(self, dtype: np.dtype[Any], function: Taker) -> Callable[..., None]:
        def take(_handle: int, _user: Optional[int], source: int, at: int, n: int) -> None:
            records = np.empty(n, dtype)
            c.memmove(records.ctypes.data, at, records.nbytes)
            self._is_open.wait()  # no longer than gravel_open takes
            node = self._node()
            if node is None:
                raise ReferenceError("records for a node that was left open")
            function(node, source, records)
        return take

    def _guarded(self, take: Callable[..., None], name: str = "_raised") -> Callable[..., int]:
        """@return as C takes it: 0, or 1 if it has raised; the attribute `name` has what"""
        def run(*arguments: Any) -> int:
            _here.is_in_function = True
            try:
                take(*arguments)
            except BaseException as raised:
                setattr(self, name, getattr(self, name) or raised)
                return 1
            finally:
                _here.is_in_function = False
            return 0
        return run

    def _explained(self, error: Error) -> Error:
        """With the exception that it comes from, if a function here raised one."""
        if isinstance(error, HandlerError) and "(bindings.print) failed" in str(error):
            error.__cause__ = self._unprinted
        elif isinstance(error, HandlerError):
            error.__cause__, self._raised = self._raised, None
        return error


def _printer(function: Callable[[str], object]) -> Callable[..., None]:
    def take(_user: Optional[int], at: int, n_bytes: int) -> None:
        function(c.string_at(at, n_bytes).decode(errors="replace"))
    return take


def _check_function(what: str, function: Any) -> None:
    if not callable(function):
        raise TypeError("%s: %r is no function" % (what, function))

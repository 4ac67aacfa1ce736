# SPDX-License-Identifier: MIT
"""What is destroyed before its node closes: mirrors, accumulators and pools, which all nodes make together; flows and
deques, which are one node's.

Path: _mirror, _accumulator, _block_pool, _flow, _deques -> this -> the library; Node.close -> this, for those that are
      left.
"""
from __future__ import annotations

import contextlib
import ctypes as c
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Optional, TypeVar

from ._array import Array
from ._errors import Error
from ._interrupt import held_back, waiting
from ._library import Block, counted, error_of
from ._stream import is_in_function

if TYPE_CHECKING:
    from ._node import Node

Own = TypeVar("Own", bound="Part")


class Part:
    """Mirror, Accumulator, BlockPool, Rounds and Graph: destroyed at the end of a `with` statement, or with the node.

    An exception that leaves the statement leaves the part to the node. Calls are made one at a time.
    """

    _destroys: ClassVar[Any]  # the library's call

    def __init__(self, node: Node, create: Callable[..., int], *arguments: Any) -> None:
        self.node = node
        self._lock = threading.RLock()  # a function that the library runs in a call may make calls, which it refuses
        self._handle: Optional[int] = None
        made = c.c_void_p()
        with held_back():
            status = waiting(lambda handle: create(c.byref(made), handle, *arguments), node._opened())
            if not status:
                self._handle = made.value
                node._parts.append(self)
        node._check(status)

    def __repr__(self) -> str:
        state = "open" if getattr(self, "_handle", None) else "destroyed"
        return "<gravel.%s, %s%s>" % (type(self).__name__, state, self._what())

    def _what(self) -> str:
        """What it is made of, for its repr."""
        return ""

    def _made(self) -> int:
        if self._handle is None:
            raise ValueError("%r was destroyed" % self)
        return self._handle

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        with self._lock:
            made = self._made()
            self.node._wait(lambda _: function(made, *arguments))

    def _read(self, function: Callable[..., int], counters: type[Block], *arguments: Any) -> dict[str, int]:
        """@return what a call that reads statistics counts, by name"""
        read = counters()
        self._call(function, c.byref(read), c.sizeof(read), *arguments)
        return counted(read)

    def destroy(self) -> None:
        """Collective. After any error it stays as it is, unless the node has failed."""
        with self._lock, held_back():
            node, made = self.node._opened(), self._take()
            status = waiting(lambda _: int(self._destroys(made)), node)
            failure = error_of(status) if status else None
            if self._stays(status):
                self._handle = made
            else:
                self.node._parts.remove(self)
        if failure is not None:
            raise self.node._functions._explained(failure)

    def _take(self) -> int:
        """@return the object, of which no other call begins now"""
        made, self._handle = self._made(), None
        return made

    def _stays(self, status: int) -> bool:
        """Whether the library has not destroyed it."""
        return status != 0 and not self.node._has_failed()

    def _end(self) -> None:
        """As its statement or its node ends."""
        self.destroy()

    def __enter__(self: Own) -> Own:
        self._made()
        return self

    def __exit__(self, kind: Any, value: Optional[BaseException], trace: Any) -> None:
        if value is None and self._handle is not None and self.node._handle is not None:
            self._end()


class OwnPart(Part):
    """Flow and Deques, which are one node's: an exception that leaves the `with` statement destroys them, too."""

    def destroy(self) -> None:
        """Wait for what runs, and free it. Raises an error of the run that nothing has raised yet."""
        if os.getpid() != self.node._process or is_in_function():
            self.node._check(int(self._destroys(self._made())))  # which is refused: nothing is destroyed
        super().destroy()

    def _stays(self, status: int) -> bool:
        return False

    def __exit__(self, kind: Any, value: Optional[BaseException], trace: Any) -> None:
        super().__exit__(kind, value, trace)
        if value is not None and self._handle is not None and self.node._handle is not None:
            with contextlib.suppress(Error):
                self.destroy()


class PartOfArray(Part):
    """Of one array."""

    def __init__(self, node: Node, array: Array, create: Callable[..., int], *arguments: Any) -> None:
        if array.node is not node:
            raise ValueError("%r is of another node" % array)
        self.array = array
        super().__init__(node, create, *arguments)

    def _what(self) -> str:
        return " of %r" % self.array

# SPDX-License-Identifier: MIT
"""Symmetric arrays: a shape and a type at one offset of every node's heap.

Path: Node.array -> gravel_alloc -> this -> kernels, by the offset; and numpy, by maps and copies.
"""
from __future__ import annotations

import collections.abc
import contextlib
import ctypes as c
import math
import operator
import weakref
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from ._errors import RangeError
from ._library import check, lib, number_of
from ._words import records_of, values_of

if TYPE_CHECKING:
    from ._node import Node

_READ, _WRITE, _INVALIDATE = 1, 2, 4  # CL_MAP_READ, _WRITE, _WRITE_INVALIDATE_REGION
_MODES = {"r": _READ, "w": _INVALIDATE, "rw": _READ | _WRITE}


class HeapPart(NamedTuple):
    """Where elements are: from byte `first` of a buffer on, or at an address of shared virtual memory, else 0."""

    buffer: Optional[cl.Buffer]
    first: int
    pointer: int


class Array:
    """`shape` elements of `dtype` on each node. Made by Node.array, freed by free() or with its node."""

    def __init__(self, node: Node, shape: Union[int, Sequence[int]], dtype: npt.DTypeLike) -> None:
        self.node = node
        self.dtype = records_of("an array of nodes", dtype)
        lengths = shape if isinstance(shape, collections.abc.Sequence) else (shape,)
        self.shape: tuple[int, ...] = tuple(operator.index(length) for length in lengths)
        if min(self.shape, default=1) < 1:
            raise ValueError("an array has at least one element in each dimension, not the shape %r" % (self.shape,))
        self.size: int = math.prod(self.shape)
        self.nbytes: int = self.size * self.dtype.itemsize
        offset = c.c_uint64()
        node._wait(lib.gravel_alloc, self.nbytes, c.byref(offset))
        self._offset: Optional[int] = offset.value

    def __repr__(self) -> str:
        where = "freed" if self._offset is None else "offset %d" % self._offset
        return "<gravel.Array %r of %s, %s, on %d nodes>" % (self.shape, self.dtype, where, self.node.size)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    @property
    def offset(self) -> int:
        """Of its first byte in the heap of each node [bytes]."""
        if self._offset is None:
            raise ValueError("%r was freed" % self)
        return self._offset

    def _at(self, first: int, n: int) -> int:
        """@return the offset of [n] elements, counted as in ravel(). Arithmetic of numpy's scalars would wrap."""
        begin = number_of("element", first)
        if begin + number_of("number of elements", n) > self.size:
            raise RangeError("%d elements from element %d on are not all in %r" % (n, begin, self))
        return self.offset + begin * self.dtype.itemsize

    @contextlib.contextmanager
    def map(self, mode: str = "r", node: Optional[int] = None) -> Iterator[npt.NDArray[Any]]:
        """The part of a local node, by default this one, as a numpy array, in a `with` statement.

        Mode "r" reads, "w" writes all of it (what it does not write is undefined), "rw" does both. Messages to the part
        during the statement may be lost: barrier or quiet before. Afterwards the numpy array is read-only, and valid as
        long as something refers to it or a slice, also after the node has closed. On svm and usm it is the heap itself.
        Do not write to a slice of "w" or "rw" after the statement: the write is lost, or changes the heap.
        """
        flags = _MODES.get(mode)
        if flags is None:
            raise ValueError("a map's mode is 'r', 'w' or 'rw', not %r" % (mode,))
        number = self.node.rank if node is None else node
        part = self._mapped(flags, number) if self.node._is_direct else self._copied(flags, number)
        with part as view:
            try:
                yield view
            finally:
                view.flags.writeable = False

    def _pointer(self, flags: int, node: int) -> int:
        pointer = c.c_void_p()
        self.node._call(lib.gravel_map, self.offset, self.nbytes, flags, node, c.byref(pointer))
        return pointer.value or 0

    def _view(self, memory: Any, flags: int) -> npt.NDArray[Any]:
        given = memoryview(memory).toreadonly() if flags == _READ else memory
        return np.frombuffer(given, self.dtype).reshape(self.shape)

    @contextlib.contextmanager
    def _mapped(self, flags: int, node: int) -> Iterator[npt.NDArray[Any]]:
        """The heap. A map for reading holds it until the last view dies; one for writing ends with the statement."""
        handle, pointer = self.node._opened(), self._pointer(_READ, node)
        memory = (c.c_char * self.nbytes).from_address(pointer)
        weakref.finalize(memory, lib.gravel_unmap, handle, pointer).atexit = False
        written = None if flags == _READ else self._pointer(flags, node)
        try:
            yield self._view(memory, flags)
        finally:
            if written:
                check(lib.gravel_unmap(handle, written))

    @contextlib.contextmanager
    def _copied(self, flags: int, node: int) -> Iterator[npt.NDArray[Any]]:
        """Memory of Python's, where the host does not address the heap."""
        if flags & _READ:
            memory = self._read(node)
        else:
            memory = np.empty(self.nbytes, np.uint8)
            self.part(node)  # the errors of a map before the statement begins, not when it ends
        try:
            yield self._view(memory, flags)
        finally:
            if flags != _READ:
                pointer = self._pointer(_INVALIDATE, node)
                c.memmove(pointer, memory.ctypes.data, self.nbytes)
                self.node._call(lib.gravel_unmap, pointer)

    def _read(self, node: int) -> npt.NDArray[Any]:
        out, pointer = np.empty(self.nbytes, np.uint8), self._pointer(_READ, node)
        c.memmove(out.ctypes.data, pointer, self.nbytes)
        self.node._call(lib.gravel_unmap, pointer)
        return out

    def part(self, node: Optional[int] = None) -> HeapPart:
        """Where the part of a local node is, by default this one's, for kernels without Gravel (gravel_heap_part)."""
        buffer, first, pointer = c.c_void_p(), c.c_uint64(), c.c_void_p()
        self.node._call(lib.gravel_heap_part, self.offset, self.nbytes, self.node.rank if node is None else node,
                        c.byref(buffer), c.byref(first), c.byref(pointer))
        held = cl.Buffer.from_int_ptr(buffer.value, retain=True) if buffer.value else None
        return HeapPart(held, first.value, pointer.value or 0)

    def get(self, node: Optional[int] = None, first: Optional[int] = None, n: int = 1) -> npt.NDArray[Any]:
        """A copy of any node's part, by default this node's, with what a quiet or barrier before covers.

        With `first`, of n elements from there on, counted as in ravel(): a flat array. A RangeError if one is outside.
        """
        number = self.node.rank if node is None else node
        if first is None and self.node._is_local(number):
            return self._read(number).view(self.dtype).reshape(self.shape)
        at, shape = (self.offset, self.shape) if first is None else (self._at(first, n), (n,))
        out = np.empty(shape, self.dtype)
        self.node._wait(lib.gravel_get, at, out.ctypes.data, out.nbytes, number)
        return out

    def set(self, values: npt.ArrayLike, node: Optional[int] = None) -> None:
        """Write all of a local node's part, by default this one's, as numpy assigns `part[...] = values`.

        Raises
        ------
        OverflowError
            A value does not fit.
        """
        given = np.broadcast_to(values_of("values of an array", values, self.dtype), self.shape)
        with self.map("w", node) as part:
            part[...] = given

    def put(self, values: npt.ArrayLike, node: int, first: int = 0) -> None:
        """Send values to any node, from element `first` on, counted as in ravel(). Complete after quiet or barrier.

        Raises
        ------
        OverflowError, RangeError
            A value does not fit; an element is outside.
        """
        given = values_of("values of an array", values, self.dtype)
        self.node._call(lib.gravel_put, self._at(first, given.size), given.ctypes.data, given.nbytes, node)

    def free(self) -> None:
        """Collective, with a barrier: messages to it were sent before."""
        self.node._wait(lib.gravel_free, self.offset)
        self._offset = None

    def __array__(self, dtype: Optional[npt.DTypeLike] = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("numpy gets a copy of %r; map() has none" % self)
        return self.get() if dtype is None else self.get().astype(dtype)

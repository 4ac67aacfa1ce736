# SPDX-License-Identifier: MIT
"""Mirrors: copies of words of other nodes that own kernels read, or slots for such words that they add to.

Path: Node.mirror -> gravel_mirror_create, gravel_mirror_create_slots -> this -> kernels, by the offset.
"""
from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _library
from ._array import Array
from ._library import lib
from ._part import PartOfArray
from ._words import operation_of, pointer, type_of

if TYPE_CHECKING:
    from ._node import Node


class Mirror(PartOfArray):
    """`size` copies, or slots, of words of an array, in the order of the plan. Made by Node.mirror."""

    _destroys = lib.gravel_mirror_destroy

    def __init__(self, node: Node, array: Array, words: Sequence[npt.ArrayLike], op: Optional[str]) -> None:
        counts, indices = _plan(node, array, words)
        self.size: int = indices.size
        plan = _library.Words(bytes=c.sizeof(_library.Words), offset=array.offset, type=type_of(array.dtype),
                              n_words=pointer(counts, c.c_uint64), indices=pointer(indices, c.c_uint32))
        creates = (lib.gravel_mirror_create,) if op is None else (lib.gravel_mirror_create_slots, operation_of(op))
        super().__init__(node, array, *creates, c.byref(plan))

    def __len__(self) -> int:
        return self.size

    @property
    def offset(self) -> int:
        """Of copy, or slot, 0 in this node's part of the heap [bytes]; of copies until the next end()."""
        return int(lib.gravel_mirror_offset(self._made()))

    def begin(self) -> None:
        """Send what others read of this node, or what is in the slots, after the kernels of the node's queue."""
        self._call(lib.gravel_mirror_begin)

    def end(self) -> None:
        """Wait until all nodes have sent. Collective, with a barrier. The host sees words of slots after quiet."""
        self._call(lib.gravel_mirror_end)

    def share(self) -> None:
        """begin(), then end()."""
        self._call(lib.gravel_mirror_share)

    def get(self) -> npt.NDArray[Any]:
        """A copy of what is in it, [size]."""
        out = np.empty(self.size, self.array.dtype)
        if self.size:
            self.node._wait(lib.gravel_get, self.offset, out.ctypes.data, out.nbytes, self.node.rank)
        return out


def _plan(node: Node, array: Array, words: Sequence[npt.ArrayLike]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """@return how many words of each node's part, and which of them, as struct gravel_words has them"""
    parts = [np.asarray(part) for part in words]
    if len(parts) != node.size:
        raise ValueError("a plan has words of each of %d nodes, not of %d" % (node.size, len(parts)))
    for m, part in enumerate(parts):
        if part.ndim != 1:
            raise ValueError("words of node %d have the shape %r, which is not one dimension" % (m, part.shape))
        if part.size and part.dtype.kind not in "iu":
            raise TypeError("words of node %d are numbers of elements, not %s" % (m, part.dtype))
        if part.size and not 0 <= part.min() <= part.max() < array.size:
            raise IndexError("words of node %d: elements %d to %d of %r" % (m, part.min(), part.max(), array))
    return (np.array([part.size for part in parts], np.uint64),
            np.concatenate([part.astype(np.uint32) for part in parts]))

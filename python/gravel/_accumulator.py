# SPDX-License-Identifier: MIT
"""Accumulators: words of all nodes that kernels add to in own memory; each that has changed travels as one message.

Path: Node.accumulator -> gravel_accumulator_create -> this -> kernels, by GRAVEL_ACCUMULATOR.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._array import Array
from ._library import lib
from ._part import PartOfArray
from ._words import operation_of, type_of

if TYPE_CHECKING:
    from ._node import Node


class Accumulator(PartOfArray):
    """Of a whole array. Made by Node.accumulator. The end of its `with` statement flushes it; destroy() does not.

    Node.fence, quiet and barrier flush it too.
    """

    _destroys = lib.gravel_accumulator_destroy

    def __init__(self, node: Node, array: Array, op: str) -> None:
        super().__init__(node, array, lib.gravel_accumulator_create, array.offset, array.size,
                         operation_of(op), type_of(array.dtype))

    def begin(self) -> None:
        """Begin a flush after the kernels of the node's queue, without waiting for them."""
        self._call(lib.gravel_accumulator_begin)

    def flush(self) -> None:
        """Send what kernels of the node's queue have added. Applied after quiet or barrier."""
        self._call(lib.gravel_accumulator_flush)

    def reset(self) -> None:
        """Forget what "min", "max", "and" and "or" have sent."""
        self._call(lib.gravel_accumulator_reset)

    def _end(self) -> None:
        try:
            self.flush()
        finally:
            self.destroy()

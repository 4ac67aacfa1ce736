# SPDX-License-Identifier: MIT
"""Rounds: a kernel of phases that runs them again and again, on the device where it can stay there.

Path: Node.rounds -> gravel_rounds_create -> this -> the kernel, by GRAVEL_ROUND.
"""
from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any

from . import _library
from ._library import RoundsEnded, RoundsProgram, RoundsStats, lib, number_of
from ._part import Part
from ._program import Kernel

if TYPE_CHECKING:
    from ._node import Node


class Rounds(Part):
    """Made by Node.rounds."""

    _destroys = lib.gravel_rounds_destroy

    def __init__(self, node: Node, source: str, function: str, name: str, options: str, group_items: int,
                 n_groups: int) -> None:
        program = RoundsProgram(bytes=c.sizeof(RoundsProgram), name=name.encode(), source=source.encode(),
                                options=options.encode(), function=function.encode(), group_items=group_items,
                                n_groups=n_groups)
        super().__init__(node, lib.gravel_rounds_create, c.byref(program))
        handle = c.c_void_p()
        self._call(lib.gravel_rounds_kernel, c.byref(handle))
        self._kernel = Kernel(node, handle.value or 0, function)

    def run(self, *arguments: Any, most: int = _library.NO_BOUND, until_zero: bool = True) -> tuple[int, int]:
        """Run `most` rounds, or until one counts nothing. `arguments` are a launch's. Collective.

        Returns
        -------
        (n_rounds, sum)
            How many there were, and what the last one counted over all nodes.
        """
        ended, until = RoundsEnded(), _library.UNTIL_ZERO if until_zero else _library.UNTIL_MOST
        bound = number_of("rounds at most", most, c.c_uint64)
        with self._lock:
            made = self._made()
            self._kernel._launch_by("Rounds.run", self.node, arguments, lambda _: int(lib.gravel_rounds_run(
                made, until, bound, c.byref(ended), c.sizeof(ended))))
        return int(ended.n_rounds), int(ended.sum)

    @property
    def stats(self) -> dict[str, int]:
        """Of this node, as struct gravel_rounds_stats."""
        return self._read(lib.gravel_rounds_stats_read, RoundsStats)

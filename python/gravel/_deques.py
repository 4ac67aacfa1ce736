# SPDX-License-Identifier: MIT
"""Deques of tasks that a kernel runs and adds to: its work-groups take tasks from each other.

Path: Node.deques -> gravel_steal_create -> this -> a kernel with GRAVEL_STEAL.
"""
from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from . import _library
from ._library import StealOptions, StealStats, lib
from ._part import OwnPart
from ._program import Kernel, events_of
from ._words import records_of, values_of

if TYPE_CHECKING:
    from ._node import Node


class Deques(OwnPart):
    """For tasks of `dtype`, the kernel's GRAVEL_STEAL_TASK. Made by Node.deques. All calls wait for the launch to
    end.
    """

    _destroys = lib.gravel_steal_destroy

    def __init__(self, node: Node, dtype: npt.DTypeLike, capacity: int, group_size: int, n_groups: int) -> None:
        self.dtype = records_of("a task", dtype)
        options = StealOptions(bytes=c.sizeof(StealOptions), n_groups=n_groups, group_size=group_size,
                               capacity=capacity, task_bytes=self.dtype.itemsize)
        super().__init__(node, lib.gravel_steal_create, c.byref(options))

    @property
    def n_groups(self) -> int:
        """Work-groups of a launch, each with a deque."""
        return int(lib.gravel_steal_n_groups(self._made()))

    def fill(self, tasks: npt.ArrayLike, group: Optional[int] = None) -> None:
        """Add tasks, evenly or to the deque of one group."""
        given = values_of("tasks", tasks, self.dtype)
        if group is None:
            self._call(lib.gravel_steal_fill, given.ctypes.data, given.size)
        else:
            self._call(lib.gravel_steal_fill_at, group, given.ctypes.data, given.size)

    def launch(self, kernel: Kernel, *arguments: Any, wait: Sequence[cl.Event] = ()) -> Optional[cl.Event]:
        """Launch a kernel that has GRAVEL_STEAL, with its other arguments. The next call raises its faults.

        Returns
        -------
        pyopencl.Event of its end, or None if there was nothing to launch
        """
        event = c.c_void_p()
        with self._lock:
            made = self._made()
            kernel._launch_by("Deques.launch", self.node, arguments, lambda handle: int(lib.gravel_steal_launch(
                made, handle, len(wait), events_of(wait), c.byref(event))))
        return kernel._launched(event, arguments) if event.value else None

    def wait(self) -> None:
        """Wait until the launch has ended."""
        self._call(lib.gravel_steal_wait)

    def stats(self, group: Optional[int] = None) -> dict[str, int]:
        """Counters of all groups, or one, as `struct gravel_steal_stats`."""
        return self._read(lib.gravel_steal_stats_read, StealStats, _library.ALL_GROUPS if group is None else group)

    def reset_stats(self) -> None:
        """Set the counters to 0."""
        self._call(lib.gravel_steal_stats_reset)

# SPDX-License-Identifier: MIT
"""Gravel: messages from the middle of an OpenCL kernel to memory on any node.

    with gravel.open(heap_bytes="64M") as node:
        bins = node.array(1000, np.uint32)
        program = node.program(source)
        program.count(keys.shape, (256,), bins, pyopencl.array.to_device(node.queue, keys))
        node.barrier()
        print(bins.get().sum())

Each call makes the C call of its name, whose page in docs/reference says who may call, what is collective, and memory
order. Any thread may make any call. Errors are exceptions: gravel.Error, with a class for each code.
"""
from ._accumulator import Accumulator
from ._array import Array, HeapPart
from ._block_pool import BlockPool
from ._deques import Deques
from ._errors import (AbortError, ArgumentError, BuildError, CanceledError, CapabilityError, CorruptError, DeviceError,
                      Error, HandlerError, HeapError, KernelError, MismatchError, MPIError, OpenCLError,
                      OutOfMemoryError, PeerError, RangeError, SettingError, StuckError, SystemCallError)
from ._errors import TimeoutError as TimeoutError
from ._flow import Channel, Flow
from ._library import version as __version__
from ._mirror import Mirror
from ._node import Node
from ._node import open as open
from ._opening import Handler
from ._program import Kernel, Program
from ._rounds import Rounds
from ._stream import Stream

__all__ = [
    "AbortError", "Accumulator", "ArgumentError", "Array", "BlockPool", "BuildError", "CanceledError",
    "CapabilityError", "Channel", "CorruptError", "Deques", "DeviceError", "Error", "Flow", "Handler", "HandlerError",
    "HeapError", "HeapPart", "Kernel", "KernelError", "Mirror", "MismatchError", "MPIError", "Node", "OpenCLError",
    "OutOfMemoryError", "PeerError", "Program", "RangeError", "Rounds", "SettingError", "Stream", "StuckError",
    "SystemCallError", "__version__",
]  # without `open` and TimeoutError: `from gravel import *` leaves the builtins as they are

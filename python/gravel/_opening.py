# SPDX-License-Identifier: MIT
"""How a node opens: settings by name, handlers, MPI, and whose device it takes.

Path: _node.open, _stream -> this -> gravel_open.
"""
from __future__ import annotations

import contextlib
import ctypes as c
import dataclasses
import os
import sys
from typing import Any, Iterator, Mapping, Optional, Union

import numpy as np
import pyopencl as cl

from . import _library
from ._errors import CapabilityError, DeviceError, RangeError
from ._library import Bindings, Block, HandlerRow, check, lib
from ._stream import Functions

# What launchers of MPI set (lib/transport/launcher.c).
_LAUNCHED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_RANK", "PALS_RANKID")


@dataclasses.dataclass(frozen=True)
class Handler:
    """A handler of active messages, as gravel.h's struct gravel_handler; its name is its key in `handlers`.

    Without `function` it is OpenCL C in `device_code`. `function` is the address of a C function, such as numba's
    cfunc, and not one of Python, for which the network thread would have to wait.
    """

    n_args: int
    n_keys: int = 0
    answers: bool = False
    arg_bytes: int = 8
    datum: Optional[str] = None
    datum_words: int = 0
    max_pending: int = 0
    function: Optional[int] = None
    user: Optional[int] = None

    def _fill(self, row: Block, name: str) -> None:
        row.name, row.n_args, row.arg_bytes, row.n_answers = name.encode(), self.n_args, self.arg_bytes, self.answers
        row.function, row.user = self.function, self.user
        row.serve.n_keys, row.serve.datum_words, row.serve.max_pending = self.n_keys, self.datum_words, self.max_pending
        row.serve.datum = self.datum.encode() if self.datum else None


def _config(settings: Mapping[str, Any]) -> Any:
    """A configuration, of which this package knows no field: settings have names."""
    block = c.create_string_buffer(_library.MAX_CONFIG_BYTES)
    check(lib.gravel_config_load(block, len(block)))
    for name, value in settings.items():
        words = str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)
        check(lib.gravel_config_set(block, name.encode(), words.encode()))
    return block


def settings_of(block: Any) -> dict[str, str]:
    name, words = c.c_char_p(), c.create_string_buffer(_library.CONFIG_STRING_BYTES)
    settings: dict[str, str] = {}
    while True:
        status = lib.gravel_config_get(block, len(settings), c.byref(name), words, len(words))
        if status == RangeError.code:
            return settings
        check(status)
        settings[(name.value or b"").decode()] = words.value.decode()


def _start_mpi(transport: str) -> None:
    """mpi4py initialises MPI, and ends it, if it is there; else the library does."""
    if transport != "self" and "mpi4py.MPI" not in sys.modules and any(name in os.environ for name in _LAUNCHED):
        with contextlib.suppress(ImportError, RuntimeError):
            import mpi4py.MPI  # noqa: F401


def _address_of(comm: Any) -> int:
    from mpi4py import MPI
    if not isinstance(comm, MPI.Comm):
        raise TypeError("comm is a communicator of mpi4py, not %r" % (comm,))
    return int(MPI._addressof(comm))


def _other_devices() -> Iterator[int]:
    """Those of PyOpenCL's loader, which may see drivers that the library's does not, such as those of its wheels."""
    with contextlib.suppress(cl.Error):
        for platform in cl.get_platforms():
            with contextlib.suppress(cl.Error):
                for device in platform.get_devices():
                    yield device.int_ptr


def opened(queue: Optional[cl.CommandQueue], device: Union[cl.Device, str, None], comm: Any,
           handlers: Mapping[str, Handler], device_code: Optional[str], functions: Functions,
           settings: Mapping[str, Any]) -> Optional[int]:
    """@return the address of an open node"""
    if isinstance(device, str):
        settings, device = {**settings, "device": device}, None
    config = _config(settings)
    given = settings_of(config)
    if comm is None:
        _start_mpi(given["transport"])
    rows = (HandlerRow * max(len(handlers), 1))()
    for row, (name, handler) in zip(rows, handlers.items()):
        handler._fill(row, name)
    bindings = Bindings(bytes=c.sizeof(Bindings), handler_bytes=c.sizeof(HandlerRow), handlers=rows,
                        n_handlers=len(handlers), mpi_comm=None if comm is None else _address_of(comm))
    functions._fill(bindings)
    if device_code is not None:
        bindings.device_code.source, bindings.device_code.name = device_code.encode(), b"handlers.cl"
    if queue is not None:
        bindings.context, bindings.device, bindings.queue = queue.context.int_ptr, queue.device.int_ptr, queue.int_ptr
    elif device is not None:
        bindings.device = device.int_ptr
    n_platforms = c.c_uint32()  # of the library's loader
    is_chosen = bindings.device or given["device"] or \
        lib.clGetPlatformIDs(0, None, c.byref(n_platforms)) == 0 and n_platforms.value > 0
    handle, status = c.c_void_p(), 0
    for choice in [bindings.device, *(() if is_chosen else _other_devices())]:
        bindings.device = choice
        status = lib.gravel_open(c.byref(handle), config, c.byref(bindings))
        if status not in (DeviceError.code, CapabilityError.code):
            break
    check(status)
    return handle.value

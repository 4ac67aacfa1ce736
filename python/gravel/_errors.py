# SPDX-License-Identifier: MIT
"""Errors: a class for each code of gravel.h, each also the builtin exception that fits.

They are written out, not made in a loop, so that checkers of types know them.

Path: gravel_last_error -> _library.check -> these -> the caller.
"""
from __future__ import annotations

import builtins


class Error(Exception):
    """A failed call of the library. `code` is its GRAVEL_E... of gravel.h, the text what gravel_last_error said."""

    code = 0


class ArgumentError(Error, ValueError):
    """GRAVEL_EINVAL: an argument that the call does not take."""

    code = -1


class OutOfMemoryError(Error, MemoryError):
    """GRAVEL_ENOMEM: memory of the process or the device."""

    code = -2


class SettingError(Error, ValueError):
    """GRAVEL_ECONFIG: no such setting, with the nearest names, or a bad value, with its range."""

    code = -3


class DeviceError(Error):
    """GRAVEL_EDEVICE: no such device, with the candidates."""

    code = -4


class CapabilityError(Error):
    """GRAVEL_ECAPABILITY: what the device lacks."""

    code = -5


class BuildError(Error):
    """GRAVEL_EBUILD: OpenCL C that does not compile, with file and line."""

    code = -6


class OpenCLError(Error):
    """GRAVEL_ECL: a call of OpenCL failed."""

    code = -7


class MPIError(Error):
    """GRAVEL_EMPI: a call of MPI failed."""

    code = -8


class HeapError(Error, MemoryError):
    """GRAVEL_EHEAP: the symmetric heap is exhausted, with the bytes asked and free."""

    code = -9


class RangeError(Error, IndexError):
    """GRAVEL_ERANGE: a destination, an index or an offset out of range."""

    code = -10


class HandlerError(Error):
    """GRAVEL_EHANDLER: an unknown handler of active messages, or one that failed."""

    code = -11


class CorruptError(Error):
    """GRAVEL_ECORRUPT: a node buffer that is no node buffer."""

    code = -12


class MismatchError(Error):
    """GRAVEL_EMISMATCH: nodes disagree: on a size, a setting, or on which collective call this is."""

    code = -13


class PeerError(Error):
    """GRAVEL_EPEER: another node failed, with its number and its text."""

    code = -14


class TimeoutError(Error, builtins.TimeoutError):  # as concurrent.futures and asyncio name theirs
    """GRAVEL_ETIMEOUT: no progress within GRAVEL_TIMEOUT."""

    code = -15


class KernelError(Error):
    """GRAVEL_EKERNEL: a kernel reported a fault."""

    code = -16


class SystemCallError(Error, OSError):
    """GRAVEL_ESYSTEM: a call of the operating system failed."""

    code = -17


class AbortError(Error):
    """GRAVEL_EABORT: this node was aborted."""

    code = -18


class StuckError(Error):
    """GRAVEL_ESTUCK: a flow cannot continue."""

    code = -19


BY_CODE: dict[int, type[Error]] = {
    error.code: error
    for error in (ArgumentError, OutOfMemoryError, SettingError, DeviceError, CapabilityError, BuildError, OpenCLError,
                  MPIError, HeapError, RangeError, HandlerError, CorruptError, MismatchError, PeerError, TimeoutError,
                  KernelError, SystemCallError, AbortError, StuckError)
}

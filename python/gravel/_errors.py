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


class OutOfMemoryError(Error, MemoryError):
    """GRAVEL_ENOMEM: memory of the process or the device."""


class SettingError(Error, ValueError):
    """GRAVEL_ECONFIG: no such setting, with the nearest names, or a bad value, with its range."""


class DeviceError(Error):
    """GRAVEL_EDEVICE: no such device, with the candidates."""


class CapabilityError(Error):
    """GRAVEL_ECAPABILITY: what the device lacks."""


class BuildError(Error):
    """GRAVEL_EBUILD: OpenCL C that does not compile, with file and line."""


class OpenCLError(Error):
    """GRAVEL_ECL: a call of OpenCL failed."""


class MPIError(Error):
    """GRAVEL_EMPI: a call of MPI failed."""


class HeapError(Error, MemoryError):
    """GRAVEL_EHEAP: the symmetric heap is exhausted, with the bytes asked and free."""


class RangeError(Error, IndexError):
    """GRAVEL_ERANGE: a destination, an index or an offset out of range."""


class HandlerError(Error):
    """GRAVEL_EHANDLER: an unknown handler of active messages, or one that failed."""


class CorruptError(Error):
    """GRAVEL_ECORRUPT: a node buffer that is no node buffer."""


class MismatchError(Error):
    """GRAVEL_EMISMATCH: nodes disagree: on a size, a setting, or on which collective call this is."""


class PeerError(Error):
    """GRAVEL_EPEER: another node failed, with its number and its text."""


class TimeoutError(Error, builtins.TimeoutError):  # as concurrent.futures and asyncio name theirs
    """GRAVEL_ETIMEOUT: no progress within GRAVEL_TIMEOUT."""


class KernelError(Error):
    """GRAVEL_EKERNEL: a kernel reported a fault."""


class SystemCallError(Error, OSError):
    """GRAVEL_ESYSTEM: a call of the operating system failed."""


class AbortError(Error):
    """GRAVEL_EABORT: this node was aborted."""


class StuckError(Error):
    """GRAVEL_ESTUCK: a flow cannot continue."""


class CanceledError(Error):
    """GRAVEL_ECANCELED: the caller's own function stopped the call."""


BY_CODE: dict[int, type[Error]] = {
    -i: error for i, error in enumerate((
        ArgumentError, OutOfMemoryError, SettingError, DeviceError, CapabilityError, BuildError, OpenCLError, MPIError,
        HeapError, RangeError, HandlerError, CorruptError, MismatchError, PeerError, TimeoutError, KernelError,
        SystemCallError, AbortError, StuckError, CanceledError), 1)
}
for _code, _error in BY_CODE.items():
    _error.code = _code

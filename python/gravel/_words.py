# SPDX-License-Identifier: MIT
"""Types and values of elements, records and words, which the memory that they go to has to hold.

Path: _array, _node, _mirror, _accumulator, _flow, _deques, _stream -> this.
"""
from __future__ import annotations

import ctypes as c
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import OPERATIONS, TYPES


def operation_of(op: str) -> int:
    if op not in OPERATIONS:
        raise ValueError("op is one of %s, not %r" % (", ".join(OPERATIONS), op))
    return OPERATIONS[op]


def type_of(dtype: np.dtype[Any]) -> int:
    kind = TYPES.get(dtype.str[1:]) if dtype.isnative else None
    if kind is None:
        raise TypeError("words of messages are integers and real numbers of 4 or 8 bytes, not %s" % dtype)
    return kind


def records_of(what: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    """A type whose values travel as bytes, which kernels read as they are."""
    kind = np.dtype(dtype)
    if kind.hasobject or not kind.isnative or not kind.itemsize:
        raise TypeError("%s: dtype %s has Python objects, another byte order than this machine's, or no bytes"
                        % (what, kind))
    return kind


def values_of(what: str, values: npt.ArrayLike, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array of the type, one element after the other. OverflowError for a number that the type does not hold. numpy
    would match fields by their places, so arrays of structures, and for structures, have to be of the type itself."""
    is_number = dtype.kind in "iuf"
    given = np.asarray(values, None if is_number else getattr(values, "dtype", dtype))
    if given.dtype != dtype and (given.dtype.names is not None or dtype.names is not None):
        raise TypeError("%s: dtype %s, and %s is needed" % (what, given.dtype, dtype))
    if is_number and not np.can_cast(given.dtype, dtype):
        if given.dtype.kind not in "iufO":
            raise TypeError("%s: dtype %s is not of numbers that %s holds" % (what, given.dtype, dtype))
        if not hasattr(values, "dtype"):
            given = np.asarray(values, object)  # numpy makes real numbers of integers of 64 bits
        if given.size and not _holds(dtype, given):
            raise OverflowError("%s: of the numbers %s to %s one does not fit %s"
                                % (what, given.min(), given.max(), dtype))
    return given.astype(dtype, "C", casting="unsafe" if is_number else "same_kind", copy=False)


def _holds(dtype: np.dtype[Any], numbers: npt.NDArray[Any]) -> bool:
    """Of real numbers a type holds each, rounded, unless it becomes infinite; of integers those of its range."""
    with np.errstate(all="ignore"):
        if dtype.kind == "f":
            return bool((np.isfinite(numbers.astype(dtype)) | ~np.isfinite(numbers.astype(float))).all())
        is_whole = numbers.dtype.kind in "iu" or bool(np.all(numbers % 1 == 0))
    limits = np.iinfo(dtype)
    return is_whole and limits.min <= int(numbers.min()) and int(numbers.max()) <= limits.max


def word_of(what: str, value: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A number as a word of memory, which has to hold it."""
    word = values_of(what, value, dtype)
    if word.ndim:
        raise TypeError("%s: %r is not one number" % (what, value))
    return word


def pointer(values: npt.NDArray[Any], kind: Any) -> Any:
    return values.ctypes.data_as(c.POINTER(kind))

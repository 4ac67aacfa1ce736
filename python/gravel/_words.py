# SPDX-License-Identifier: MIT
"""Words of messages, as the library numbers their types and operations, and numbers that fit what they are for.

Path: _node, _mirror, _accumulator, _block_pool, _flow, _deques -> this.
"""
from __future__ import annotations

import operator
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


def count_of(what: str, value: Any, bits: int = 64) -> int:
    """A number without a sign, as calls take it: ctypes would cut another one."""
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise ValueError("%s: %d" % (what, number))
    return number


def records_of(what: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    """A type whose values travel as bytes."""
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("%s has no Python objects: dtype %s" % (what, kind))
    return kind


def values_of(what: str, values: npt.ArrayLike, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """[n] values of a type, one after the other. numpy would match fields by their places, so arrays of structures, and
    for structures, have to be of the type itself."""
    given = getattr(values, "dtype", dtype)
    if given != dtype and (given.names is not None or dtype.names is not None):
        raise TypeError("%s are of dtype %s, not %s" % (what, dtype, given))
    return np.ascontiguousarray(values, dtype).reshape(-1)


def word_of(value: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A number as a word of memory, which has to hold it."""
    if dtype.kind not in "iu":
        return np.array(float(value), dtype)
    number = operator.index(value)
    if not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        raise OverflowError("%d does not fit %s" % (number, dtype))
    return np.array(number, dtype)

# SPDX-License-Identifier: MIT
"""Words of messages, as the library numbers their types and operations, and numbers that fit them.

Path: _node, _mirror, _accumulator -> this.
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


def word_of(value: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A number as a word of memory, which has to hold it."""
    if dtype.kind not in "iu":
        return np.array(float(value), dtype)
    number = operator.index(value)
    if not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        raise OverflowError("%d does not fit %s" % (number, dtype))
    return np.array(number, dtype)

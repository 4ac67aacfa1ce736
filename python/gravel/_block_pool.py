# SPDX-License-Identifier: MIT
"""Pools: blocks of one size in every node's heap, which own kernels allocate and free, and messages of any node reach.

Path: Node.block_pool -> gravel_block_pool_create -> this -> kernels, by the offset.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._library import BlockPoolStats, lib
from ._part import Part

if TYPE_CHECKING:
    from ._node import Node


class BlockPool(Part):
    """`n_blocks` of `block_bytes` on each node. Made by Node.block_pool."""

    _destroys = lib.gravel_block_pool_destroy

    def __init__(self, node: Node, block_bytes: int, n_blocks: int) -> None:
        super().__init__(node, lib.gravel_block_pool_create, block_bytes, n_blocks)

    @property
    def offset(self) -> int:
        """As kernels take it [bytes]."""
        return int(lib.gravel_block_pool_offset(self._made()))

    @property
    def stats(self) -> dict[str, int]:
        """Of this node's part, after a quiet: n_blocks, n_used, and n_failed, allocations that found no block."""
        return self._read(lib.gravel_block_pool_stats_read, BlockPoolStats)

# SPDX-License-Identifier: MIT
"""The library of graphs: where it is, and what its calls take.

CALLS and the structures are those of gravel/graph.h once more, as ctypes needs them; tests/bindings/table.py compares
both.

Path: $GRAVEL_GRAPH_LIBRARY, the wheel's library or libgravel-graph.so -> this -> graph.py.
"""
from __future__ import annotations

import ctypes as c
from typing import Any

from ._library import API, address, block, code, declare, load, size, text, to, u32, u64

SONAME = "libgravel-graph.so.%d.%d" % API
FAR, NONE = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF  # GRAVEL_GRAPH_FAR, GRAVEL_GRAPH_NONE

PROGRESS_FUNCTION = c.CFUNCTYPE(code, address, text, u64, u64)  # gravel_graph_progress

Edges = block("gravel_graph_edges", bytes=size, n_vertices=u64, n_edges=u64, **{"from": address}, to=address,
              id_bytes=u32, is_undirected=u32, weights=address, weight_type=u32, progress=PROGRESS_FUNCTION,
              progress_user=address)
Facts = block("gravel_graph_facts", n_vertices=u64, n_edges=u64, first=u64, n=u64, device_bytes=u64, create_ns=u64)
PagerankOptions = block("gravel_graph_pagerank_options", bytes=size, damping=c.c_double, tolerance=c.c_double,
                        most_iterations=u32, type=u32, personalization=to(c.c_double), n_iterations=u32,
                        change=c.c_double)
BetweennessOptions = block("gravel_graph_betweenness_options", bytes=size, sources=to(u64), n_sources=u64,
                           has_endpoints=u32, is_raw=u32)

CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "gravel_graph_create": (code, (to(address), address, address)),
    "gravel_graph_facts_read": (code, (address, address, size)),
    "gravel_graph_bfs": (code, (address, u64, to(u32), to(u64))),
    "gravel_graph_sssp": (code, (address, u64, address, to(u64))),
    "gravel_graph_pagerank": (code, (address, address, address)),
    "gravel_graph_components": (code, (address, to(u64), to(u64))),
    "gravel_graph_forest": (code, (address, to(c.c_uint8), to(u64))),
    "gravel_graph_betweenness": (code, (address, address, to(c.c_double))),
    "gravel_graph_triangles": (code, (address, to(u64), to(u64))),
    "gravel_graph_color": (code, (address, to(u32), to(u32))),
    "gravel_graph_core_numbers": (code, (address, to(u32))),
    "gravel_graph_destroy": (code, (address,)),
}

lib, _ = load("Gravel's library of graphs", "GRAVEL_GRAPH_LIBRARY", "libgravel-graph", SONAME,
              lambda library: declare(library, CALLS))

# SPDX-License-Identifier: MIT
"""Graphs of NetworkX as arrays, and what the device has of them.

The process's node opens at the first call, as settings of the environment say, and closes at exit. A converted graph is
kept by NetworkX with the graph that it was made of, and keeps its graphs of the device.

Path: NetworkX's dispatcher -> networkx.py -> this -> graph.py, for one node.
"""
from __future__ import annotations

import atexit
import collections
import contextlib
import math
import threading
import weakref
from itertools import chain
from typing import Any, Callable, Iterable, Iterator, Optional, Union

import networkx as nx
import numpy as np
import numpy.typing as npt

from ._errors import Error
from ._node import Node
from ._node import open as open_node
from .graph import FAR, Graph

Words = npt.NDArray[Any]
_MOST_EXACT = 1 << 53  # a double holds each whole number up to it


class State:
    """The process's node. `left` are the device's graphs whose converted graph is gone: the next call destroys them."""

    lock = threading.RLock()
    node: Optional[Node] = None
    left: collections.deque[Graph] = collections.deque()


def _node() -> Node:
    """@return this process's node, a new one after a failure, such as Ctrl-C in a call. The lock is held."""
    node = State.node
    if node is not None and node._has_failed():
        with contextlib.suppress(Error):
            node.close()
        node = None
    if node is None:
        node = State.node = open_node(transport="self")
        atexit.register(node.close)
    while State.left:
        graph = State.left.pop()
        if graph.node is node:
            graph.destroy()
    return node


class Converted:
    """A graph of NetworkX as arrays. Vertex i is its i-th node. A node has a row of arcs, in the order of its
    adjacency: an undirected edge has an arc in two rows, a loop in one."""

    __networkx_backend__ = "gravel"

    def __init__(self, graph: Any, *, edge_attrs: Optional[dict[str, Any]] = None, node_attrs: Any = None,
                 preserve_edge_attrs: bool = False, preserve_node_attrs: bool = False,
                 preserve_graph_attrs: bool = False, name: Any = None, graph_name: Any = None) -> None:
        """With the arguments of a backend's convert_from_nx."""
        self._directed, self._multigraph = bool(graph.is_directed()), bool(graph.is_multigraph())
        self.nodes = list(graph)
        self.number_of = {v: i for i, v in enumerate(self.nodes)}
        self.is_in_order = list(graph._adj) == self.nodes
        rows = [graph._adj[v] for v in self.nodes]
        heads: Iterable[Any] = chain.from_iterable(rows)
        counts: Iterable[int] = map(len, rows)
        self.keys: list[Any] = []
        if self._multigraph:
            heads = (v for row in rows for v, keyed in row.items() for _ in keyed)
            counts = (sum(map(len, row.values())) for row in rows)
            self.keys = [key for row in rows for keyed in row.values() for key in keyed]
        self.first = np.zeros(len(rows) + 1, np.intp)  # of each row, and the end of the last one
        np.cumsum(np.fromiter(counts, np.intp, len(rows)), out=self.first[1:])
        if self.nodes != list(range(len(rows))):
            heads = map(self.number_of.__getitem__, heads)
        self.heads = np.fromiter(heads, np.intp, int(self.first[-1]))
        self.data: Optional[list[Any]] = None
        self._weights: dict[Any, Union[Words, str, None]] = {}
        if edge_attrs or preserve_edge_attrs:
            data = list(chain.from_iterable(keyed.values() for row in rows for keyed in row.values())
                        if self._multigraph else chain.from_iterable(row.values() for row in rows))
            self._weights = {name: _numbers_of(data, name, default) for name, default in (edge_attrs or {}).items()}
            self.data = data if preserve_edge_attrs else None
        self.node_data = list(graph.nodes.items()) if preserve_node_attrs else None
        self.graph_data, self.graph_class = dict(graph.graph) if preserve_graph_attrs else {}, graph.__class__
        self._graphs: dict[Any, Graph] = {}

    def __getstate__(self) -> dict[str, Any]:
        """A copy, or what is pickled with the graph that keeps it, has nothing of the device."""
        return {**self.__dict__, "_graphs": {}}

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return self._multigraph

    def number_of_edges(self) -> int:
        return self.arcs.size

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        return self.vertex(node) is not None

    def vertex(self, node: Any) -> Optional[int]:
        """@return the number of a node; None if it is not in the graph"""
        try:
            return self.number_of.get(node)
        except TypeError:  # it has no hash
            return None

    @property
    def tails(self) -> Words:
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.first))

    @property
    def arcs(self) -> Words:
        """Those that stand for an edge each, in the order of the graph's edges."""
        return np.flatnonzero(self._directed | (self.heads >= self.tails))

    def edges(self, arcs: Words, data: Optional[list[Any]], has_keys: bool = True) -> Iterator[tuple[Any, ...]]:
        """@return edges as NetworkX has them: the ends of an arc, its key if it is of a multigraph, its data if any"""
        for arc, tail, head in zip(arcs.tolist(), self.tails[arcs].tolist(), self.heads[arcs].tolist()):
            yield (self.nodes[tail], self.nodes[head], *(self.keys[arc:arc + 1] if has_keys else ()),
                   *(() if data is None else (data[arc],)))

    def weights(self, name: Any) -> Optional[Words]:
        """@return [n arcs] numbers of an attribute; None: all are 1. Raises NotImplementedError if there are others."""
        if name is None:
            return None
        if name not in self._weights:
            if self.data is None:
                raise NotImplementedError("the graph was converted without the edges' %r" % (name,))
            self._weights[name] = _numbers_of(self.data, name, 1)
        numbers = self._weights[name]
        if isinstance(numbers, str):
            raise NotImplementedError("the edges' %r: %s" % (name, numbers))
        return numbers

    def graph(self, key: Any, given: Callable[[], tuple[Words, Optional[Words]]]) -> Graph:
        """@return the graph of the device that was made by this key, or now of the arcs and weights that are given"""
        with State.lock:
            node = _node()
            if key not in self._graphs or self._graphs[key].node is not node:
                arcs, weights = given()
                made = Graph(node, self.tails[arcs], self.heads[arcs], weights, n_vertices=len(self.nodes),
                             directed=self._directed)
                weakref.finalize(self, State.left.append, made).atexit = False
                self._graphs[key] = made
            return self._graphs[key]

    def plain(self) -> Graph:
        """@return the graph of the device without weights"""
        return self.graph(None, lambda: (self.arcs, None))

    def weighted(self, name: Any) -> Graph:
        """@return the graph of the device by an attribute"""
        numbers = self.weights(name)
        if numbers is None:
            return self.plain()
        weights: Words = numbers
        return self.graph(("weights", name), lambda: (self.arcs, _taken_by_device(name, weights, len(self))[self.arcs]))


def _numbers_of(data: list[Any], name: Any, default: Any) -> Union[Words, str, None]:
    """@return an attribute of all edges, as int64 or float64; None if all are 1; or why it has no numbers"""
    if not any(data):
        return None if default == 1 else "none has it"
    try:
        values = np.array([edge.get(name, default) for edge in data])
    except ValueError:  # sequences
        return "not all are numbers"
    if values.ndim != 1 or values.dtype.kind not in "bi" and values.dtype != np.float64:
        return "not all are numbers of 64 bits"
    if values.dtype == np.float64:
        most = np.abs(values[np.isfinite(values)]).max(initial=0)
        return values if most < _MOST_EXACT else "whole numbers among real ones may have been rounded"
    return None if (values == 1).all() else values.astype(np.int64, copy=False)


def _taken_by_device(name: Any, numbers: Words, n_vertices: int) -> Words:
    """@return weights as the device takes them, in a type that holds the sums of paths as NetworkX has them"""
    if not 0 <= numbers.min() <= numbers.max() < math.inf:  # not a number fails, too
        raise NotImplementedError("the edges' %r are not all of 0 or more and finite" % (name,))
    if numbers.dtype == np.float64:
        return numbers
    longest = int(numbers.max()) * n_vertices
    if longest >= _MOST_EXACT:
        raise NotImplementedError("a path by the edges' %r may be longer than 2^53" % (name,))
    return numbers.astype(np.uint32 if longest < FAR else np.float64)


def to_nx(result: Any, *, name: Optional[str] = None) -> Any:
    """Results are NetworkX's already; a converted graph becomes one again, with the attributes that it has."""
    if not isinstance(result, Converted):
        return result
    kinds = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph,
             (True, True): nx.MultiDiGraph}
    graph = kinds[result.is_directed(), result.is_multigraph()]()
    graph.graph.update(result.graph_data)
    graph.add_nodes_from(result.nodes if result.node_data is None else result.node_data)
    attributes = {name: [1] * result.heads.size if numbers is None else numbers.tolist()
                  for name, numbers in result._weights.items() if not isinstance(numbers, str)}
    data = result.data or [{name: numbers[arc] for name, numbers in attributes.items()} for arc in range(result.heads.size)]
    graph.add_edges_from(result.edges(result.arcs, data))
    return graph

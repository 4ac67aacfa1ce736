# SPDX-License-Identifier: MIT
"""A backend of NetworkX: nx.pagerank(G, backend="gravel"), or NETWORKX_BACKEND_PRIORITY=gravel for all that it has.

Results are those of NetworkX, in its order: of the nodes that a search finds, and of edges of one weight. Calls that
would have another result are refused, by can_run, or with NotImplementedError where a graph's weights decide it:
NetworkX then takes its own function.

The process's node opens at the first call, as settings of the environment say, and closes at exit. A converted graph is
kept by NetworkX with the graph that it was made of, and keeps its graphs of the device.

Path: NetworkX's dispatcher -> can_run, should_run, convert_from_nx -> the function -> graph.py, for one node.
"""
from __future__ import annotations

import atexit
import collections
import contextlib
import inspect
import math
import os
import threading
import weakref
from itertools import chain
from typing import Any, Callable, Iterable, Iterator, Optional, Union

import networkx as nx
import numpy as np
import numpy.typing as npt

from ._errors import CapabilityError, Error
from ._node import Node
from ._node import open as open_node
from .graph import FAR, Graph

Words = npt.NDArray[Any]
_FEW_EDGES = 20000  # of a graph for which NetworkX's own functions take less time than a conversion and a launch
_MOST_EXACT = 1 << 53  # a double holds each whole number up to it
_STRATEGIES = "largest_first", nx.coloring.strategy_largest_first


class _State:
    """The process's node. `left` are the device's graphs whose converted graph is gone: the next call destroys them."""

    lock = threading.RLock()
    node: Optional[Node] = None
    process = 0
    left: collections.deque[Graph] = collections.deque()


def _node() -> Node:
    """@return this process's node, a new one after a failure, such as Ctrl-C in a call. The lock is held."""
    node = _State.node
    if node is not None and node._has_failed():
        with contextlib.suppress(Error):
            node.close()
        node = None
    if node is None:
        node, _State.process = open_node(transport="self"), os.getpid()
        _State.node = node
        atexit.register(node.close)
    while _State.left:
        graph = _State.left.pop()
        if graph.node is node:
            graph.destroy()
    return node


class Converted:
    """A graph of NetworkX as arrays. Vertex i is its i-th node. A node has a row of arcs, in the order of its
    adjacency: an undirected edge has an arc in two rows, a loop in one."""

    __networkx_backend__ = "gravel"

    def __init__(self, graph: Any, attributes: dict[str, Any], keeps_data: bool, keeps_nodes: bool,
                 keeps_graph: bool) -> None:
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
        if attributes or keeps_data:
            data = list(chain.from_iterable(keyed.values() for row in rows for keyed in row.values())
                        if self._multigraph else chain.from_iterable(row.values() for row in rows))
            self._weights = {name: _numbers_of(data, name, default) for name, default in attributes.items()}
            self.data = data if keeps_data else None
        self.node_data = list(graph.nodes.items()) if keeps_nodes else None
        self.graph_data, self.graph_class = dict(graph.graph) if keeps_graph else {}, graph.__class__
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
        with _State.lock:
            node = _node()
            if key not in self._graphs or self._graphs[key].node is not node:
                arcs, weights = given()
                made = Graph(node, self.tails[arcs], self.heads[arcs], weights, n_vertices=len(self.nodes),
                             directed=self._directed)
                weakref.finalize(self, _State.left.append, made).atexit = False
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


def convert_from_nx(graph: Any, *, edge_attrs: Optional[dict[str, Any]] = None, node_attrs: Any = None,
                    preserve_edge_attrs: bool = False, preserve_node_attrs: bool = False,
                    preserve_graph_attrs: bool = False, name: Optional[str] = None,
                    graph_name: Optional[str] = None) -> Converted:
    return Converted(graph, edge_attrs or {}, preserve_edge_attrs, preserve_node_attrs, preserve_graph_attrs)


def convert_to_nx(result: Any, *, name: Optional[str] = None) -> Any:
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
    tails = result.tails
    for arc in result.arcs.tolist():
        data = result.data[arc] if result.data else {name: numbers[arc] for name, numbers in attributes.items()}
        ends = result.nodes[tails[arc]], result.nodes[result.heads[arc]]
        graph.add_edges_from([(*ends, *([result.keys[arc]] if result.keys else []), data)])
    return graph


# ---- what runs

def can_run(name: str, args: Any, kwargs: Any) -> Any:
    """@return True; or why not, as a text"""
    if _State.node is not None and _State.process != os.getpid():
        return "this process was forked from one whose node is open"
    given = _given(name, args, kwargs)
    if callable(given.get("weight")):
        return "weight is a function"
    if given.get("nstart") is not None or given.get("dangling") is not None:
        return "it has neither nstart nor dangling"
    if not (0 <= given.get("alpha", 0) <= 1 and given.get("tol", 0) >= 0):
        return "alpha is not 0 to 1, or tol is below 0"
    if given.get("method", "dijkstra") != "dijkstra" or given.get("algorithm", "kruskal") != "kruskal":
        return "it has method dijkstra and algorithm kruskal alone"
    if given.get("source", 0) is None:
        return "it has only paths from a source"
    if given.get("data", True) not in (True, False):
        return "data is neither True nor False"
    if (name.endswith("_spanning_tree") or name in ("core_number", "greedy_color")) and given["G"].is_directed():
        return "the graph is directed"
    if name == "betweenness_centrality":
        return given["weight"] is None or "it has betweenness without weights alone"
    if name in ("triangles", "transitivity", "clustering", "average_clustering"):
        return _can_cluster(name, **given)
    if given.get("strategy", _STRATEGIES[0]) not in _STRATEGIES or given.get("interchange"):
        return "it has strategy largest_first without interchange alone"
    return True


def _can_cluster(name: str, G: Any, nodes: Any = None, weight: Any = None, count_zeros: bool = True) -> Any:
    if G.is_directed() or G.is_multigraph() and (name != "triangles" or nodes is not None):
        return "the graph is directed, or a multigraph"
    if weight is not None:
        return "it has clustering without weights alone"
    if nodes in G:
        return name != "average_clustering" or "nodes are one node"
    if nodes is None or isinstance(nodes, (list, tuple, set, frozenset, dict)) and all(v in G for v in nodes):
        return True
    return "nodes are not a collection of the graph's nodes"


def should_run(name: str, args: Any, kwargs: Any) -> Any:
    """@return True; or why not, as a text"""
    given = _given(name, args, kwargs)
    n_edges = given["G"].number_of_edges()
    if name == "betweenness_centrality":
        n_edges *= len(given["G"]) if given["k"] is None else given["k"]  # each source goes over all
    if n_edges < _FEW_EDGES:
        return "the graph has fewer than %d edges" % _FEW_EDGES
    if name == "shortest_path_length" and given["target"] is not None and given["weight"] is None:
        return "a search from both ends takes less time"
    return True


def _given(name: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """@return the arguments of a function, by name"""
    bound = inspect.signature(globals()[name]).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


# ---- the functions, with the arguments and errors of NetworkX's

def pagerank(G: Converted, alpha: float = 0.85, personalization: Any = None, max_iter: int = 100, tol: float = 1e-6,
             nstart: None = None, weight: Any = "weight", dangling: None = None) -> dict[Any, float]:
    if not G.nodes:
        return {}
    wanted = None
    if personalization is not None:
        wanted = np.array([personalization.get(v, 0) for v in G.nodes], float)
        if wanted.sum() == 0:
            raise ZeroDivisionError
        if not (np.isfinite(wanted) & (wanted >= 0)).all():
            raise NotImplementedError("a personalization has numbers of 0 or more, finite")
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        ended = G.weighted(weight).pagerank(alpha, tol, max_iter, wanted)
    except CapabilityError as lacking:  # doubles
        raise NotImplementedError(str(lacking)) from lacking
    if not ended.change < len(G.nodes) * tol:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G.nodes, ended.ranks.tolist()))


def single_source_shortest_path_length(G: Converted, source: Any, cutoff: Optional[float] = None) -> dict[Any, int]:
    vertex = _vertex(G, source, "Source %s is not in G")
    levels = _levels(G, vertex)
    return _dict_of(G, _as_found(G, levels, vertex, math.inf if cutoff is None else cutoff), levels)


def single_source_dijkstra_path_length(G: Converted, source: Any, cutoff: Optional[float] = None,
                                       weight: Any = "weight") -> dict[Any, Any]:
    vertex = _vertex(G, source, "Node %s not found in graph")
    distances, weights = _distances(G, vertex, weight)
    order = _as_taken(G, distances, weights, vertex)
    if cutoff is not None:
        order = order[(distances[order] <= cutoff) | (order == vertex)]
    return {**_dict_of(G, order, distances), G.nodes[vertex]: 0}


def dijkstra_path_length(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    vertex, end = _vertex(G, source, "Node %s not found in graph"), G.vertex(target)
    if source == target:
        return 0
    distance = None if end is None else _distances(G, vertex, weight)[0][end].item()
    if distance is None or not 0 <= distance < math.inf:
        raise nx.NetworkXNoPath("Node %s not reachable from %s" % (target, source))
    return distance


def shortest_path_length(G: Converted, source: Any = None, target: Any = None, weight: Any = None,
                         method: str = "dijkstra") -> Any:
    if weight is not None:
        return single_source_dijkstra_path_length(G, source, weight=weight) if target is None else \
            dijkstra_path_length(G, source, target, weight)
    if target is None:
        return single_source_shortest_path_length(G, source)
    vertex, end = _vertex(G, source, "Source %s is not in G"), _vertex(G, target, "Target %s is not in G")
    length = int(_levels(G, vertex)[end])
    if length < 0:
        raise nx.NetworkXNoPath("No path between %s and %s." % (source, target))
    return length


def connected_components(G: Converted) -> Iterator[set[Any]]:
    labels = G.plain().components()[1]
    members = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[members], append=labels.size)) + 1
    nodes = [G.nodes[i] for i in members.tolist()]
    return (set(nodes[begin:end]) for begin, end in zip([0, *ends.tolist()], ends.tolist()))


def number_connected_components(G: Converted) -> int:
    return G.plain().components()[0]


def is_connected(G: Converted) -> bool:
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def greedy_color(G: Converted, strategy: Any = "largest_first", interchange: bool = False) -> dict[Any, int]:
    if not G.nodes:
        return {}
    colors = G.plain().color()[1]
    degrees = np.diff(G.first) + np.bincount(G.heads[G.heads == G.tails], minlength=len(G))  # a loop is in its row once
    return _dict_of(G, np.argsort(-degrees, kind="stable"), colors)


def core_number(G: Converted) -> dict[Any, int]:
    if (G.heads == G.tails).any():
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted; "
                                        "Consider using G.remove_edges_from(nx.selfloop_edges(G)).")
    return dict(zip(G.nodes, G.plain().core_numbers().tolist())) if G.nodes else {}


def minimum_spanning_edges(G: Converted, algorithm: str = "kruskal", weight: Any = "weight", keys: bool = True,
                           data: bool = True, ignore_nan: bool = False) -> Iterator[tuple[Any, ...]]:
    return _spanning_edges(G, True, weight, keys, data, ignore_nan)


def maximum_spanning_edges(G: Converted, algorithm: str = "kruskal", weight: Any = "weight", keys: bool = True,
                           data: bool = True, ignore_nan: bool = False) -> Iterator[tuple[Any, ...]]:
    return _spanning_edges(G, False, weight, keys, data, ignore_nan)


def minimum_spanning_tree(G: Converted, weight: Any = "weight", algorithm: str = "kruskal",
                          ignore_nan: bool = False) -> Any:
    return _tree(G, _spanning_edges(G, True, weight, True, True, ignore_nan))


def maximum_spanning_tree(G: Converted, weight: Any = "weight", algorithm: str = "kruskal",
                          ignore_nan: bool = False) -> Any:
    return _tree(G, _spanning_edges(G, False, weight, True, True, ignore_nan))


def betweenness_centrality(G: Converted, k: Optional[int] = None, normalized: bool = True, weight: None = None,
                           endpoints: bool = False, seed: Any = None) -> dict[Any, float]:
    graph, sources = G.plain(), None
    if k is not None and k != len(G):
        if not graph.node.device.double_fp_config:  # before the seed has been used
            raise NotImplementedError("the device has no double")
        sources = [G.number_of[v] for v in seed.sample(G.nodes, k)]
        if not sources:
            if len(G) < (2 if endpoints else 3):
                return dict.fromkeys(G.nodes, 0.0)
            raise ZeroDivisionError("division by zero")
    try:
        found = graph.betweenness(sources, normalized=bool(normalized), endpoints=bool(endpoints))
    except CapabilityError as lacking:  # doubles
        raise NotImplementedError(str(lacking)) from lacking
    return dict(zip(G.nodes, found.tolist()))


def triangles(G: Converted, nodes: Any = None) -> Any:
    return _of_nodes(G, nodes, G.plain().triangles()[1].tolist())


def clustering(G: Converted, nodes: Any = None, weight: None = None) -> Any:
    return _of_nodes(G, nodes, [0 if t == 0 else t / pairs for t, pairs in zip(*_closed(G))])


def average_clustering(G: Converted, nodes: Any = None, weight: None = None, count_zeros: bool = True) -> float:
    values: list[float] = [value for value in clustering(G, nodes).values() if value or count_zeros]
    return sum(values) / len(values)


def transitivity(G: Converted) -> float:
    closed, pairs = _closed(G)
    return sum(closed) / sum(pairs) if any(closed) else 0


# ---- what they share

def _closed(G: Converted) -> tuple[list[int], list[int]]:
    """@return of each node the pairs of neighbours that are neighbours, and all pairs, in both orders each"""
    tails = G.tails
    degrees = np.diff(G.first) - np.bincount(tails[G.heads == tails], minlength=len(G.nodes))
    return (2 * G.plain().triangles()[1]).tolist(), (degrees * (degrees - 1)).tolist()


def _of_nodes(G: Converted, nodes: Any, values: list[Any]) -> Any:
    """@return the value of a node, or the values of all nodes or of a collection of them, by node"""
    number = None if nodes is None else G.vertex(nodes)
    if number is not None:
        return values[number]
    return dict(zip(G.nodes, values)) if nodes is None else {v: values[G.number_of[v]] for v in nodes}


def _vertex(G: Converted, node: Any, said: str) -> int:
    """@return the number of a node. Raises NodeNotFound, as NetworkX says it, if it is not in the graph"""
    number = G.vertex(node)
    if number is None:
        raise nx.NodeNotFound(said % (node,))
    return number


def _dict_of(G: Converted, vertices: Words, numbers: Words) -> dict[Any, Any]:
    return dict(zip(map(G.nodes.__getitem__, vertices.tolist()), numbers[vertices].tolist()))


def _levels(G: Converted, source: int) -> Words:
    """@return [n] levels; a number below 0 where no path leads"""
    levels = G.plain().bfs(source)
    return np.where(levels == FAR, -2, levels.astype(np.int64))


def _distances(G: Converted, source: int, weight: Any) -> tuple[Words, Optional[Words]]:
    """@return [n] distances, whole or real as the weights; below 0 or infinite where no path leads; and the weights"""
    weights = G.weights(weight)
    try:
        found = G.weighted(weight).sssp(source)
    except CapabilityError as lacking:  # doubles
        raise NotImplementedError(str(lacking)) from lacking
    if weights is not None and weights.dtype == np.float64:
        return found, weights
    is_far = found == FAR if found.dtype.kind == "u" else np.isinf(found)
    return np.where(is_far, 0, found).astype(np.int64) - 2 * is_far, weights


def _as_found(G: Converted, levels: Words, source: int, most: float) -> Words:
    """@return vertices of levels up to `most`, in the order in which NetworkX's search finds them: by that of the first
    of their neighbours of the level before, and by the place in its adjacency"""
    is_next = levels[G.heads] == levels[G.tails] + 1
    heads, first = G.heads[is_next], np.concatenate(([0], np.cumsum(is_next)))[G.first]
    place, front = np.empty(levels.size, np.intp), np.array([source])
    fronts, level = [front], 0
    while front.size and level < most:
        level += 1
        begins, counts = first[front], first[front + 1] - first[front]
        ends = np.cumsum(counts)
        found = heads[np.arange(ends[-1]) + np.repeat(begins - ends + counts, counts)]
        places = np.arange(found.size)
        place[found[::-1]] = places[::-1]  # the first one of each stays
        front = found[place[found] == places]
        fronts.append(front)
    return np.concatenate(fronts)


def _as_taken(G: Converted, distances: Words, weights: Optional[Words], source: int) -> Words:
    """@return the vertices with a path, in the order in which NetworkX takes them from its heap: by distance, and those
    of one distance as they came to it: by when the first vertex before them was taken, and by the place in its
    adjacency"""
    reached = np.flatnonzero((distances >= 0) & (distances < math.inf))
    order = reached[np.argsort(distances[reached], kind="stable")]
    sorted_distances = distances[order]
    begins = np.flatnonzero(np.diff(sorted_distances, prepend=-1) != 0)
    sizes = np.diff(begins, append=order.size)
    taken = np.full(distances.size, -1, np.intp)
    taken[order] = np.arange(order.size)
    has_equals = np.zeros(distances.size, bool)
    has_equals[order] = np.repeat(sizes > 1, sizes)
    tails = G.tails
    arcs = np.flatnonzero((taken[tails] >= 0) & (has_equals[G.heads] | (distances[G.heads] == distances[tails])))
    tails, heads = tails[arcs], G.heads[arcs]
    is_on_path = distances[tails] + (1 if weights is None else weights[arcs]) == distances[heads]
    arcs, tails, heads = arcs[is_on_path], tails[is_on_path], heads[is_on_path]
    if (distances[tails] == distances[heads])[tails != heads].any():
        raise NotImplementedError("edges of weight 0 decide the order")
    into = np.argsort(taken[heads], kind="stable")
    arcs, tails, heads = arcs[into], tails[into], heads[into]
    first = np.searchsorted(taken[heads], np.arange(order.size + 1))
    for begin, size in zip(begins[sizes > 1].tolist(), sizes[sizes > 1].tolist()):
        mine = slice(first[begin], first[begin + size])
        key = taken[tails[mine]] * G.heads.size + arcs[mine]
        best = np.minimum.reduceat(key, first[begin:begin + size] - first[begin])
        order[begin:begin + size] = order[begin:begin + size][np.argsort(best)]
        taken[order[begin:begin + size]] = np.arange(begin, begin + size)
    return order


def _spanning_edges(G: Converted, is_least: bool, weight: Any, has_keys: bool, has_data: bool,
                    ignores_nan: bool) -> Iterator[tuple[Any, ...]]:
    """@return the edges of Kruskal's algorithm, in its order"""
    if not G.is_in_order or has_data and G.data is None:
        raise NotImplementedError("the graph's edges have another order than its nodes, or come without their data")
    arcs, numbers, ranks = G.arcs, G.weights(weight), None
    if numbers is not None:
        numbers = numbers[arcs]
        is_nan = np.isnan(numbers)
        if is_nan.any() and not ignores_nan:
            return _raises_nan(G, int(arcs[is_nan][0]), weight)
        arcs = arcs[~is_nan]
        ranks = np.unique(numbers[~is_nan], return_inverse=True)[1].astype(np.uint32)
        if ranks.size and not is_least:
            ranks = ranks.max() - ranks
    graph = G.plain() if ranks is None else G.graph(("ranks", weight, is_least), lambda: (arcs, ranks))
    is_in = graph.spanning_forest()
    arcs = arcs[is_in] if ranks is None else arcs[is_in][np.argsort(ranks[is_in], kind="stable")]
    return _edges_of(G, arcs, has_keys and G.is_multigraph(), has_data)


def _raises_nan(G: Converted, arc: int, weight: Any) -> Iterator[tuple[Any, ...]]:
    data = {weight: math.nan} if G.data is None else G.data[arc]
    tail = int(np.searchsorted(G.first, arc, "right")) - 1
    edge = (G.nodes[tail], G.nodes[G.heads[arc]], *([G.keys[arc]] if G.keys else []), data)
    raise ValueError("NaN found as an edge weight. Edge %s" % (edge,))
    yield ()  # NetworkX's raises when it is iterated, too


def _edges_of(G: Converted, arcs: Words, has_keys: bool, has_data: bool) -> Iterator[tuple[Any, ...]]:
    for arc, tail, head in zip(arcs.tolist(), G.tails[arcs].tolist(), G.heads[arcs].tolist()):
        edge: tuple[Any, ...] = G.nodes[tail], G.nodes[head]
        if has_keys:
            edge += (G.keys[arc],)
        if has_data and G.data is not None:
            edge += (G.data[arc],)
        yield edge


def _tree(G: Converted, edges: Iterator[tuple[Any, ...]]) -> Any:
    if G.node_data is None:
        raise NotImplementedError("the graph was converted without the nodes' data")
    tree = G.graph_class()
    tree.graph.update(G.graph_data)
    tree.add_nodes_from(G.node_data)
    tree.add_edges_from(edges)
    return tree

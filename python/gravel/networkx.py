# SPDX-License-Identifier: MIT
"""A backend of NetworkX: nx.pagerank(G, backend="gravel"), or NETWORKX_BACKEND_PRIORITY=gravel for all that it has.

Results are those of NetworkX, in its order: of the nodes that a search finds, and of edges of one weight. Calls that
would have another result are refused, by can_run, or with NotImplementedError where a graph's weights decide it:
NetworkX then takes its own function.

Path: NetworkX's dispatcher -> can_run, should_run, _converted.py -> the function -> graph.py, for one node.
"""
from __future__ import annotations

import contextlib
import inspect
import math
import os
from typing import Any, Callable, Iterator, Optional

import networkx as nx
import numpy as np

from ._converted import Converted, State, Words, to_nx
from ._errors import CapabilityError
from .graph import FAR

_FEW_EDGES = 20000  # of a graph for which NetworkX's own functions take less time than a conversion and a launch
convert_from_nx, convert_to_nx = Converted, to_nx


# ---- what runs

_STRATEGIES = "largest_first", nx.coloring.strategy_largest_first
_REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {  # of an argument: whether it is refused, and why
    "weight": (callable, "weight is a function"),
    "nstart": (lambda ranks: ranks is not None, "it has no nstart"),
    "dangling": (lambda ranks: ranks is not None, "it has no dangling"),
    "alpha": (lambda alpha: not 0 <= alpha <= 1, "alpha is not 0 to 1"),
    "tol": (lambda tol: not tol >= 0, "tol is below 0"),
    "method": (lambda method: method != "dijkstra", "it has method dijkstra alone"),
    "algorithm": (lambda algorithm: algorithm != "kruskal", "it has algorithm kruskal alone"),
    "source": (lambda source: source is None, "it has only paths from a source"),
    "data": (lambda data: data not in (True, False), "data is neither True nor False"),
    "strategy": (lambda strategy: strategy not in _STRATEGIES, "it has strategy largest_first alone"),
    "interchange": (bool, "it has no interchange"),
}
_CLUSTERING = {"clustering", "average_clustering", "transitivity"}
_UNDIRECTED = {"minimum_spanning_tree", "maximum_spanning_tree", "core_number", "greedy_color", "triangles", *_CLUSTERING}
_WITHOUT_WEIGHTS = {"betweenness_centrality", *_CLUSTERING}


def can_run(name: str, args: Any, kwargs: Any) -> Any:
    """@return True; or why not, as a text"""
    if State.node is not None and State.node._process != os.getpid():
        return "this process was forked from one whose node is open"
    given = _given(name, args, kwargs)
    graph, nodes = given["G"], given.get("nodes")
    for argument, (is_refused, why) in _REFUSED.items():
        if argument in given and is_refused(given[argument]):
            return why
    if name in _UNDIRECTED and graph.is_directed():
        return "the graph is directed"
    if graph.is_multigraph() and (name in _CLUSTERING or nodes is not None):
        return "the graph is a multigraph"
    if name in _WITHOUT_WEIGHTS and given.get("weight") is not None:
        return "it has no weights"
    if nodes is None or nodes in graph and name != "average_clustering":
        return True
    is_some = nodes not in graph and isinstance(nodes, (list, tuple, set, frozenset, dict))
    return is_some and all(v in graph for v in nodes) or "nodes are not a collection of the graph's nodes"


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
    with _refused_without_doubles():
        ended = G.weighted(weight).pagerank(alpha, tol, max_iter, wanted)
    if not ended.change < len(G.nodes) * tol:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return _by_node(G, ended.ranks)


def single_source_shortest_path_length(G: Converted, source: Any, cutoff: Optional[float] = None) -> dict[Any, int]:
    vertex = _vertex(G, source, "Source %s is not in G")
    levels = _levels(G, vertex)
    return _by_node(G, levels, _as_found(G, levels, vertex, math.inf if cutoff is None else cutoff))


def single_source_dijkstra_path_length(G: Converted, source: Any, cutoff: Optional[float] = None,
                                       weight: Any = "weight") -> dict[Any, Any]:
    vertex = _vertex(G, source, "Node %s not found in graph")
    distances, weights = _distances(G, vertex, weight)
    order = _as_taken(G, distances, weights, vertex)
    if cutoff is not None:
        order = order[(distances[order] <= cutoff) | (order == vertex)]
    return {**_by_node(G, distances, order), G.nodes[vertex]: 0}


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
    return _by_node(G, colors, np.argsort(-degrees, kind="stable"))


def core_number(G: Converted) -> dict[Any, int]:
    if (G.heads == G.tails).any():
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted; "
                                        "Consider using G.remove_edges_from(nx.selfloop_edges(G)).")
    return _by_node(G, G.plain().core_numbers()) if G.nodes else {}


def _edges(is_least: bool) -> Callable[..., Iterator[tuple[Any, ...]]]:
    def edges(G: Converted, algorithm: str = "kruskal", weight: Any = "weight", keys: bool = True, data: bool = True,
              ignore_nan: bool = False) -> Iterator[tuple[Any, ...]]:
        return _spanning_edges(G, is_least, weight, keys, data, ignore_nan)
    return edges


def _tree(is_least: bool) -> Callable[..., Any]:
    def tree(G: Converted, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> Any:
        edges = _spanning_edges(G, is_least, weight, True, True, ignore_nan)
        if G.node_data is None:
            raise NotImplementedError("the graph was converted without the nodes' data")
        made = G.graph_class()
        made.graph.update(G.graph_data)
        made.add_nodes_from(G.node_data)
        made.add_edges_from(edges)
        return made
    return tree


minimum_spanning_edges, maximum_spanning_edges = _edges(True), _edges(False)
minimum_spanning_tree, maximum_spanning_tree = _tree(True), _tree(False)


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
    with _refused_without_doubles():
        return _by_node(G, graph.betweenness(sources, normalized=bool(normalized), endpoints=bool(endpoints)))


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

@contextlib.contextmanager
def _refused_without_doubles() -> Iterator[None]:
    try:
        yield
    except CapabilityError as lacking:
        raise NotImplementedError(str(lacking)) from lacking


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


def _by_node(G: Converted, numbers: Words, vertices: Optional[Words] = None) -> dict[Any, Any]:
    """@return the numbers of all nodes, or of these vertices, in their order"""
    if vertices is None:
        return dict(zip(G.nodes, numbers.tolist()))
    return dict(zip(map(G.nodes.__getitem__, vertices.tolist()), numbers[vertices].tolist()))


def _levels(G: Converted, source: int) -> Words:
    """@return [n] levels; a number below 0 where no path leads"""
    levels = G.plain().bfs(source)
    return np.where(levels == FAR, -2, levels.astype(np.int64))


def _distances(G: Converted, source: int, weight: Any) -> tuple[Words, Optional[Words]]:
    """@return [n] distances, whole or real as the weights; below 0 or infinite where no path leads; and the weights"""
    weights = G.weights(weight)
    with _refused_without_doubles():
        found = G.weighted(weight).sssp(source)
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
            return _raises_nan(G, arcs[is_nan][:1], weight)
        arcs = arcs[~is_nan]
        ranks = np.unique(numbers[~is_nan], return_inverse=True)[1].astype(np.uint32)
        if ranks.size and not is_least:
            ranks = ranks.max() - ranks
    graph = G.plain() if ranks is None else G.graph(("ranks", weight, is_least), lambda: (arcs, ranks))
    is_in = graph.spanning_forest()
    arcs = arcs[is_in] if ranks is None else arcs[is_in][np.argsort(ranks[is_in], kind="stable")]
    return G.edges(arcs, G.data if has_data else None, has_keys)


def _raises_nan(G: Converted, arc: Words, weight: Any) -> Iterator[tuple[Any, ...]]:
    for edge in G.edges(arc, G.data):
        raise ValueError("NaN found as an edge weight. Edge %s" % (edge if G.data else (*edge, {weight: math.nan}),))
    yield ()  # NetworkX's raises when it is iterated, too

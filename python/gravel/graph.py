# SPDX-License-Identifier: MIT
"""Graphs: breadth-first search, shortest paths, PageRank, components, forests, colours, cores, betweenness and triangles on the
devices of all nodes.

    from gravel.graph import Graph

    with gravel.open() as node, Graph(node, sources, targets) as graph:
        levels = graph.bfs(0)

Vertices are numbers from 0 on. Every node gives a part of the edges, whichever it has, and gets the results of
`vertices`, a range of them; a node that is alone gives and gets all. Calls are collective, and one thread at a time
makes those of a graph; others wait for it. Loops and repeated edges count as NetworkX has them (gravel/graph.h).

Path: the caller's arrays -> gravel_graph_create -> this -> numpy arrays.
"""
from __future__ import annotations

import ctypes as c
import sys
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ._graph_library import FAR, NONE, PROGRESS_FUNCTION, BetweennessOptions, Edges, Facts, PagerankOptions, lib
from ._library import number_of
from ._part import Part
from ._words import pointer, type_of, values_of

if TYPE_CHECKING:
    from ._node import Node

__all__ = ["FAR", "NONE", "Graph", "PageRank"]

Words = npt.NDArray[Any]


class PageRank(NamedTuple):
    """What Graph.pagerank returns. `change` is the sum of all changes in the last iteration."""

    ranks: Words
    n_iterations: int
    change: float


class Graph(Part):
    """A graph on the devices of all nodes, each with its part of the edges. Collective, as all calls are.

    Vertices are numbers from 0 on. A node gets results of `vertices`, a range of them. Loops and repeated edges
    count as in a MultiGraph of NetworkX.

    Parameters
    ----------
    sources, targets : [n] integers
        Edge i leads from vertex sources[i] to targets[i].
    weights : [n] numbers
        0 or more: float32 and float64 as they are, integers if uint32 holds them. None: 1 each.
    n_vertices : int
        Of the whole graph. None: one more than the largest number at any node.
    directed : bool
        False: each edge is given once, and goes both ways.
    progress : callable
        Of calls that take long: progress(call's name, n_done, n_all or 0). What it raises ends the call, and comes out
        of it. It makes no calls of the graph (gravel_graph_progress).
    """

    _destroys = lib.gravel_graph_destroy

    def __init__(self, node: Node, sources: npt.ArrayLike, targets: npt.ArrayLike,
                 weights: Optional[npt.ArrayLike] = None, *, n_vertices: Optional[int] = None,
                 directed: bool = True, progress: Optional[Callable[[str, int, int], object]] = None) -> None:
        ends = [_numbers("sources", sources), _numbers("targets", targets)]
        if ends[0].dtype != ends[1].dtype:
            ends = [end.astype(np.uint64) for end in ends]
        if ends[0].size != ends[1].size:
            raise ValueError("%d sources have %d targets" % (ends[0].size, ends[1].size))
        if n_vertices is None:
            n_vertices = int(node.reduce(max((int(end.max()) + 1 for end in ends if end.size), default=0), "max"))
        edges = Edges(bytes=c.sizeof(Edges), n_vertices=n_vertices, n_edges=ends[0].size, to=ends[1].ctypes.data,
                      id_bytes=ends[0].itemsize, is_undirected=not directed)
        setattr(edges, "from", ends[0].ctypes.data)
        self.directed = directed
        self._dtype = np.dtype(np.uint32)  # of distances
        if weights is not None:
            given = _weights(weights, ends[0].size)
            self._dtype = given.dtype
            edges.weights, edges.weight_type = given.ctypes.data, type_of(given.dtype)
        self._raised: list[BaseException] = []  # by progress
        self._progress = PROGRESS_FUNCTION(self._guarded(progress)) if progress else PROGRESS_FUNCTION(0)
        edges.progress = self._progress
        super().__init__(node, lambda *given: self._raising(lib.gravel_graph_create(*given)), c.byref(edges))
        self._n_given = ends[0].size
        facts = self._read(lib.gravel_graph_facts_read, Facts)
        self.n_vertices, self.n_edges = facts["n_vertices"], facts["n_edges"]
        self.vertices = range(facts["first"], facts["first"] + facts["n"])  # whose results this node gets

    @classmethod
    def from_scipy_sparse(cls, node: Node, matrix: Any, *, weighted: bool = True, directed: bool = True) -> Graph:
        """An edge from i to j for each entry [i, j] of a square sparse matrix, with its value as weight, if `weighted`.

        Not `directed`: entries below the diagonal are left out. A node's matrix has its part of the entries and the
        whole shape.
        """
        entries = matrix.tocoo()
        if entries.shape[0] != entries.shape[1]:
            raise ValueError("a graph's matrix is square, and its shape is not %r" % (entries.shape,))
        taken = slice(None) if directed else entries.row <= entries.col
        return cls(node, entries.row[taken], entries.col[taken], entries.data[taken] if weighted else None,
                   n_vertices=entries.shape[0], directed=directed)

    @classmethod
    def from_pandas_edgelist(cls, node: Node, frame: Any, source: Any = "source", target: Any = "target",
                             weight: Any = None, *, n_vertices: Optional[int] = None, directed: bool = True) -> Graph:
        """An edge for each row of a frame, by its columns of vertices, and of weights if one is named."""
        return cls(node, frame[source], frame[target], None if weight is None else frame[weight],
                   n_vertices=n_vertices, directed=directed)

    def _what(self) -> str:
        return " of %d vertices and %d edges" % (self.n_vertices, self.n_edges)

    def _guarded(self, progress: Callable[[str, int, int], object]) -> Callable[..., int]:
        """@return as C takes it"""
        def report(_user: Optional[int], call: bytes, n_done: int, n_all: int) -> int:
            try:
                progress(call.decode(), n_done, n_all)
            except BaseException as raised:
                self._raised.append(raised)
            return len(self._raised)
        return report

    def _raising(self, status: int) -> int:
        if status and self._raised:
            raise self._raised.pop()
        return status

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        super()._call(lambda *given: self._raising(function(*given)), *arguments)

    @property
    def stats(self) -> dict[str, int]:
        """What this node's device holds of the graph so far [bytes], and how long the graph took to make [ns]."""
        facts = self._read(lib.gravel_graph_facts_read, Facts)
        return {name: facts[name] for name in ("device_bytes", "create_ns")}

    def bfs(self, source: int) -> Words:
        """Edges of the shortest path from the source to each of `vertices`, as uint32; FAR (2**32 - 1) without a path."""
        return self._searched(lib.gravel_graph_bfs, np.dtype(np.uint32), source, False)[0]

    def bfs_tree(self, source: int) -> tuple[Words, Words]:
        """bfs, and as uint64 the least vertex before on such a path: the source for itself, NONE without a path."""
        return self._searched(lib.gravel_graph_bfs, np.dtype(np.uint32), source, True)

    def sssp(self, source: int) -> Words:
        """Lengths of the shortest paths from the source to `vertices`, in the type of the weights.

        Without a path infinite; of integers FAR, also if the path is that long.
        """
        return self._searched(lib.gravel_graph_sssp, self._dtype, source, False)[0]

    def sssp_tree(self, source: int) -> tuple[Words, Words]:
        """sssp, and the vertex before, as in bfs_tree."""
        return self._searched(lib.gravel_graph_sssp, self._dtype, source, True)

    def _searched(self, call: Any, dtype: np.dtype[Any], source: int, has_parents: bool) -> tuple[Words, Words]:
        lengths, parents = np.empty(len(self.vertices), dtype), np.empty(len(self.vertices) * has_parents, np.uint64)
        words: Any = c.POINTER(c.c_uint32) if call is lib.gravel_graph_bfs else c.c_void_p
        self._call(call, number_of("source", source), lengths.ctypes.data_as(words),
                   pointer(parents, c.c_uint64) if has_parents else None)
        return lengths, parents

    def _counted(self, call: Any, kind: Any) -> tuple[int, Words]:
        """@return what is counted of the whole graph, and words of `vertices`, both of this type of C's"""
        words, n = np.empty(len(self.vertices), kind), kind()
        self._call(call, pointer(words, kind), c.byref(n))
        return int(n.value), words

    def pagerank(self, damping: float = 0.85, tolerance: float = 1e-6, iterations: int = 100,
                 personalization: Optional[npt.ArrayLike] = None, dtype: npt.DTypeLike = np.float64) -> PageRank:
        """Ranks of `vertices`, whose sum over all is 1, in float32 or float64.

        Parameters
        ----------
        tolerance : float
            Ends when the sum of all changes is below it times the number of vertices; never if it is 0 or less.
        iterations : int
            At most this many; 0 is 100.
        personalization : array_like
            A number for each of `vertices`, 0 or more and not all 0.

        Returns
        -------
        PageRank
        """
        ranks = np.empty(len(self.vertices), dtype)
        # In C 0 is the default: as little damping as there is has the same ranks as none, and no change is below -1.
        options = PagerankOptions(bytes=c.sizeof(PagerankOptions), damping=damping or sys.float_info.min,
                                  tolerance=tolerance or -1, most_iterations=iterations, type=type_of(ranks.dtype))
        if personalization is not None:
            given = values_of("personalization", personalization, np.dtype(np.float64))
            if given.shape != ranks.shape:
                raise ValueError("personalization has the shape %r, and %d vertices" % (given.shape, ranks.size))
            options.personalization = pointer(given, c.c_double)
        self._call(lib.gravel_graph_pagerank, c.byref(options), ranks.ctypes.data)
        return PageRank(ranks, int(options.n_iterations), float(options.change))

    def components(self) -> tuple[int, Words]:
        """How many connected components there are, and as uint64 the least vertex of that of each of `vertices`."""
        return self._counted(lib.gravel_graph_components, c.c_uint64)

    def spanning_forest(self) -> Words:
        """Whether each edge that this node gave is in a spanning forest of least weight, as bool."""
        is_in = np.empty(self._n_given, np.uint8)
        self._call(lib.gravel_graph_forest, pointer(is_in, c.c_uint8), None)
        return is_in.view(np.bool_)

    def betweenness(self, sources: Optional[npt.ArrayLike] = None, *, normalized: bool = True,
                    endpoints: bool = False) -> Words:
        """The fraction of all shortest paths over each of `vertices`, or not `normalized` their number, as float64.

        `sources` are different vertices, the same at every node, where paths begin instead of at all: results are
        scaled, and a single one has NaN itself unless `endpoints` count.
        """
        centrality = np.empty(len(self.vertices), np.float64)
        options = BetweennessOptions(bytes=c.sizeof(BetweennessOptions), has_endpoints=bool(endpoints),
                                     is_raw=not normalized)
        if sources is not None:
            given = _numbers("sources", sources).astype(np.uint64)
            options.sources, options.n_sources = pointer(given, c.c_uint64), given.size
        self._call(lib.gravel_graph_betweenness, c.byref(options), pointer(centrality, c.c_double))
        return centrality

    def triangles(self) -> tuple[int, Words]:
        """How many triangles the undirected graph has, and as uint64 of how many each of `vertices` is one."""
        return self._counted(lib.gravel_graph_triangles, c.c_uint64)

    def color(self) -> tuple[int, Words]:
        """How many colours the undirected graph has, and as uint32 each vertex's, as NetworkX's largest_first."""
        return self._counted(lib.gravel_graph_color, c.c_uint32)

    def core_numbers(self) -> Words:
        """The largest k for which each of `vertices` is in a k-core, as uint32; undirected, without loops."""
        cores = np.empty(len(self.vertices), np.uint32)
        self._call(lib.gravel_graph_core_numbers, pointer(cores, c.c_uint32))
        return cores


def _numbers(what: str, values: npt.ArrayLike) -> Words:
    """@return numbers of vertices in 4 or 8 bytes, without a copy if they have them"""
    given = np.asarray(values)
    if given.ndim != 1:
        raise ValueError("%s have the shape %r, which is not one dimension" % (what, given.shape))
    if not given.size:
        return np.empty(0, np.uint32)
    if given.dtype.kind not in "iu":
        raise TypeError("%s are integers, not %s" % (what, given.dtype))
    if given.dtype.kind == "i" and given.min() < 0:
        i = int(given.argmin())
        raise IndexError("%s: edge %d has the vertex %d (0 or more)" % (what, i, given[i]))
    return np.ascontiguousarray(given, np.uint64 if given.itemsize == 8 else np.uint32)


def _weights(values: npt.ArrayLike, n: int) -> Words:
    given = np.asarray(values)
    if given.shape != (n,):
        raise ValueError("weights have the shape %r, and there are %d edges" % (given.shape, n))
    if given.dtype.kind == "b":
        given = given.astype(np.uint32)
    real = np.float32 if given.itemsize <= 4 else np.float64
    return values_of("weights", given, np.dtype(real if given.dtype.kind == "f" else np.uint32))

# SPDX-License-Identifier: MIT
"""Graphs of arrays have the results of their C calls, of which tests/graph and test_networkx.py have proof, whatever holds the
arrays, and bad arrays are exceptions that name what is wrong.

Path: pytest -> this -> python/gravel/graph.py
"""
import numpy as np
import pytest

import gravel
from conftest import refuse
from gravel.graph import FAR, NONE, Graph

SETTINGS = {"heap_bytes": "16M"}

# A triangle, from which a path leads to 4; and a vertex alone, 5.
N, EDGES, WEIGHTS = 6, np.array([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4]]).T, np.array([4, 1, 1, 2, 3])


def mine(node, n_edges):
    """The edges that this process gives."""
    return np.arange(n_edges)[node.rank::node.size // len(node.local)]


def made(node, weights=None, directed=False):
    taken = mine(node, WEIGHTS.size)
    return Graph(node, *EDGES[:, taken], None if weights is None else weights[taken], n_vertices=N, directed=directed)


def expect(graph, found, wanted):
    """This node has its part of them."""
    part = np.array(wanted, found.dtype)[graph.vertices.start:graph.vertices.stop]
    assert np.allclose(found, part, 1e-9, 0, equal_nan=True), found


def test_without_weights(node):
    with made(node) as graph, made(node, directed=True) as one_way:
        assert (graph.n_vertices, graph.n_edges) == (N, 5)
        levels, parents = graph.bfs_tree(0)
        expect(graph, levels, [0, 1, 1, 2, 3, FAR])
        expect(graph, parents, [0, 0, 0, 2, 3, NONE])
        for search in graph.bfs, graph.sssp:
            expect(graph, search(4), [3, 3, 2, 1, 0, FAR])
        expect(one_way, one_way.bfs(3), [FAR, FAR, FAR, 0, 1, FAR])
        for call, n_wanted, wanted in ((graph.components, 2, [0, 0, 0, 0, 0, 5]), (graph.triangles, 1, [1, 1, 1, 0, 0, 0]),
                                       (graph.color, 3, [1, 2, 0, 1, 0, 0])):
            n, found = call()
            assert n == n_wanted
            expect(graph, found, wanted)
        expect(graph, graph.core_numbers(), [2, 2, 2, 1, 1, 0])
        refuse(gravel.ArgumentError, "the graph is directed", one_way.triangles, one_way.color, one_way.core_numbers)


def test_betweenness(node):
    with made(node) as graph:
        expect(graph, graph.betweenness(), [0, 0, 0.4, 0.3, 0, 0])
        expect(graph, graph.betweenness(normalized=False), [0, 0, 4, 3, 0, 0])
        expect(graph, graph.betweenness([4]), [0, 0, 0.5, 0.75, np.nan, 0])
        expect(graph, graph.betweenness(endpoints=True), np.array([8, 8, 16, 14, 8, 0]) / 30)


@pytest.mark.parametrize("dtype", [np.uint32, np.float32, np.float64])
def test_weights(node, dtype):
    unit, far = (1, FAR) if dtype == np.uint32 else (0.25, np.inf)
    with made(node, (WEIGHTS * unit).astype(dtype)) as graph:
        lengths, parents = graph.sssp_tree(0)
        assert lengths.dtype == dtype and (graph.sssp(0) == lengths).all()
        expect(graph, lengths, [0, 2 * unit, unit, 3 * unit, 6 * unit, far])
        expect(graph, parents, [0, 2, 0, 2, 3, NONE])
        assert (graph.spanning_forest() == (WEIGHTS < 4)[mine(node, WEIGHTS.size)]).all()


def test_pagerank(node):
    ring = mine(node, 4)
    with Graph(node, ring, (ring + 1) % 4, n_vertices=4) as graph:
        ended = graph.pagerank(0.5, 1e-12, 300, np.array([6, 2, 3, 1])[graph.vertices.start:graph.vertices.stop])
        expect(graph, ended.ranks, np.array([4, 3, 3, 2]) / 12)
        assert 2 < ended.n_iterations < 300 and ended.change < 4e-12
        short = graph.pagerank(0.9, 0, 2, None, np.float32)
        assert short.ranks.dtype == np.float32 and short.n_iterations == 2


def test_empty(node):
    with Graph(node, *np.empty((2, 0), int), n_vertices=0, directed=False) as graph:
        assert graph.components()[0] == graph.triangles()[0] == graph.color()[0] == 0
        for found in graph.pagerank().ranks, graph.spanning_forest(), graph.betweenness(), graph.core_numbers():
            assert found.size == 0
        refuse(gravel.ArgumentError, "gravel_graph_bfs", lambda: graph.bfs(0))


def test_arrays(node):
    for dtype in "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4":
        is_rank_0 = node.rank == 0
        edges = np.array([[0, 1], [1, 2]] if is_rank_0 else [[], []], dtype)
        with Graph(node, *edges, np.array([4, 5] if is_rank_0 else [], "i2")) as graph:
            assert graph.n_vertices == 3 and graph.n_edges == 2
            assert (graph.sssp(0) == np.array([0, 4, 9])[list(graph.vertices)]).all()
    with Graph(node, np.array([0, 0], "u8")[node.rank * 2:], [1, 3][node.rank * 2:], directed=False) as graph:
        assert (graph.bfs(3) == np.array([1, 2, FAR, 0])[list(graph.vertices)]).all()
        assert graph.stats["create_ns"] > 0 and "4 vertices and 2 edges" in repr(graph)
    refuse(ValueError, "destroyed", lambda: graph.bfs(0), graph.components)


def test_matrices(node):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(np.array([[0, 2, 0], [2, 0, 3], [0, 3, 1]]) * (node.rank == 0))
    for directed in True, False:
        with Graph.from_scipy_sparse(node, matrix, directed=directed) as graph:
            assert graph.n_edges == (5 if directed else 3)
            assert (graph.sssp(0) == np.array([0, 2, 5])[list(graph.vertices)]).all()
        with Graph.from_scipy_sparse(node, matrix, directed=directed, weighted=False) as graph:
            assert (graph.sssp(0) == np.array([0, 1, 2])[list(graph.vertices)]).all()
    refuse(ValueError, r"square.*\(2, 3\)", lambda: Graph.from_scipy_sparse(node, sparse.csr_matrix((2, 3))))


def test_frames(node):
    columns = {"from": [0, 1], "to": [1, 2], "length": [0.5, 0.25]}
    if node.rank:
        columns = {name: [] for name in columns}
    for frame in frames(columns):
        with Graph.from_pandas_edgelist(node, frame, "from", "to", "length") as graph:
            assert (graph.sssp(0) == np.array([0, 0.5, 0.75])[list(graph.vertices)]).all()


def frames(columns):
    yield columns
    try:
        import pandas
    except ImportError:
        return
    yield pandas.DataFrame(columns)


def test_progress(node):
    """Rank 0 has reports of long calls; what its function raises comes out there, and other ranks' calls fail."""
    reported, path = [], np.array([range(40), range(1, 41)])[:, mine(node, 40)]

    def progress(call, n_done, n_all):
        reported.append((call, n_done, n_all))
        if call == "gravel_graph_sssp" and n_done == 4:
            raise LookupError("far enough")
        if call == "gravel_graph_bfs":
            refuse(gravel.ArgumentError, "gravel_graph_components: called by", graph.components)

    with Graph(node, *path, n_vertices=41, progress=progress if node.rank == 0 else None) as graph:
        is_first = node.rank == 0
        assert reported == [("gravel_graph_create", 1, 2), ("gravel_graph_create", 2, 2)][:2 * is_first]
        levels = graph.bfs(0)
        assert (levels == graph.vertices).all()
        assert reported[2:6] == [("gravel_graph_bfs", n, 0) for n in (0, 1, 2, 4)][:4 * is_first]
        with pytest.raises(LookupError if is_first else gravel.MismatchError, match="far enough" if is_first else "node 0"):
            graph.sssp(0)
        assert graph.components()[0] == 1 and (graph.bfs(0) == levels).all()


def test_bad(node):
    """Each is refused before the library is called, or by it, at all nodes."""
    for error, text, arguments, named in (
            (ValueError, "2 sources have 1 targets", ([0, 1], [1]), {}),
            (ValueError, r"sources.*\(1, 1\)", ([[0]], [1]), {}),
            (TypeError, "targets.*float64", ([0], [1.0]), {}),
            (IndexError, "sources: edge 1 .*-3", ([0, -3], [1, 2]), {}),
            (ValueError, r"weights.*\(1,\).*2 edges", ([0, 1], [1, 2], [1]), {}),
            (OverflowError, "weights.*-1", ([0, 1], [1, 2], [1, -1]), {}),
            (TypeError, "weights", ([0], [1], ["long"]), {}),
            (gravel.RangeError, "n_vertices", ([0], [1]), {"n_vertices": -1}),
            (gravel.ArgumentError, "gravel_graph_create.*7", ([0], [7]), {"n_vertices": 5}),
            (gravel.ArgumentError, "gravel_graph_create", ([0], [1], [-0.5]), {"n_vertices": 5}),
            (gravel.ArgumentError, "gravel_graph_create", ([0], [1], [np.nan]), {"n_vertices": 5})):
        refuse(error, text, lambda: Graph(node, *arguments, **named))
    with Graph(node, [0], [1], n_vertices=2) as graph:
        refuse(gravel.ArgumentError, "gravel_graph_bfs.*2", lambda: graph.bfs(2))
        refuse(gravel.RangeError, "source.*-1", lambda: graph.sssp(-1))
        refuse(gravel.ArgumentError, "gravel_graph_pagerank", lambda: graph.pagerank(damping=2))
        refuse(TypeError, "int16", lambda: graph.pagerank(dtype=np.int16))
        refuse(gravel.ArgumentError, r"gravel_graph_betweenness: sources\[1\] is 2", lambda: graph.betweenness([0, 2]))
        refuse(gravel.ArgumentError, "gravel_graph_betweenness: n_sources is 0", lambda: graph.betweenness([]))
        refuse(IndexError, "sources: edge 0 .*-1", lambda: graph.betweenness([-1]))
        refuse(ValueError, r"\(3,\)", lambda: graph.pagerank(personalization=[1, 2, 3]))
        assert graph.components()[0] == 1  # it stays usable

# SPDX-License-Identifier: MIT
"""Graphs of arrays have the results of plain Python's algorithms, whatever holds the arrays, and bad arrays are exceptions
that name what is wrong.

Path: pytest -> this -> python/gravel/graph.py
"""
import heapq
import itertools

import numpy as np
import pytest

import gravel
from conftest import IS_RANK, refuse
from gravel.graph import FAR, NONE, Graph

SETTINGS = {"heap_bytes": "16M"}


def random_edges(n, n_edges, seed):
    """With loops and repeated edges, and vertices that have none."""
    return np.random.default_rng(seed).integers(0, max(2 * n // 3, 1), (2, n_edges))


GRID = np.array([(i, i + step) for i in range(120) for step in (1, 12) if i + step < 120 and (step > 1 or i % 12 < 11)]).T
GRAPHS = {"empty": (0, np.empty((2, 0), int)), "one vertex": (1, np.empty((2, 0), int)), "a loop": (1, np.zeros((2, 1), int)),
          "a path": (90, np.array([range(89), range(1, 90)])), "a star": (200, np.array([[7] * 199, np.delete(range(200), 7)])),
          "a grid": (120, GRID), "sparse": (150, random_edges(150, 120, 1)), "dense": (150, random_edges(150, 3000, 2))}
OF_RANKS = ["a loop", "a grid", "sparse"]  # the algorithms' own tests have all


@pytest.fixture(params=itertools.product(OF_RANKS if IS_RANK else GRAPHS, (True, False)),
                ids=lambda case: "%s, %s" % (case[0], case[1] and "directed"))
def case(request):
    n, (sources, targets) = GRAPHS[request.param[0]]
    return n, sources, targets, np.random.default_rng(3).integers(1, 9, sources.size), request.param[1]


def mine(node, n_edges):
    """The edges that this process gives."""
    return np.arange(n_edges)[node.rank::n_processes(node)]


def n_processes(node):
    return node.size // len(node.local)


def made(node, case, weights=None):
    n, sources, targets, _, directed = case
    taken = mine(node, sources.size)
    return Graph(node, sources[taken], targets[taken], None if weights is None else weights[taken], n_vertices=n,
                 directed=directed)


def rows_of(case, weights):
    """The edges out of each vertex."""
    n, sources, targets, _, directed = case
    rows = [[] for _ in range(n)]
    for u, v, w in zip(sources.tolist(), targets.tolist(), weights.tolist()):
        rows[u].append((v, w))
        if not directed:
            rows[v].append((u, w))
    return rows


def shortest(rows, source):
    distances, heap = {}, [(0, source)]
    while heap:
        distance, v = heapq.heappop(heap)
        if v not in distances:
            distances[v] = distance
            for u, weight in rows[v]:
                heapq.heappush(heap, (distance + weight, u))
    return distances


def check_tree(graph, rows, found, parents, far):
    """Lengths are the shortest, and a parent is the least vertex that is before on such a path."""
    source = len(rows) // 3
    wanted = shortest(rows, source)
    before = {}
    for u, row in enumerate(rows):
        for v, weight in row:
            if u in wanted and wanted[u] + weight == wanted[v]:
                before[v] = min(u, before.get(v, u))
    for v, length, parent in zip(graph.vertices, found.tolist(), parents.tolist()):
        assert length == wanted.get(v, far), (v, length, wanted.get(v))
        if v == source:
            assert parent == source
        elif v not in wanted:
            assert parent == NONE
        else:
            assert parent == before[v], (v, parent, before[v])


def test_without_weights(node, case):
    n, sources = case[:2]
    ones = np.ones(sources.size, int)
    with made(node, case) as graph:
        assert (graph.n_vertices, graph.n_edges) == (n, sources.size)
        check_ranks(graph, case, ones)
        check_components(graph, case)
        check_forest(node, graph, case, ones)
        check_betweenness(graph, rows_of(case, ones))
        check_triangles(graph, rows_of(case, ones))
        check_colors(graph, case)
        check_cores(graph, case)
        if n == 0:
            refuse(gravel.ArgumentError, "gravel_graph_bfs", lambda: graph.bfs(0))
            return
        rows = rows_of(case, ones)
        check_tree(graph, rows, *graph.bfs_tree(n // 3), FAR)
        check_tree(graph, rows, *graph.sssp_tree(n // 3), FAR)
        assert (graph.bfs(n // 3) == graph.sssp(n // 3)).all()


@pytest.mark.parametrize("dtype", [np.uint32, np.float32, np.float64])
def test_weights(node, case, dtype):
    n, weights = case[0], case[3].astype(dtype) * dtype(0.25 if dtype != np.uint32 else 1)
    if case[1].size % 3 != (np.uint32, np.float32, np.float64).index(dtype):
        return  # each graph by one of them
    with made(node, case, weights) as graph:
        check_ranks(graph, case, weights)
        check_forest(node, graph, case, weights)
        if n:
            found, parents = graph.sssp_tree(n // 3)
            assert found.dtype == dtype and (graph.sssp(n // 3) == found).all()
            check_tree(graph, rows_of(case, weights), found, parents, FAR if dtype == np.uint32 else np.inf)


def check_ranks(graph, case, weights):
    n, own = case[0], list(graph.vertices)
    for wanted in None, np.arange(n) % 3 + 0.5:
        given = None if wanted is None else wanted[own]
        ended = graph.pagerank(0.9, 1e-9, 300, given)
        expected = ranks(case, weights, wanted)[own]
        assert np.allclose(ended.ranks, expected, 0, 1e-7), abs(ended.ranks - expected).max()
        assert n == 0 or ended.n_iterations < 300 and ended.change < 1e-9 * n
    short = graph.pagerank(0.9, 0, 2, None, np.float32)
    assert short.ranks.dtype == np.float32 and (n == 0 or short.n_iterations == 2)


def ranks(case, weights, wanted):
    n, sources, targets, _, directed = case
    if n == 0:
        return np.empty(0)
    matrix = np.zeros((n, n))
    np.add.at(matrix, (sources, targets), weights)
    if not directed:
        matrix = matrix + matrix.T - np.diag(np.diag(matrix))
    out = matrix.sum(1)
    wanted = np.full(n, 1 / n) if wanted is None else wanted / wanted.sum()
    matrix[out == 0] = wanted
    matrix /= matrix.sum(1)[:, None]
    x = np.full(n, 1 / n)
    for _ in range(400):
        x = 0.9 * x @ matrix + 0.1 * wanted
    return x


def joined(case, order):
    """Labels of components, and which edges join two when they come in this order."""
    n, sources, targets = case[:3]
    label, joins = list(range(n)), np.zeros(sources.size, bool)
    for i in order:
        u, v = label[sources[i]], label[targets[i]]
        if u != v:
            joins[i] = True
            label = [min(u, v) if one in (u, v) else one for one in label]
    return label, joins


def check_components(graph, case):
    label = joined(case, range(case[1].size))[0]
    n_components, labels = graph.components()
    assert n_components == len(set(label)) and (labels == [label[v] for v in graph.vertices]).all()


def check_forest(node, graph, case, weights):
    """It is that of Kruskal's algorithm, by node and as edges were given."""
    n_edges = case[1].size
    order = np.concatenate([np.arange(n_edges)[k::n_processes(node)] for k in range(n_processes(node))])
    is_in = joined(case, order[np.argsort(weights[order], kind="stable")])[1]
    assert (graph.spanning_forest() == is_in[mine(node, n_edges)]).all()


def check_betweenness(graph, rows):
    """It is what paths from each source come to, by the lengths and numbers of paths between all vertices."""
    n, own = len(rows), list(graph.vertices)
    lengths, paths = np.full((n, n), np.inf), np.zeros((n, n))
    for source in range(n):
        lengths[source, source], paths[source, source], front = 0, 1, {source}
        while front:
            found = set()
            for v, u in [(v, u) for v in front for u in {u for u, _ in rows[v]}]:
                if lengths[source, u] > lengths[source, v]:
                    lengths[source, u] = lengths[source, v] + 1
                    paths[source, u] += paths[source, v]
                    found.add(u)
            front = found
    few = [([n // 2], False, True), ([n // 3, 0, n - 1], False, False)] if n > 20 else []
    for sources, endpoints, normalized in (None, False, True), (None, True, False), *few:
        sums = np.zeros(n)
        for s in range(n) if sources is None else sources:
            is_end = np.isfinite(lengths[s])
            is_over = (lengths[s][:, None] + lengths == lengths[s]) & is_end
            parts = np.where(is_over, paths[s][:, None] * paths / np.maximum(paths[s], 1), 0)
            np.fill_diagonal(parts, endpoints * is_end)
            parts[s] = endpoints * is_end
            parts[s, s] = 0
            sums += parts.sum(1)
        n_ends = n if endpoints else n - 1
        n_sources = np.full(n, n_ends if sources is None else len(sources), float)
        if sources is not None and not endpoints:
            n_sources[sources] -= 1
        n_sources[n_sources == 0] = np.nan
        scale = 1 if n_ends < 2 else 1 / n_sources / (n_ends - 1) if normalized else \
            n_ends / n_sources / (1 if graph.directed else 2)
        found = graph.betweenness(sources, normalized=normalized, endpoints=endpoints)
        assert np.allclose(found, (sums * scale)[own], 1e-9, 1e-12, equal_nan=True)


def check_triangles(graph, rows):
    if graph.directed:
        refuse(gravel.ArgumentError, "gravel_graph_triangles: the graph is directed", graph.triangles)
        return
    matrix = np.zeros((len(rows), len(rows)), int)
    for v, row in enumerate(rows):
        matrix[v, [u for u, _ in row if u != v]] = 1
    due = ((matrix @ matrix) * matrix).sum(1) // 2
    total, triangles = graph.triangles()
    assert total == due.sum() // 3 and (triangles == due[list(graph.vertices)]).all()


def check_colors(graph, case):
    n, sources, targets, _, directed = case
    if directed:
        return refuse(gravel.ArgumentError, "gravel_graph_color: the graph is directed", graph.color)
    degrees = np.bincount(sources, minlength=n) + np.bincount(targets, minlength=n)
    rows, wanted = rows_of(case, sources), {}
    for v in sorted(range(n), key=lambda v: -degrees[v]):
        taken = {wanted.get(u) for u, _ in rows[v]}
        wanted[v] = next(color for color in itertools.count() if color not in taken)
    n_colors, colors = graph.color()
    assert n_colors == max(wanted.values(), default=-1) + 1 and (colors == [wanted[v] for v in graph.vertices]).all()


def check_cores(graph, case):
    n, sources, targets, _, directed = case
    if directed or (sources == targets).any():
        return refuse(gravel.Error, "gravel_graph_core_numbers", graph.core_numbers)
    left, rows, wanted = np.bincount(sources, minlength=n) + np.bincount(targets, minlength=n), rows_of(case, sources), {}
    while len(wanted) < n:
        v = min((v for v in range(n) if v not in wanted), key=lambda v: left[v])
        wanted[v] = max(left[v], max(wanted.values(), default=0))
        for u, _ in rows[v]:
            left[u] -= 1
    assert (graph.core_numbers() == [wanted[v] for v in graph.vertices]).all()


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

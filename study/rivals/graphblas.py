# SPDX-License-Identifier: MIT
"""SuiteSparse:GraphBLAS by python-graphblas, on all cores, the loops in the form of LAGraph.

PageRank: Szarnyas et al., LAGraph: Linear Algebra, Network Analysis Libraries, and the Study of Graph Algorithms, 2021. Shortest
paths: Bellman and Ford's, from the vertices alone that came nearer in the round before. Equal edges are one entry: of their
number, or of the least weight.
"""

NAME, PACKAGE = "GraphBLAS", "python-graphblas"


def library():
    import graphblas
    if not hasattr(graphblas, "Matrix"):
        graphblas.init("suitesparse", blocking=True)
    return graphblas


def version():
    return ".".join(str(part) for part in library().ss.about["library_version"])


def threads(_problem):
    return library().ss.config["nthreads"]


def pagerank(given, options):
    import numpy
    gb, n = library(), given.n_vertices
    rows = given.sources()
    ones = numpy.ones(len(rows), numpy.float32)
    turned = gb.Matrix.from_coo(given.neighbours, rows, ones, nrows=n, ncols=n, dup_op=gb.binary.plus)
    degrees = given.degrees()
    has_edges = numpy.flatnonzero(degrees)
    part = gb.Vector.from_coo(has_edges, (0.85 / degrees[has_edges]).astype(numpy.float32), size=n)
    idle = numpy.flatnonzero(degrees == 0)
    sinks = gb.Vector.from_coo(idle, numpy.ones(len(idle), numpy.float32), size=n)
    ranks, sums, shares = (gb.Vector(gb.dtypes.FP32, size=n) for _ in range(3))
    add = gb.semiring.plus_times if turned.reduce_scalar(gb.monoid.max).get(1) > 1 else gb.semiring.plus_second

    def run():
        ranks[:] << 1 / n
        for _ in range(options.iterations):
            lost = ranks.ewise_mult(sinks, gb.binary.times).reduce(gb.monoid.plus).get(0) if len(idle) else 0
            shares << ranks.ewise_mult(part, gb.binary.times)
            sums << turned.mxv(shares, add)
            ranks[:] << (0.15 + 0.85 * lost) / n
            ranks(gb.binary.plus) << sums

    return run, lambda _: ranks.to_dense(fill_value=0)


def bfs(given, _options):
    import numpy
    gb, n = library(), given.n_vertices
    edges = gb.Matrix.from_coo(given.sources(), given.neighbours, True, nrows=n, ncols=n)
    levels = gb.Vector(gb.dtypes.INT32, size=n)

    def run():
        levels.clear()
        front, level = gb.Vector.from_coo([given.source], [True], size=n), 0
        while front.nvals:
            levels(front.S)[:] << level
            front(~levels.S, replace=True) << front.vxm(edges, gb.semiring.any_pair)
            level += 1

    def found(_):
        whole = levels.to_dense(fill_value=-1)
        return numpy.where(whole >= 0, whole.astype(numpy.float64), numpy.inf)

    return run, found


def sssp(given, _options):
    import numpy
    gb, n = library(), given.n_vertices
    weights = gb.Matrix.from_coo(given.sources(), given.neighbours, given.weights.astype(numpy.int64), nrows=n, ncols=n,
                                 dup_op=gb.binary.min)
    far = numpy.iinfo(numpy.int64).max
    distances, offers = gb.Vector(gb.dtypes.INT64, size=n), gb.Vector(gb.dtypes.INT64, size=n)

    def run():
        distances[:] << far
        distances[given.source] << 0
        nearer = gb.Vector.from_coo([given.source], [0], dtype=gb.dtypes.INT64, size=n)
        while nearer.nvals:
            offers << nearer.vxm(weights, gb.semiring.min_plus)
            is_less = offers.ewise_mult(distances, gb.binary.lt).new()
            nearer(is_less.V, replace=True) << offers
            distances(nearer.S) << nearer

    def found(_):
        whole = distances.to_dense(fill_value=far)
        return numpy.where(whole < far, whole.astype(numpy.float64), numpy.inf)

    return run, found

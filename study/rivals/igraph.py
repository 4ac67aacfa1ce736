# SPDX-License-Identifier: MIT
"""igraph on one core: searches; greedy colouring, where next is the vertex with the most coloured neighbours."""

NAME, PACKAGE = "igraph", "igraph"


def threads(_problem):
    return 1


def color(given, _options):
    import igraph
    import numpy
    rows = given.sources()
    once = rows < given.neighbours  # the other way round it is there too
    graph = igraph.Graph(n=given.n_vertices, edges=numpy.stack([rows[once], given.neighbours[once]], axis=1))
    return graph.vertex_coloring_greedy, lambda colors: numpy.array(colors, numpy.int64)


def bfs(given, _options, weights=None):
    import igraph
    import numpy
    graph = igraph.Graph(n=given.n_vertices, edges=numpy.stack([given.sources(), given.neighbours], axis=1), directed=True)
    return lambda: graph.distances(given.source, weights=weights), lambda found: numpy.array(found[0], numpy.float64)


def sssp(given, options):
    return bfs(given, options, given.weights.tolist())

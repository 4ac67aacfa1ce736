# SPDX-License-Identifier: MIT
"""NetworkX's searches, in Python on one core."""

NAME, PACKAGE = "NetworkX", "networkx"


def threads(_problem):
    return 1


def search(given, name, weights):
    """By NetworkX's function of this name."""
    import networkx
    import numpy
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(given.n_vertices))
    graph.add_weighted_edges_from(zip(given.sources().tolist(), given.neighbours.tolist(), weights.tolist()))

    def distances(found):
        reals = numpy.full(given.n_vertices, numpy.inf)
        reals[list(found)] = list(found.values())
        return reals

    return lambda: getattr(networkx, name)(graph, given.source), distances


def bfs(given, _options):
    return search(given, "single_source_shortest_path_length", given.neighbours)


def sssp(given, _options):
    return search(given, "single_source_dijkstra_path_length", given.weights)

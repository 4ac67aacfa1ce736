# SPDX-License-Identifier: MIT
"""NetworKit: PageRank on all cores, in doubles; breadth-first search and Dijkstra's algorithm on one."""

NAME, PACKAGE = "NetworKit", "networkit"


def threads(problem):
    import networkit
    return networkit.getMaxNumberOfThreads() if problem == "pagerank" else 1


def graph_of(given, is_weighted):
    import networkit
    import numpy
    ends = given.sources().astype(numpy.uint64), given.neighbours.astype(numpy.uint64)
    data = (given.weights.astype(numpy.float64), ends) if is_weighted else ends
    return networkit.GraphFromCoo(data, n=given.n_vertices, weighted=is_weighted, directed=True)


def pagerank(given, options):
    import networkit
    import numpy
    graph = graph_of(given, False)

    def run():
        search = networkit.centrality.PageRank(
            graph, damp=0.85, tol=0, distributeSinks=networkit.centrality.SinkHandling.DistributeSinks)
        search.maxIterations = options.iterations
        search.run()
        return search

    return run, lambda search: numpy.array(search.scores())


def bfs(given, _options):
    return search_by("BFS", given, False)


def sssp(given, _options):
    return search_by("Dijkstra", given, True)


def search_by(name, given, is_weighted):
    import networkit
    import numpy
    graph = graph_of(given, is_weighted)

    def run():
        search = getattr(networkit.distance, name)(graph, given.source, storePaths=False)
        search.run()
        return search

    def distances(search):
        reals = numpy.array(search.getDistances())
        return numpy.where(reals < numpy.finfo(numpy.float64).max, reals, numpy.inf)

    return run, distances

# SPDX-License-Identifier: MIT
"""scikit-learn's k-means: Lloyd's algorithm from the application's first centres, in 32-bit floats, on all cores.

The time is that of fit: with the look at the data that comes before the rounds, and, if the rounds end before nothing moves,
one more search of the nearest centres. Its means are not rounded to the application's whole numbers.
"""

NAME, PACKAGE = "scikit-learn", "scikit-learn"


def threads(_problem):
    import os
    return int(os.environ.get("OMP_NUM_THREADS", 0)) or len(os.sched_getaffinity(0))


def kmeans(given, options):
    import numpy
    from sklearn.cluster import KMeans
    points = given.points.astype(numpy.float32)
    first = points[:given.n_clusters].copy()
    model = KMeans(n_clusters=given.n_clusters, init=first, n_init=1, max_iter=options.iterations, tol=0,
                   algorithm="lloyd", copy_x=False)
    return lambda: model.fit(points), lambda _: (int(model.n_iter_), model.cluster_centers_)

# SPDX-License-Identifier: MIT
"""NetworkX's own tests of the functions that the backend has, run by the backend, and by NetworkX's functions where it
refuses. Each function has to have run.

usage: python -m networkx_tests    where networkx is installed, with NETWORKX_TEST_BACKEND and NETWORKX_FALLBACK_TO_NX
exit:  0; 1 if a test fails, or a function did not run

Path: networkx.sh -> this -> NetworkX's tests -> python/gravel/networkx.py
"""
import collections
import functools
import sys

import pytest

import _gravel_networkx
import gravel.networkx

TESTS = ["networkx/algorithms/%s.py" % name for name in (
    "centrality/tests/test_betweenness_centrality", "coloring/tests/test_coloring", "components/tests/test_connected",
    "components/tests/test_weakly_connected", "link_analysis/tests/test_pagerank",
    "shortest_paths/tests/test_generic", "shortest_paths/tests/test_unweighted", "shortest_paths/tests/test_weighted",
    "tests/test_cluster", "tests/test_core", "tree/tests/test_mst")]


class Watch:
    """Counts calls, of those that NetworkX's functions make too."""

    def __init__(self):
        self.n_calls = collections.Counter()
        for name in _gravel_networkx.FUNCTIONS:
            setattr(gravel.networkx, name, self.counted(name, getattr(gravel.networkx, name)))

    def counted(self, name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            self.n_calls[name] += 1
            return function(*args, **kwargs)
        return call


def main():
    watch = Watch()
    status = pytest.main(["-q", "--tb=short", "-p", "no:cacheprovider", *TESTS], plugins=[watch])
    for name in _gravel_networkx.FUNCTIONS:
        print("%6d calls of %s" % (watch.n_calls[name], name))
    not_run = [name for name in _gravel_networkx.FUNCTIONS if not watch.n_calls[name]]
    return bool(status or not_run)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Where tests of the package run: as one node and as loop-back nodes, or, where mpirun starts pytest, as a rank of a job.

Path: pytest -> this -> test_*.py
"""
import os
import re

import pytest

import gravel

IS_RANK = "TEST_RANK" in os.environ
ALONE = {"transport": "self", "heap_bytes": "1M"}


@pytest.fixture(scope="module", params=["rank"] if IS_RANK else [1, 4])
def place(request):
    """The settings of nodes that open there."""
    return {} if IS_RANK else {"transport": "self", "loopback_nodes": request.param}


@pytest.fixture(scope="module")
def node(place, request):
    """An open node, which the tests of a module share."""
    with gravel.open(**place, **request.module.SETTINGS) as opened:
        yield opened


@pytest.fixture(autouse=True)
def meet(request):
    """No test begins before the one before it has ended at all nodes."""
    yield
    if "node" in request.fixturenames:
        request.getfixturevalue("node").barrier()


def pytest_collection_modifyitems(items):
    """A rank has no tests that open a node of their own."""
    items[:] = [item for item in items if not IS_RANK or "place" in item.fixturenames]


def refuse(error, text, *calls):
    """Each call raises it, with a text of this pattern."""
    for call in calls:
        with pytest.raises(error) as raised:
            call()
        assert re.search(text, str(raised.value), re.S), "%r lacks %s" % (raised.value, text)

# SPDX-License-Identifier: MIT
"""The backend's results are NetworkX's own, in their order and of their types, for graphs of each kind; conversions are
kept and forgotten as NetworkX does; and what the backend refuses NetworkX computes.

Path: networkx.sh -> pytest -> this -> python/gravel/networkx.py
"""
import copy
import functools
import gc
import itertools
import math
import os
import pickle
import random

import networkx as nx
import pytest

import _gravel_networkx
import gravel
import gravel.networkx as backend

N = 60
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
WEIGHTS = {"none": lambda draw: {}, "ones": lambda draw: {"weight": 1}, "few": lambda draw: {"weight": draw.randint(1, 3)},
           "some": lambda draw: {"weight": draw.randint(1, 5)} if draw.random() < 0.5 else {},
           "long": lambda draw: {"weight": draw.randint(1, 1 << 40)}, "real": lambda draw: {"weight": draw.random() + 0.01},
           "tenths": lambda draw: {"weight": draw.randint(1, 5) / 10}}


def random_graph(kind, weight, n_edges, seed=1):
    """With nodes that are texts, tuples and numbers, shuffled, loops, and parts that are not connected."""
    draw, graph = random.Random(seed), kind(name="a graph")
    nodes = ["n%d" % i if i % 3 == 0 else (i, -i) if i % 3 == 1 else i for i in range(N)]
    draw.shuffle(nodes)
    graph.add_nodes_from(nodes, colour="red")
    for _ in range(n_edges):
        graph.add_edge(draw.choice(nodes[:N // 2]), draw.choice(nodes[:N // 2]), **WEIGHTS[weight](draw))
        graph.add_edge(draw.choice(nodes[N // 2:]), draw.choice(nodes[N // 2:]), **WEIGHTS[weight](draw))
    return graph


@pytest.fixture(params=itertools.product(KINDS, WEIGHTS), ids=lambda case: "%s, %s" % (case[0].__name__, case[1]))
def graph(request):
    kind, weight = request.param
    return random_graph(kind, weight, 20 if (KINDS.index(kind) + list(WEIGHTS).index(weight)) % 2 else 100)


@pytest.fixture(params=itertools.product(KINDS, (20, 100)), ids=lambda case: "%s, %d" % (case[0].__name__, case[1]))
def without_weights(request):
    return random_graph(request.param[0], "none", request.param[1])


def answer_or_error(function, *args, **named):
    """What it answers, a list of what it yields, or what it raises."""
    try:
        answer = function(*args, **named)
        return list(answer) if hasattr(answer, "__next__") else answer
    except (nx.NetworkXException, ValueError, TypeError, ZeroDivisionError) as error:
        return type(error), str(error)


def both(function, *args, **named):
    """What NetworkX and the backend answer, or raise."""
    return tuple(answer_or_error(function, *args, backend=name, **named) for name in ("networkx", "gravel"))


def same(function, *args, **kwargs):
    """Both answer the same, in the same order, and of the same types."""
    wanted, found = both(function, *args, **kwargs)
    if isinstance(wanted, dict):
        wanted, found = list(wanted.items()), list(found.items())
    assert found == wanted
    assert repr(found) == repr(wanted) or isinstance(wanted[0], set)


def test_searches(without_weights):
    graph, nodes = without_weights, list(without_weights)
    for source in nodes[0], nodes[-1], "nowhere", []:
        for cutoff in None, 0, 1, 1.5, 3, -1:
            same(nx.single_source_shortest_path_length, graph, source, cutoff)
        same(nx.shortest_path_length, graph, source)
        for target in nodes[0], nodes[5], nodes[-2], "nowhere":
            same(nx.shortest_path_length, graph, source, target)


def test_distances(graph):
    nodes = list(graph)
    for source in nodes[0], nodes[-1], "nowhere":
        for cutoff in None, 0, 1, 2.5, 1 << 40:
            same(nx.single_source_dijkstra_path_length, graph, source, cutoff)
        same(nx.single_source_dijkstra_path_length, graph, source, weight=None)
        same(nx.single_source_dijkstra_path_length, graph, source, weight="no such")
        same(nx.shortest_path_length, graph, source, weight="weight")
        for target in nodes[0], nodes[5], nodes[-2], "nowhere":
            same(nx.dijkstra_path_length, graph, source, target)
            same(nx.shortest_path_length, graph, source, target, weight="weight")


def test_pagerank(graph):
    nodes = list(graph)
    for named in ({}, {"alpha": 0.5}, {"weight": None}, {"tol": 1e-10, "max_iter": 500}, {"alpha": 0, "max_iter": 2},
                  {"personalization": {nodes[0]: 2, nodes[9]: 0.5, "nowhere": 7}}, {"personalization": {nodes[0]: 0}},
                  {"max_iter": 1}, {"max_iter": 0}):
        wanted, found = both(nx.pagerank, graph, **named)
        if isinstance(wanted, dict):
            assert list(wanted) == list(found) and {type(rank) for rank in found.values()} == {float}
            assert max(abs(wanted[v] - found[v]) for v in wanted) < 1e-12
        else:
            assert found == wanted


def test_edges_of_no_weight():
    """Nodes that have no others are dangling, and paths along them have an order if they decide none."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 0), (1, 2, 3), (2, 0, 1), (2, 3, 0), (3, 0, 0), (3, 4, 0)])
    wanted, found = both(nx.pagerank, graph)
    assert max(abs(wanted[v] - found[v]) for v in wanted) < 1e-12
    same(nx.dijkstra_path_length, graph, 1, 4)
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend="gravel")


def test_components(without_weights):
    graph = without_weights
    of = "weakly_connected" if graph.is_directed() else "connected"
    for one in graph, graph.subgraph(list(graph)[:N // 2]), graph.__class__():
        same(getattr(nx, of + "_components"), one)
        same(getattr(nx, "number_%s_components" % of), one)
        same(getattr(nx, "is_" + of), one)


def test_betweenness(without_weights):
    """Of k nodes those that NetworkX chooses, whatever the seed is, and it is left as NetworkX leaves it."""
    graph = without_weights
    seeds = itertools.cycle((5, None, random.Random(7)))  # four cases of each k, so each seed comes with it
    for (k, ends, is_part), seed in zip(itertools.product((None, 0, 1, 7, N, N + 1), (False, True), (False, True)), seeds):
        answers = []
        for name in "networkx", "gravel":
            random.seed(3)
            own = copy.deepcopy(seed)
            answer = answer_or_error(nx.betweenness_centrality, graph, k, normalized=is_part, endpoints=ends, seed=own,
                                     backend=name)
            answers.append((answer, random.random(), seed == 5 or (own or random).random()))
        (wanted, *drawn), (found, *drawn_by_backend) = answers
        assert drawn_by_backend == drawn
        if isinstance(wanted, dict):
            assert list(found) == list(wanted) and {type(number) for number in found.values()} == {float}
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-15, nan_ok=True)
        else:
            assert found == wanted
    same(nx.betweenness_centrality, graph.__class__())
    for n in 1, 2:
        for k, ends in itertools.product((None, 0, 1), (False, True)):
            same(nx.betweenness_centrality, nx.path_graph(n, create_using=graph.__class__), k, endpoints=ends, seed=1)


def test_triangles(without_weights):
    graph, nodes = without_weights, list(without_weights)
    few = nodes[::3]
    if not graph.is_directed():
        for one in graph, graph.__class__(), graph.subgraph(nodes[:20]):
            same(nx.triangles, one)
        for picked in () if graph.is_multigraph() else (few, set(few), nodes[4], few + few, []):
            same(nx.triangles, graph, picked)
    if graph.is_directed() or graph.is_multigraph():
        for call in nx.transitivity, nx.clustering, nx.average_clustering:
            with pytest.raises(NotImplementedError):
                call(graph, backend="gravel")
        return
    for one in graph, graph.__class__(), nx.star_graph(5):
        same(nx.transitivity, one)
        same(nx.clustering, one)
        for count_zeros in True, False:
            same(nx.average_clustering, one, count_zeros=count_zeros)
    for picked in few, tuple(few), dict.fromkeys(few), nodes[1], []:
        same(nx.clustering, graph, picked)
    for count_zeros in True, False:
        same(nx.average_clustering, graph, few, count_zeros=count_zeros)
    for refused in (lambda: nx.clustering(graph, few + ["nowhere"], backend="gravel"),
                    lambda: nx.clustering(graph, iter(few), backend="gravel"),
                    lambda: nx.triangles(graph, "nowhere", backend="gravel"),
                    lambda: nx.average_clustering(graph, nodes[1], backend="gravel"),
                    lambda: nx.clustering(graph, weight="weight", backend="gravel"),
                    lambda: nx.betweenness_centrality(graph, weight="weight", backend="gravel")):
        with pytest.raises(NotImplementedError):
            refused()


def test_trees(graph):
    if graph.is_directed():
        with pytest.raises(NotImplementedError):
            nx.minimum_spanning_tree(graph, backend="gravel")
        return
    for u, v, data in list(graph.edges(data=True))[::7]:
        data["weight"] = -data.get("weight", 1)
    for edges, tree in ((nx.minimum_spanning_edges, nx.minimum_spanning_tree),
                        (nx.maximum_spanning_edges, nx.maximum_spanning_tree)):
        for keys, data, weight in itertools.product((True, False), (True, False), ("weight", None)):
            same(edges, graph, keys=keys, data=data, weight=weight)
        wanted, found = both(tree, graph)
        assert type(found) is type(wanted) and found.graph == wanted.graph
        assert list(found.nodes.items()) == list(wanted.nodes.items())
        assert list(found.edges(data=True)) == list(wanted.edges(data=True))


def test_colours_and_cores(without_weights):
    graph = without_weights
    if graph.is_directed():
        for call in (nx.greedy_color, nx.core_number)[:1 if graph.is_multigraph() else 2]:
            with pytest.raises(NotImplementedError):
                call(graph, backend="gravel")
        return
    for one in graph, graph.subgraph(list(graph)[:N // 2]), graph.__class__():
        for strategy in "largest_first", nx.coloring.strategy_largest_first:
            same(nx.greedy_color, one, strategy)
        same(nx.core_number, one)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    same(nx.core_number, graph)


def test_refused(monkeypatch):
    """Each has a result that the backend would not give: it is refused, and NetworkX computes it."""
    graph = random_graph(nx.Graph, "few", 50)
    first = list(graph)[0]
    bad = [random_graph(nx.Graph, "few", 50) for _ in range(7)]
    for one, weight in zip(bad, (-1, None, math.inf, math.nan, 1 << 60, "far", 0)):
        one.add_edge(*list(one)[:2], weight=weight)
        one.add_edge(list(one)[1], "next", weight=weight)
    for call in (*(lambda one=one: nx.single_source_dijkstra_path_length(one, list(one)[0], backend="gravel") for one in bad),
                 *(lambda one=one: nx.pagerank(one, backend="gravel") for one in bad[:-1]),
                 lambda: nx.pagerank(graph, nstart={first: 1}, backend="gravel"),
                 lambda: nx.pagerank(graph, dangling={first: 1}, backend="gravel"),
                 lambda: nx.pagerank(graph, alpha=1.5, backend="gravel"),
                 lambda: nx.pagerank(graph, personalization={first: 3, list(graph)[1]: -1}, backend="gravel"),
                 lambda: nx.minimum_spanning_edges(graph, algorithm="prim", backend="gravel"),
                 lambda: nx.shortest_path_length(graph, first, weight="weight", method="bellman-ford", backend="gravel"),
                 lambda: nx.shortest_path_length(graph, backend="gravel"),
                 lambda: nx.greedy_color(graph, "smallest_last", backend="gravel"),
                 lambda: nx.greedy_color(graph, interchange=True, backend="gravel"),
                 lambda: nx.dijkstra_path_length(graph, first, 1, weight=lambda u, v, data: 1, backend="gravel")):
        with pytest.raises(NotImplementedError):
            call()
    monkeypatch.setattr(backend, "_FEW_EDGES", 0)
    for one in bad:
        with nx.config.backend_priority(algos=["gravel"]):
            found = answer_or_error(nx.single_source_dijkstra_path_length, one, list(one)[0])
        assert repr(found) == repr(answer_or_error(nx.single_source_dijkstra_path_length, one, list(one)[0],
                                                   backend="networkx"))


def test_kept(monkeypatch):
    """A graph is converted once, until it changes; and what the device has of it goes with it."""
    n_made = []
    monkeypatch.setattr(backend, "convert_from_nx", watched(n_made, "", backend.convert_from_nx))
    graph = random_graph(nx.Graph, "few", 50)
    for _ in range(3):
        nx.pagerank(graph, backend="gravel")
        nx.number_connected_components(graph, backend="gravel")
    assert len(n_made) == 1
    before = nx.number_connected_components(graph, backend="gravel")
    graph.add_edge(list(graph)[0], list(graph)[-1], weight=1)
    graph.add_edge("new", "newer")
    assert nx.number_connected_components(graph, backend="gravel") == before
    assert len(n_made) == 2
    kept = [made for one in graph.__networkx_cache__["backends"]["gravel"].values() for made in one._graphs.values()]
    other = random_graph(nx.Graph, "few", 50)
    del graph
    gc.collect()
    nx.pagerank(other, backend="gravel")
    assert kept and not set(kept) & set(backend.State.node._parts)
    for copied in pickle.loads(pickle.dumps(other)), copy.deepcopy(other):
        assert nx.pagerank(copied, backend="gravel") == nx.pagerank(other, backend="gravel")
    n_made.clear()
    with nx.config(cache_converted_graphs=False):
        nx.is_connected(other, backend="gravel")
    assert len(n_made) == 1


def test_goes_back():
    for kind in KINDS:
        graph = random_graph(kind, "few", 50)
        for named in {"preserve_edge_attrs": True, "preserve_node_attrs": True, "preserve_graph_attrs": True}, \
                {"edge_attrs": {"weight": 1}}:
            back = backend.convert_to_nx(backend.convert_from_nx(graph, **named))
            assert type(back) is kind and sorted(map(repr, back.edges(data=True))) == sorted(map(repr, graph.edges(data=True)))
            assert list(back) == list(graph)
        converted = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
        assert nx.pagerank(converted) == nx.pagerank(graph, backend="gravel")
        assert len(converted) == N and list(graph)[0] in converted and "nowhere" not in converted


def test_chosen_by_priority(monkeypatch):
    """Large graphs go to the backend, small ones and such as NetworkX is faster for do not."""
    called = []
    for name in "is_connected", "shortest_path_length", "betweenness_centrality":
        monkeypatch.setattr(backend, name, watched(called, name, getattr(backend, name)))
    small, large = random_graph(nx.Graph, "few", 50), nx.star_graph(500)
    monkeypatch.setattr(backend, "_FEW_EDGES", 500)
    with nx.config.backend_priority(algos=["gravel"]):
        assert not nx.is_connected(small) and not called
        assert nx.is_connected(large) and called == ["is_connected"]
        assert nx.shortest_path_length(large, 1, 2) == 2 and called == ["is_connected"]
        nx.betweenness_centrality(small, k=2)
        assert "betweenness_centrality" not in called
        nx.betweenness_centrality(small)  # each node is a source
        assert called[-1] == "betweenness_centrality"


def watched(called, name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        called.append(name)
        return function(*args, **kwargs)
    return call


def test_after_a_failure():
    """The node is another one after it was given up, as by Ctrl-C."""
    graph = random_graph(nx.Graph, "few", 50)
    wanted = nx.pagerank(graph, backend="gravel")
    node = backend.State.node
    node.abort("by this test")
    assert nx.pagerank(graph, backend="gravel") == wanted and backend.State.node is not node


def test_after_fork():
    graph = random_graph(nx.Graph, "few", 50)
    nx.is_connected(graph, backend="gravel")
    child = os.fork()
    if child == 0:
        try:
            nx.is_connected(graph, backend="gravel")
        except NotImplementedError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_what_it_has():
    """What the module of facts says is what there is, and nothing else has the name of a function of it."""
    named = {name for name in dir(backend) if name in nx.utils.backends._registered_algorithms}
    assert named == set(_gravel_networkx.FUNCTIONS)
    assert set(nx.utils.backends.backend_info["gravel"]["functions"]) == named
    assert "gravel" in nx.pagerank.__doc__ and "double precision" in nx.pagerank.__doc__
    assert isinstance(gravel.__version__, str)

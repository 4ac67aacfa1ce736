# SPDX-License-Identifier: MIT
"""How long do graphs take?"""
import itertools

from study import runs
from study.page import cell, in_ranks

NAME = "graphs"
TITLE = "How long do graphs take?"
ABOUT = """One call of [the library of graphs](../guide/graphs.md), from the caller's arrays to the caller's arrays, on
Kronecker graphs of 2^20 and 2^22 vertices (two cores: 2^18) with 16 edges each, both ways, and on a mesh of 258,569.
PageRank makes 20 iterations in single precision. A serial result proves each. *Gunrock* is its main of 2026-01-22 on one H200
with the best of its options, measured on 2026-11-28; its build is not in this tree."""
KEYS = ("what", "input")
APPS = {"bfs": "", "sssp": "", "pagerank": "-i 20", "mst": "", "color": ""}
MESH = "--mesh 258569"
INPUTS = ("-g 9", "--mesh 2000"), ("-g 16", "-g 18", MESH), ("-g 20", "-g 22", MESH)  # quick; on a CPU; on GPUs
SHOWN = "kronecker-20", "kronecker-22", "mesh"
LIMIT_S = 300
GUNROCK_ON = "two H200s"
GUNROCK = {"bfs": 5.44, "sssp": 40.4, "pagerank": 54.2, "mst": 144.0}  # [ms] kronecker-22
NAMES = {"bfs": "breadth-first search", "sssp": "shortest paths", "pagerank": "PageRank, 20 iterations", "mst": "spanning forest",
         "color": "colouring"}
README = tuple(NAMES.values())


def measure(place):
    def run(what, graph, n_ranks):
        words = "%s %s -n %d" % (APPS[what], graph, 1 if place.quick else 5)
        return {"what": what, "input": graph.replace("-g ", "kronecker-") if graph[1] == "g" else "mesh",
                **runs.app(place, what, words, n_ranks, limit_s=LIMIT_S)}

    return place.each(itertools.product(APPS, runs.sized(place, *INPUTS), place.ranks), lambda one: [run(*one)])


def milliseconds(rows, **fields):
    row = runs.one(rows, **fields)
    return 1000 * row["seconds"] if row else None


def largest(rows):
    return max((row["input"] for row in rows if row["input"] != "mesh"), default=None)


def sentence(rows):
    graph = largest(rows)
    said = ["%s %.1f" % (what, found) for what in APPS for found in [milliseconds(rows, what=what, input=graph, ranks=1)] if found]
    return "%s on one device takes, in ms: %s." % (graph, ", ".join(said)) if said else None


def rates(rows):
    for what, name in NAMES.items():
        found = milliseconds(rows, what=what, input="kronecker-22", ranks=1)
        if found:
            yield name + ", kronecker-22", cell(found) + " ms"


def pays(rows):
    for what, name in NAMES.items():
        for graph in "kronecker-22", "mesh":
            one, two = (milliseconds(rows, what=what, input=graph, ranks=n) for n in (1, 2))
            if one and two:
                yield "%s, %s" % (name, graph), one / two


def table(rows):
    at, of = [(name, n) for name in runs.values(rows, "input") if name in SHOWN for n in runs.values(rows, "ranks")], gunrock(rows)
    heads = [""] + ["%s on %d, ms" % each for each in at] + ["Gunrock, kronecker-22 on 1"] * bool(of)
    return heads, [[what] + [milliseconds(rows, what=what, input=name, ranks=n) for name, n in at] + [of.get(what)] * bool(of)
                   for what in APPS]


def gunrock(rows):
    return GUNROCK if rows and rows[0]["machine"] == GUNROCK_ON else {}


def front(rows):
    for what, theirs in gunrock(rows).items():
        own = milliseconds(rows, what=what, input="kronecker-22", ranks=1)
        if own:
            yield NAMES[what] + ", kronecker-22, one GPU", cell(own) + " ms", "Gunrock", cell(theirs) + " ms", theirs / own


def draw(machines, draw):
    """Of each machine the larger graph."""
    series = {"%s, %s, %s" % (name, graph, in_ranks(n)): [milliseconds(rows, what=what, input=graph, ranks=n) for what in APPS]
              for name, rows in machines.items() for graph in [largest(rows)] for n in runs.values(rows, "ranks")}
    return draw.bars(list(APPS), series, "milliseconds", log_y=True)

# SPDX-License-Identifier: MIT
"""Against programs that people use?"""
import itertools
import math
import re

from study import rounds, runs
from study.page import cell, per_second
from study.place import Failed
from study.workloads import reads

NAME = "programs"
TITLE = "Against programs that people use?"
ABOUT = """Programs of PyPI (GraphBLAS: python-graphblas) and Debian (jellyfish), on the same input, with results that
agree. Computing alone is timed, except for jellyfish, which reads while it counts. Next to GPUs the rivals have all
cores; NetworKit's searches, igraph and NetworkX take one. *cuSPARSE* is PyTorch's PageRank on as many GPUs as Gravel
has, 20 iterations, with NCCL; *by degree*, with its vertices in order of degree."""
KEYS = ("what", "system")
GRAVEL, TORCH = "gravel", "torch"
NAMES = {"pagerank": "PageRank", "bfs": "breadth-first search", "sssp": "shortest paths", "color": "colouring", "kmeans": "k-means",
         "mer": "k-mers"}
README = "PageRank",
ON_GPUS = {"cuSPARSE": "", "cuSPARSE by degree": " --by-degree"}  # of study/rival pagerank torch
NEAR = 1e-3


class App:
    """options and sizes (quick, on a CPU, on a GPU) of an application; what all systems must agree in, and nearly agree in."""

    def __init__(self, name, options, sizes, equal=(), near=()):
        self.name, self.options, self.sizes, self.equal, self.near = name, options, sizes, equal, near

    def options_on(self, place):
        size = runs.sized(place, *self.sizes)
        return self.options % (reads(place.out, size) if self.name == "mer" else size)


APPS = (App("pagerank", "-i 10 -g %d", (8, 18, 20), equal=("vertices", "edges", "iterations")),
        App("bfs", "-g %d", (8, 16, 18), equal=("source", "reached_vertices", "reached_edges")),
        App("sssp", "-g %d", (8, 16, 18), equal=("source", "reached_vertices", "reached_edges")),
        App("color", "-g %d", (8, 16, 18), equal=("vertices", "edges")),
        App("kmeans", "-p %d", (1000, 1 << 20, 1 << 22), equal=("points", "clusters"), near=("inertia",)),
        App("mer", "-k 31 -f %s", (12, 22, 24), equal=("kmers", "distinct")))


def measure(place):
    rows, here = [], runs.rivals(place)
    if not here:
        place.failures.append("no rival is installed: study/rival --install")
    for app in APPS:
        names = [name for name in here.get(app.name, ()) if name != TORCH and (place.is_cpu() or name != "NetworkX")]  # minutes
        if names:
            rows += place.attempt(lambda app=app, names=names: beside(
                place, app, {name: (name, "") for name in names}, app.options_on(place), app.name))
    gpus = itertools.product((8,) if place.quick else (22, 20), place.ranks if TORCH in here.get("pagerank", ()) else ())
    return rows + place.each(gpus, lambda one: on_gpus(place, *one))


def on_gpus(place, scale, n):
    return beside(place, APPS[0], {name: (TORCH, "--gpus %d%s" % (n, more)) for name, more in ON_GPUS.items()},
                  "-i 20 -n 5 -g %d" % scale, "pagerank-%d on %d" % (scale, n), n)


def beside(place, app, rivals, options, what, n_ranks=1):
    """rivals: {as the page names it: (as study/rival does, more options)}"""
    facts = app.equal + app.near

    def run(system):
        if system == GRAVEL:
            row = runs.app(place, app.name, options, n_ranks, facts=facts, limit_s=300)
        else:
            name, more = rivals[system]
            row = {**runs.rival(place, app.name, name, options + " " + more, facts), "ranks": n_ranks}
        return {"what": what, "system": system, **row}

    own, *others = rounds.in_turn(place, [GRAVEL, *rivals], run, 3 if place.is_cpu() else 1)
    for row in others:
        compare(app, own, row, row["system"])
    return [own, *others]


def compare(app, own, other, name):
    """Failed if they are not answers to one question."""
    differ = [fact for fact in app.equal if own[fact] != other[fact]]
    differ += [fact for fact in app.near if not math.isclose(own[fact], other[fact], rel_tol=NEAR)]
    if differ:
        raise Failed("%s: %s and %s do not agree: %s" % (app.name, GRAVEL, name, ", ".join(
            "%s is %s and %s" % (fact, own[fact], other[fact]) for fact in differ)))


# ---- the answer --------------------------------------------------------------------------------

def pairs(rows):
    """[(what, row of Gravel, row of a rival)] with the rates of a typical round, in the order they were measured."""
    own = {row["what"]: row for row in rows if row["system"] == GRAVEL}
    return [(row["what"], *rounds.typical(own[row["what"]], row))
            for row in rows if row["system"] != GRAVEL and row["what"] in own]


def sentence(rows):
    found = ["%s %s (%s)" % (what, cell(own["rate"] / row["rate"]), row["system"]) for what, own, row in pairs(rows)]
    return "rate over the rival's: %s." % ", ".join(found) if found else None


def front(rows):
    """Of several rivals the fastest."""
    fastest = {}
    for what, *pair in pairs(rows):
        fastest[what] = min(fastest.get(what, pair), pair, key=lambda pair: pair[0]["rate"] / pair[1]["rate"])
    for what, (own, row) in fastest.items():
        app, n_gpus = re.fullmatch(r"(\w+)(?:-\d+ on (\d+))?", what).groups()
        graph = re.search(r" -g (\d+)", own["command"])
        name = NAMES[app] + (", kronecker-" + graph[1] if graph else "") + (", GPUs: " + n_gpus if n_gpus else "")
        yield name, per_second(own), "%s %s" % (row["system"], row["version"]), per_second(row), own["rate"] / row["rate"]


def draw(machines, draw):
    names = list(dict.fromkeys(what for rows in machines.values() for what, *_ in pairs(rows)))
    groups = [(name, what) for name, rows in machines.items() for what in names if what in {pair[0] for pair in pairs(rows)}]
    systems = list(dict.fromkeys(row["system"] for rows in machines.values() for _, _, row in pairs(rows)))
    ratios = {(name, what, row["system"]): own["rate"] / row["rate"]
              for name, rows in machines.items() for what, own, row in pairs(rows)}
    return draw.bars(["%s\n%s" % group for group in groups],
                     {"Gravel / " + system: [ratios.get(group + (system,)) for group in groups] for system in systems},
                     "rate of Gravel over the rival's", log_y=True, reference=1)

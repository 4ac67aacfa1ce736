# SPDX-License-Identifier: MIT
"""Figure 10 of Orr et al. (Synchronization Using Remote-Scope Promotion, ASPLOS 2015), with the thefts of table 3.

Shortest paths, colouring and PageRank share ten graphs out to groups' deques by four policies; promoted stands for the paper's
hardware (rem-sync), and stealing/steal_study.cl.h is the other three. Generated graphs of the same size and kind stand for the paper's.
"""
import math
import os

from study import rounds, runs

NAME = "stealing-figure-10"
TITLE = "Figure 10 of Orr et al. (2015): speed-up by policies of work stealing"
PUBLISHED = "on a simulator of eight units, means over baseline: scope-only 1.07, steal-only 1.18, rem-sync 1.25"
HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stealing")
POLICIES = ("baseline", "scope-only", "steal-only", "promoted")
MEANS = (1.00, 1.07, 1.18, 1.25)  # as published


def settings_of(policy):
    """Has the kernels' compiler include a policy that the library does not have."""
    name = "STUDY_" + policy.upper().replace("-", "_")
    return {} if policy == "promoted" else {"GRAVEL_BUILD_OPTIONS": "-I %s -DGRAVELP_STEAL_STUDY=%s" % (HEADER, name)}


class Graph:
    """One of the ten; stolen: % of the tasks under steal-only and rem-sync, as published."""

    def __init__(self, name, app, paper, kind, size, degree, stolen):
        self.name, self.app, self.paper, self.kind, self.size, self.degree = name, app, paper, kind, size, degree
        self.stolen = stolen

    def options(self, shrink):
        if self.kind in ("--mesh", "--band"):
            return [self.kind, str(max(self.size // shrink, 64))]
        return [self.kind, str(max(round(math.log2(self.size / shrink)), 6)), "-k", str(self.degree)]

    def run(self, place, policy):
        """@return one row: rate, the input, and what was stolen."""
        options = ["--schedule", "promoted"] + self.options(512 if place.quick else 1)
        options += ["-n", "1", "--group", "64"] if place.quick else ["-n", "5"]
        options += ["-i", "10"] if self.app == "chapter5/pagerank" else []
        result, command = runs.result(place, self.app, options, settings=settings_of(policy), limit_s=300)
        counts = result["parameters"]
        return {"graph": self.name, "policy": policy, "stolen": 100 * counts["stolen"] / counts["tasks"],
                **runs.row_of(result, command, "input")}


GRAPHS = (Graph("SSSP-1", "chapter5/sssp", "dip20090126_MAX", "-g", 19928, 2, (9.0, 1.6)),
          Graph("SSSP-2", "chapter5/sssp", "USA-road-d.BAY", "--mesh", 321270, 0, (0.5, 0.8)),
          Graph("SSSP-3", "chapter5/sssp", "USA-road-d.COL", "--mesh", 435666, 0, (0.6, 0.6)),
          Graph("color-1", "chapter5/color", "dip20090126_MAX", "-g", 19928, 2, (9.6, 0)),
          Graph("color-2", "chapter5/color", "USA-road-d.NY", "--mesh", 264346, 0, (1.2, 0.9)),
          Graph("color-3", "chapter5/color", "ecology1", "--mesh", 1000000, 0, (0.7, 0)),
          Graph("color-4", "chapter5/color", "G3_circuit", "--band", 1585478, 0, (1.5, 0.1)),
          Graph("PR-1", "chapter5/pagerank", "cond-mat-2003", "-g", 31163, 4, (5.5, 0)),
          Graph("PR-2", "chapter5/pagerank", "smallworld", "-u", 100000, 5, (0.8, 0)),
          Graph("PR-3", "chapter5/pagerank", "coAuthorsDBLP", "-g", 299067, 3, (5.1, 0)))
BY_NAME = {graph.name: graph for graph in GRAPHS}


def measure(place):
    return place.each([BY_NAME["color-4"]] if place.quick else GRAPHS, lambda graph: rounds.in_turn(
        place, POLICIES, lambda policy: graph.run(place, policy), 1))


def speed_ups(of):
    return [rounds.ratio(of[policy], of["baseline"]) for policy in POLICIES[1:]]


def table(rows):
    graphs = rounds.by(rows, "graph", "policy")
    heads = ["", "input", "for"] + list(POLICIES[1:]) + ["stolen by steal-only, %", "published", "by promoted, %", "published"]
    lines = [[name, of["baseline"]["input"], BY_NAME[name].paper] + speed_ups(of) +
             [value for policy, published in zip(POLICIES[2:], BY_NAME[name].stolen)
              for value in (of[policy]["stolen"], str(published))] for name, of in graphs.items()]
    means = [rounds.geometric_mean(ups) for ups in zip(*(speed_ups(of) for of in graphs.values()))]
    return heads, lines + [["geometric mean", None, None] + means + [None] * 4,
                           ["published", None, None] + ["%.2f" % mean for mean in MEANS[1:]] + [None] * 4]


def draw(rows, draw):
    graphs = rounds.by(rows, "graph", "policy")
    return draw.bars(list(graphs), {policy: [speed_ups(of)[i] for of in graphs.values()]
                                    for i, policy in enumerate(POLICIES[1:])}, "rate over that of baseline", reference=1)

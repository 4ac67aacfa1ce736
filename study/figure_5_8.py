# SPDX-License-Identifier: MIT
"""Figure 5-8: scaling of the applications over ranks; the same input for all numbers of ranks."""
from study import rounds, runs
from study.workloads import WORKLOADS

NAME = "figure-5-8"
TITLE = "Figure 5-8: speed-up of the applications over ranks"
PUBLISHED = "8 nodes: 5.3 times one on average; GUPS, kmeans and mer near 8; SSSP-1 least"


def run(place, workload, n_ranks):
    return workload.run(place, n_ranks, place.scale + (15 if place.quick else 22), own_cores=True)


def measure(place):
    return place.each(WORKLOADS, lambda workload: [runs.once(place, run, workload, n_ranks) for n_ranks in place.ranks])


def speed_ups(rows):
    """{workload: {ranks: rate over the fewest ranks' rate}}"""
    return {name: {n: row["rate"] / of[min(of)]["rate"] for n, row in of.items()}
            for name, of in rounds.by(rows, "workload", "ranks").items()}


def table(rows):
    counts, ups = runs.values(rows, "ranks"), speed_ups(rows)
    lines = [[row["workload"], row["rate"] / 1e6, row["unit"]] + [ups[row["workload"]][n] for n in counts]
             for row in rows if row["ranks"] == counts[0]]
    mean = [rounds.geometric_mean([ups[name][n] for name in ups]) for n in counts]
    return (["", "M/s, %d" % counts[0], "unit"] + ["%d ranks" % n for n in counts],
            lines + [["geometric mean", None, None] + mean])


def draw(rows, draw):
    ups = speed_ups(rows)
    return draw.scaling({name: list(of.items()) for name, of in ups.items()}, "ranks", "speed-up")

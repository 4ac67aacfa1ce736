# SPDX-License-Identifier: MIT
"""Figure 5-8: scaling of the applications over ranks; the same input for all numbers of ranks."""
from study import rounds
from study.workloads import WORKLOADS

NAME = "figure-5-8"
TITLE = "Figure 5-8: speed-up of the applications over ranks"
PUBLISHED = "8 nodes: 5.3 times one on average; GUPS, kmeans and mer near 8; SSSP-1 least"


def size_of(place):
    return place.scale + (15 if place.quick else 22)


def run(place, workload, n_ranks):
    """One run; table 5-4 of the same call takes it from `kept`."""
    key = (NAME, workload.name, n_ranks)
    if key not in place.kept:
        place.kept[key] = workload.run(place, n_ranks, size_of(place), own_cores=True)
    return place.kept[key]


def measure(place):
    rows = []
    for workload in WORKLOADS:
        rows += place.attempt(lambda workload=workload: [run(place, workload, n_ranks) for n_ranks in place.ranks])
    return rows


def speed_ups(rows):
    """{workload: {ranks: rate over the fewest ranks' rate}}"""
    rates = {}
    for row in rows:
        rates.setdefault(row["workload"], {})[row["ranks"]] = row["rate"]
    return {name: {n: rate / of[min(of)] for n, rate in of.items()} for name, of in rates.items()}


def table(rows):
    counts = sorted({row["ranks"] for row in rows})
    ups, lines = speed_ups(rows), []
    for row in rows:
        if row["ranks"] == counts[0]:
            lines.append([row["workload"], row["rate"] / 1e6, row["unit"]] +
                         [ups[row["workload"]][n] for n in counts])
    mean = [rounds.geometric_mean([ups[name][n] for name in ups]) for n in counts]
    return (["", "M/s, %d" % counts[0], "unit"] + ["%d ranks" % n for n in counts],
            lines + [["geometric mean", None, None] + mean])


def draw(rows, draw):
    ups = speed_ups(rows)
    figure = draw.lines({name: list(of.items()) for name, of in ups.items()}, "ranks", "speed-up", log_y=False)
    counts = sorted({row["ranks"] for row in rows})
    figure.axes[0].plot(counts, [n / counts[0] for n in counts], color="black", linestyle=":", label="linear")
    figure.axes[0].legend(ncol=2)
    return figure

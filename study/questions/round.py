# SPDX-License-Identifier: MIT
"""What does a round cost?"""
from study import runs
from study.page import cell, in_ranks

NAME = "round"
TITLE = "What does a round cost?"
ABOUT = """A round of a bulk-synchronous program besides its messages, by `bench-round`. *Launch*: a kernel that does
nothing, and the wait for it. *Round*: a kernel whose one work-group of 256 sends a message each to the next rank, a
*barrier* and a reduction (*reduce*). *Level*: such a kernel counts, and all ranks learn the sum by a barrier, a read and
a reduction, or, *level_sum*, by `gravel_barrier_sum`; *stay*, by [rounds](../guide/rounds.md), whose kernels stay: 4 kB
of messages each way, or as the name says. *Search* finds shortest paths in a mesh of 258,569 vertices with a kernel a
round (`chapter5/sssp`), *search_stay* in rounds (`sssp`), *serial* by Dijkstra's algorithm."""
KEYS = ("what",)
NAMED = 1
SHOWN = ("launch", "barrier", "reduce", "round", "level", "level_sum", "stay", "stay_none", "stay_60k", "stay_1m", "search", "search_stay",
         "serial")


def measure(place):
    options = "--runs %d%s" % ((1, " --rounds 20") if place.quick else (11, ""))
    return place.each(place.ranks, lambda n: of_ranks(place, options, n)) + place.attempt(lambda: searches(place))


def of_ranks(place, options, n_ranks):
    return [{"what": name, **row} for name, row in runs.bench(place, "bench-round", options, n_ranks).items() if name in SHOWN]


def searches(place):
    mesh = "--mesh %d -n %d" % ((2000, 1) if place.quick else (258569, 11))
    rows = [{"what": what, **runs.app(place, app, mesh, facts=("serial_seconds",))}
            for what, app in (("search", "chapter5/sssp"), ("search_stay", "sssp"))]
    for row in rows:
        row.update(rate=1 / row.pop("seconds"), unit="a second")
    serial = [row.pop("serial_seconds") for row in rows]
    return rows + [{**rows[0], "what": "serial", "rate": 1 / min(serial)}]


def microseconds(rows, what, n_ranks):
    rate = runs.rate(rows, what=what, ranks=n_ranks)
    return 1e6 / rate if rate else None


def sentence(rows):
    said = ["on %d rank%s a level with its sum takes %.0f us, and %.1f us if the kernel stays" % (n, "s" * (n > 1), *found)
            for n in runs.values(rows, "ranks") for found in [[microseconds(rows, what, n) for what in ("level_sum", "stay")]] if all(found)]
    return "; ".join(said) + "." if said else None


def rates(rows):
    for what, name in ("launch", "launch and wait, "), ("stay", "round whose kernel stays, "):
        for n, nodes in (1, "one node"), (2, "two nodes"):
            found = microseconds(rows, what, n)
            if found:
                yield name + nodes, cell(found) + " us"


def table(rows):
    counts = runs.values(rows, "ranks")
    return [""] + [in_ranks(n) + ", us" for n in counts], \
        [[what] + [microseconds(rows, what, n) for n in counts] for what in SHOWN]


def draw(machines, draw):
    series = {"%s, %s" % (name, in_ranks(n)): [microseconds(rows, what, n) for what in SHOWN]
              for name, rows in machines.items() for n in runs.values(rows, "ranks")}
    return draw.bars([what.replace("_", "\n") for what in SHOWN], series, "microseconds", log_y=True)

# SPDX-License-Identifier: MIT
"""Figure 5-9: beside systems for CPUs.

The dissertation's rivals, Grappa and UPC, can no longer be had; plain MPI programs that aggregate by hand take their
place, and a serial program beside one rank. They are in bench/, and checked like the rest.
"""
from study import rounds
from study.workloads import BY_NAME

NAME = "figure-5-9"
TITLE = "Figure 5-9: Gravel beside MPI programs that aggregate by hand, and serial ones"
PUBLISHED = "faster than Grappa (GUPS, PR) and UPC (mer) on 1 and 8 nodes"
SERIAL, HAND, ACCUMULATE = "serial", "mpi-hand", "mpi-accumulate"


def measure(place):
    rows = []
    for n_ranks in place.ranks:
        rows += place.attempt(lambda n_ranks=n_ranks: gups(place, n_ranks))
        for name in ("PR-1", "PR-2"):
            rows += place.attempt(lambda name=name, n_ranks=n_ranks: pagerank(place, name, n_ranks))
    return rows


def gups(place, n_ranks):
    """bench-gups has its rivals take turns itself."""
    log2 = str(place.scale + (14 if place.quick else 22) - (n_ranks - 1).bit_length())
    argv, settings = place.on_ranks(n_ranks, [place.program("bench/bench-gups"), "--json", "--runs",
                                              "3" if place.quick else "5", "--table-words-log2", log2,
                                              "--updates-log2", log2, "--variant", "gravel,%s,%s" % (HAND, ACCUMULATE)])
    place.log("GUPS beside MPI, %d ranks" % n_ranks)
    results, command = place.run(argv, settings, limit_s=500)
    ratios = {row["against"]: row["ratio"] for row in results if row["name"] == "bench-gups-ratio"}
    return [row_of("GUPS", n_ranks, row["variant"], row["rate"], ratios.get(row["variant"]), row["valid"], command)
            for row in results if row["name"] == "bench-gups"]


def row_of(workload, n_ranks, system, rate, gravel_over_it, valid, command):
    return {"workload": workload, "ranks": n_ranks, "system": system, "rate": rate, "gravel_over_it": gravel_over_it,
            "valid": valid, "command": command}


def pagerank(place, name, n_ranks):
    workload, size = BY_NAME[name], place.scale + (14 if place.quick else 21)
    rivals = {"gravel": lambda: workload.run(place, n_ranks, size)}
    for variant in [HAND] + ([SERIAL] if n_ranks == 1 else []):
        rivals[variant] = lambda variant=variant: bench_pagerank(place, workload, variant, n_ranks, size)
    rows = rounds.in_turn(rivals, 1 if place.quick else 5)
    return [row_of(name, n_ranks, system, row["rate"],
                   None if system == "gravel" else rounds.ratio(rows["gravel"], row), row["valid"], row["command"])
            for system, row in rows.items()]


def bench_pagerank(place, workload, variant, n_ranks, size):
    argv = [place.program("bench/bench-pagerank"), "-q", "-v", "--json", "--variant", variant]
    argv, settings = place.on_ranks(n_ranks, argv + workload.arguments(place, n_ranks, size))
    results, command = place.run(argv, settings)
    return {**results[-1], "command": command}


def table(rows):
    heads = ["", "ranks", "Gravel, M/s", "Gravel / mpi-hand", "/ serial", "/ mpi-accumulate"]
    ratios = {(row["workload"], row["ranks"], row["system"]): row["gravel_over_it"] for row in rows}
    return heads, [[row["workload"], str(row["ranks"]), row["rate"] / 1e6] +
                   [ratios.get((row["workload"], row["ranks"], system)) for system in
                    (HAND, SERIAL, ACCUMULATE)] for row in rows if row["system"] == "gravel"]


def draw(rows, draw):
    systems = list(dict.fromkeys(row["system"] for row in rows))
    groups = list(dict.fromkeys((row["workload"], row["ranks"]) for row in rows))
    rates = {(row["workload"], row["ranks"], row["system"]): row["rate"] / 1e6 for row in rows}
    return draw.bars(["%s\n%d rank%s" % (name, n, "s" * (n > 1)) for name, n in groups],
                     {system: [rates.get(group + (system,)) for group in groups] for system in systems},
                     "million updates, edges a second", log_y=True)

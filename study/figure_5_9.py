# SPDX-License-Identifier: MIT
"""Figure 5-9: beside systems for CPUs.

The dissertation's rivals, Grappa and UPC, can no longer be had; MPI by hand, which aggregates, and an MPI_Accumulate for each
update take their place. bench-gups has them take turns, and checks them.
"""
NAME = "figure-5-9"
TITLE = "Figure 5-9: Gravel beside MPI by hand, which aggregates, and an MPI_Accumulate for each update"
PUBLISHED = "faster than Grappa (GUPS, PR) and UPC (mer) on 1 and 8 nodes"
HAND, ACCUMULATE = "mpi-hand", "mpi-accumulate"


def measure(place):
    rows = []
    for n_ranks in place.ranks:
        rows += place.attempt(lambda n_ranks=n_ranks: gups(place, n_ranks))
    return rows


def gups(place, n_ranks):
    log2 = str(place.scale + (14 if place.quick else 22) - (n_ranks - 1).bit_length())
    argv, settings = place.on_ranks(n_ranks, [place.program("bench/bench-gups"), "--json", "--runs",
                                              "3" if place.quick else "5", "--table-words-log2", log2,
                                              "--updates-log2", log2, "--variant", "gravel,%s,%s" % (HAND, ACCUMULATE)])
    place.log("GUPS beside MPI, %d ranks" % n_ranks)
    results, command = place.run(argv, settings, limit_s=500)
    ratios = {row["against"]: row["ratio"] for row in results if row["name"] == "bench-gups-ratio"}
    return [{"ranks": n_ranks, "system": row["variant"], "rate": row["rate"], "gravel_over_it": ratios.get(row["variant"]),
             "valid": row["valid"], "command": command} for row in results if row["name"] == "bench-gups"]


def table(rows):
    ratios = {(row["ranks"], row["system"]): row["gravel_over_it"] for row in rows}
    return ["ranks", "Gravel, M updates/s", "Gravel / mpi-hand", "/ mpi-accumulate"], [
        [str(row["ranks"]), row["rate"] / 1e6] + [ratios.get((row["ranks"], system)) for system in (HAND, ACCUMULATE)]
        for row in rows if row["system"] == "gravel"]


def draw(rows, draw):
    rates = {(row["ranks"], row["system"]): row["rate"] / 1e6 for row in rows}
    ranks = list(dict.fromkeys(row["ranks"] for row in rows))
    return draw.bars(["%d rank%s" % (n, "s" * (n > 1)) for n in ranks],
                     {system: [rates.get((n, system)) for n in ranks] for system in ("gravel", HAND, ACCUMULATE)},
                     "million updates a second", log_y=True)

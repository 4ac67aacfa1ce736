# SPDX-License-Identifier: MIT
"""Against hand-written MPI?"""
from study import rounds, runs
from study.page import cell, in_ranks, per_second

NAME = "by-hand"
TITLE = "Against hand-written MPI?"
ABOUT = """`mpi-hand`, plain C over MPI, collects 4-byte messages in 64 kB buffers; `mpi-accumulate` calls
`MPI_Accumulate` for each update of a random word. Gravel's ranks have a device each, or share the cores; next to GPUs
the rivals have all cores."""
KEYS = ("what", "system", "of_ranks")
GRAVEL, HAND, ACCUMULATE = "gravel", "mpi-hand", "mpi-accumulate"
SHOWN = {HAND: "MPI by hand", ACCUMULATE: "`MPI_Accumulate`"}


def ranks_of_rivals(place, n_ranks):
    """One a core beside GPUs, the same as Gravel's where they share the cores."""
    return n_ranks if place.is_cpu() else 1 << (len(place.cores).bit_length() - 1)


def measure(place):
    return place.each(sorted(place.ranks, reverse=True) if place.is_cpu() else place.ranks[-1:], lambda n: gups(place, n))


def gups(place, n_ranks):
    log2, others = runs.sized(place, 12, 24, 28), ranks_of_rivals(place, n_ranks)
    own, theirs = (log2 - (n - 1).bit_length() for n in (n_ranks, others))
    bench = "--runs %d --table-words-log2 %d --updates-log2 %d" % (runs.sized(place, 1, 1, 3), theirs, theirs)

    def run(system):
        row = runs.app(place, "gups", "--table %d --updates %d" % (own, own), n_ranks) if system == GRAVEL else \
            runs.variant(place, "bench-gups", bench, others, system)
        return {"what": "gups", "system": system, "of_ranks": n_ranks, **row}

    return rounds.in_turn(place, (GRAVEL, HAND, ACCUMULATE), run, 3 if place.is_cpu() else 1)


def beside(rows):
    """{of_ranks: {system: row}}"""
    return dict(sorted(rounds.by(rows, "of_ranks", "system").items()))


def ratio(of, system):
    return rounds.ratio(of[GRAVEL], of[system]) if system in of else None


def sentence(rows):
    found = beside(rows)
    most = max(found, default=None)
    of = found.get(most, {})
    if HAND not in of or ACCUMULATE not in of:
        return None
    hand = ratio(of, HAND)
    text = "GUPS on %s is %s times as fast as MPI by hand" % (in_ranks(most), cell(hand))
    return text + " and %s times as fast as an `MPI_Accumulate` for each update." % cell(ratio(of, ACCUMULATE))


def front(rows):
    most, of = max(beside(rows).items(), default=(0, {}))
    for system, shown in SHOWN.items():
        if system in of:
            own, rival = rounds.typical(of[GRAVEL], of[system])
            yield ("updates of random words, " + in_ranks(most), per_second(own),
                   "%s, %s" % (shown, in_ranks(rival["ranks"])), per_second(rival), own["rate"] / rival["rate"])


def draw(machines, draw):
    groups = {(name, n): of for name, rows in machines.items() for n, of in beside(rows).items()}
    return draw.bars(["%s\n%s" % (name, in_ranks(n)) for name, n in groups],
                     {"Gravel / " + system: [ratio(of, system) for of in groups.values()]
                      for system in (HAND, ACCUMULATE)}, "rate of Gravel over the rival's", log_y=True, reference=1)

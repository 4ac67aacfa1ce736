# SPDX-License-Identifier: MIT
"""What does a round cost?"""
from study import runs

NAME = "round"
TITLE = "What does a round cost?"
ABOUT = """A round of a bulk-synchronous program besides its messages, by `bench-round`, which checks every sum and counter. *Launch*:
a kernel that does nothing, and the wait for it; *barrier* and *reduce*, those calls alone. *Round*: a kernel whose one
work-group of 256 sends a message each to the next rank, a barrier and a reduction. *Level*: such a kernel counts what it finds,
and the sum of all ranks is learned by a barrier, a read and a reduction, or, *level_sum*, by one `gravel_barrier_sum`."""
KEYS = ("what",)
SHOWN = ("launch", "barrier", "reduce", "round", "level", "level_sum")


def measure(place):
    options = "--runs %d%s" % ((1, " --rounds 20") if place.quick else (11, ""))
    rows = []
    for n_ranks in place.ranks:
        rows += place.attempt(lambda n=n_ranks: of_ranks(place, options, n))
    return rows


def of_ranks(place, options, n_ranks):
    return [{"what": name, **row} for name, row in runs.bench(place, "bench-round", options, n_ranks).items() if name in SHOWN]


def microseconds(rows, what, n_ranks):
    rate = runs.rate(rows, what=what, ranks=n_ranks)
    return 1e6 / rate if rate else None


def ranks_of(rows):
    return sorted({row["ranks"] for row in rows})


def sentence(rows):
    said = ["on %d rank%s a round takes %.0f us, a launch alone and the wait for it %.0f us, and a level with its sum %.0f us"
            % (n, "s" * (n > 1), *found) for n in ranks_of(rows)
            for found in [[microseconds(rows, what, n) for what in ("round", "launch", "level_sum")]] if all(found)]
    return "; ".join(said) + "." if said else None


def table(rows):
    counts = ranks_of(rows)
    return [""] + ["%d rank%s, us" % (n, "s" * (n > 1)) for n in counts], \
        [[what] + [microseconds(rows, what, n) for n in counts] for what in SHOWN]


def draw(machines, draw):
    series = {"%s, %d rank%s" % (name, n, "s" * (n > 1)): [microseconds(rows, what, n) for what in SHOWN]
              for name, rows in machines.items() for n in ranks_of(rows)}
    return draw.bars([what.replace("_", "\n") for what in SHOWN], series, "microseconds", log_y=True)

# SPDX-License-Identifier: MIT
"""Figure 5-10: the applications against the size of node buffers, down to no aggregation at all."""
from study import rounds
from study.workloads import BY_NAME, WORKLOADS

NAME = "figure-5-10"
TITLE = "Figure 5-10: rate against the size of node buffers, relative to 64 kB"
PUBLISHED = "gains fade beyond 32 kB; the dissertation uses 64 kB"
OFF = "off"
FULL_SIZES = ["256", "1024", "4096", "16384", "32768", "65536", "1048576"]
QUICK_SIZES = ["1024", "65536"]
REFERENCE = "65536"


def measure(place):
    workloads = [BY_NAME[name] for name in ("GUPS", "PR-1")] if place.quick else WORKLOADS
    rows = []
    for workload in workloads:
        rivals = {what: rival(place, workload, what) for what in
                  [OFF] + (QUICK_SIZES if place.quick else FULL_SIZES)}
        rows += place.attempt(lambda rivals=rivals: contest(rivals, 1 if place.quick else 3))
    return rows


def contest(rivals, n_rounds):
    return [{**row, "buffer": what} for what, row in rounds.in_turn(rivals, n_rounds).items()]


def rival(place, workload, what):
    size = place.scale + (14 if place.quick else 19)
    settings = {"GRAVEL_AGGREGATION": "off"} if what == OFF else {"GRAVEL_BUFFER": what}
    return lambda: workload.run(place, place.some_ranks(), size, 3, settings=settings)


def relative(rows):
    """{workload: {buffer: rate over that of 64 kB, inside a round}}"""
    by_name = {}
    for row in rows:
        by_name.setdefault(row["workload"], {})[row["buffer"]] = row
    return {name: {what: rounds.ratio(row, of[REFERENCE]) for what, row in of.items()} for name, of in by_name.items()}


def in_words(what):
    return "none" if what == OFF else "%d kB" % (int(what) // 1024) if int(what) >= 1024 else what + " B"


def table(rows):
    sizes = list(dict.fromkeys(row["buffer"] for row in rows))
    lines = [[name] + [of[what] for what in sizes] for name, of in relative(rows).items()]
    mean = ["geometric mean"] + [rounds.geometric_mean(column) for column in list(zip(*lines))[1:]]
    return [""] + [in_words(what) for what in sizes], lines + [mean]


def draw(rows, draw):
    """No aggregation is drawn at the place of 8 bytes, a message."""
    series = {name: [(8 if what == OFF else int(what), value) for what, value in of.items()]
              for name, of in relative(rows).items()}
    return draw.lines(series, "bytes of a node buffer (8: no aggregation)", "rate over that with 64 kB")

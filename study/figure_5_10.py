# SPDX-License-Identifier: MIT
"""Figure 5-10: the applications against the size of node buffers, down to no aggregation at all."""
from study import rounds
from study.workloads import some

NAME = "figure-5-10"
TITLE = "Figure 5-10: rate against the size of node buffers, relative to 64 kB"
PUBLISHED = "gains fade beyond 32 kB; the dissertation uses 64 kB"
OFF = "off"
FULL_SIZES = ["256", "1024", "4096", "16384", "32768", "65536", "1048576"]
QUICK_SIZES = ["1024", "65536"]
REFERENCE = "65536"


def measure(place):
    buffers = [OFF] + (QUICK_SIZES if place.quick else FULL_SIZES)
    return place.each(some(place), lambda workload: rounds.in_turn(place, buffers, lambda what: run(place, workload, what)))


def run(place, workload, what):
    size = place.scale + (14 if place.quick else 19)
    settings = {"GRAVEL_AGGREGATION": "off"} if what == OFF else {"GRAVEL_BUFFER": what}
    return {**workload.run(place, place.some_ranks(), size, 3, settings=settings), "buffer": what}


def relative(rows):
    """{workload: {buffer: rate over that of 64 kB, inside a round}}"""
    return {name: {what: rounds.ratio(row, of[REFERENCE]) for what, row in of.items()}
            for name, of in rounds.by(rows, "workload", "buffer").items()}


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

# SPDX-License-Identifier: MIT
"""Figure 4-15: one reservation a work-group, and one a work-item, in fib."""
from study import flows, rounds

NAME = "figure-4-15"
TITLE = "Figure 4-15: fib's rate with a reservation a work-group and a reservation a work-item"
PUBLISHED = "one reservation a wavefront has up to 64 times fewer compare-and-swaps"


def measure(place):
    def run(group, kind):
        words = ["--group", str(group)] + ["--by-item"] * (kind == "item")
        return {**flows.BY_NAME["Fibonacci"].run(place, words), "reserve": kind, "work_group": group}

    return place.each([64] if place.quick else [16, 64, 256], lambda group: rounds.in_turn(
        place, ["group", "item"], lambda kind: run(group, kind), 5))


def table(rows):
    pairs = rounds.by(rows, "work_group", "reserve")
    heads = ["work-group", "a group, M calls/s", "a work-item, M calls/s", "ratio"]
    return heads, [[str(group), both["group"]["rate"] / 1e6, both["item"]["rate"] / 1e6,
                    rounds.ratio(both["group"], both["item"])] for group, both in pairs.items()]


def draw(rows, draw):
    kinds = rounds.by(rows, "reserve", "work_group")
    series = {"a reservation a work-" + kind: [(group, row["rate"] / 1e6) for group, row in of.items()] for kind, of in kinds.items()}
    return draw.lines(series, "work-items of a work-group", "M calls/s", log_y=False)

# SPDX-License-Identifier: MIT
"""Figure 4-15: one reservation a work-group, and one a work-item, in fib."""
from study import flows, rounds

NAME = "figure-4-15"
TITLE = "Figure 4-15: fib's rate with a reservation a work-group and a reservation a work-item"
PUBLISHED = "one reservation a wavefront has up to 64 times fewer compare-and-swaps"


def measure(place):
    fib, rows = flows.BY_NAME["Fibonacci"], []
    for group in [64] if place.quick else [16, 64, 256]:
        rivals = {kind: lambda words=words, group=group: fib.run(place, words + ["--group", str(group)])
                  for kind, words in (("group", []), ("item", ["--by-item"]))}
        rows += place.attempt(lambda rivals=rivals, group=group: [
            {**row, "reserve": kind, "work_group": group} for kind, row in
            rounds.in_turn(rivals, 1 if place.quick else 5).items()])
    return rows


def pairs(rows):
    """{work-group: {kind: row}}, those with both."""
    of = {}
    for row in rows:
        of.setdefault(row["work_group"], {})[row["reserve"]] = row
    return {group: both for group, both in of.items() if len(both) == 2}


def table(rows):
    heads = ["work-group", "a group, M calls/s", "a work-item, M calls/s", "ratio"]
    return heads, [[str(group), both["group"]["rate"] / 1e6, both["item"]["rate"] / 1e6,
                    rounds.ratio(both["group"], both["item"])] for group, both in pairs(rows).items()]


def draw(rows, draw):
    series = {"a reservation a work-" + kind: [(group, both[kind]["rate"] / 1e6) for group, both in pairs(rows).items()]
              for kind in ("group", "item")}
    return draw.lines(series, "work-items of a work-group", "M calls/s", log_y=False)

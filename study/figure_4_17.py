# SPDX-License-Identifier: MIT
"""Figure 4-17: how many of a group's work-items have an element."""
from study import flows

NAME = "figure-4-17"
TITLE = "Figure 4-17: active work-items of the flows' groups"
PUBLISHED = "all but Strassen diverge"


def measure(place):
    return flows.of_each(place)


def active(row):
    return 100 * row["flow_elements"] / row["flow_lanes"]


def table(rows):
    heads = ["", "elements", "work-items of their groups", "active, %"]
    return heads, [[row["app"], str(row["flow_elements"]), str(row["flow_lanes"]), active(row)] for row in rows]


def draw(rows, draw):
    return draw.bars([row["app"] for row in rows], {"active work-items": [active(row) for row in rows]}, "%")

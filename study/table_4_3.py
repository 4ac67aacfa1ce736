# SPDX-License-Identifier: MIT
"""Table 4-3: the flows and their inputs."""
from study import flows

NAME = "table-4-3"
TITLE = "Table 4-3: the flows, their inputs and what they made"
PUBLISHED = ("wavefronts, cycles each: Fibonacci(24) 2,192, 7,046; Queens 13x13 1,114, 35,407; Sort of 1,000,000 4,238, "
             "30,673; Strassen 512x512 587, 259,299")


def measure(place):
    return flows.of_each(place)


def table(rows):
    """A wavefront is 64 elements, as published; a group node's element is a wavefront of its own there and here."""
    heads = ["", "input", "elements", "rounds", "of a single group", "elements / 64", "published: wavefronts", "ns an element"]
    return heads, [[row["app"], row["input"], str(each(row, "flow_elements")), str(each(row, "flow_rounds")),
                    str(each(row, "flow_small_rounds")), str(each(row, "flow_elements") // 64),
                    str(flows.BY_NAME[row["app"]].published.get("wavefronts", "-")),
                    1e9 * row["seconds"] / max(1, each(row, "flow_elements"))] for row in rows]


def each(row, name):
    """Of one run: flows count from their creation on, and every run of an input makes the same elements."""
    return row[name] // row["flow_runs"]

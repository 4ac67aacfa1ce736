# SPDX-License-Identifier: MIT
"""Figure 5-5: the queue's throughput by message size, beside queues of CPUs."""
from study import queue

NAME = "figure-5-5"
TITLE = "Figure 5-5: the queue's throughput against message size, groups of 256, beside CPU queues"
PUBLISHED = "far above SPSC and MPMC queues of CPUs for small messages; 32 bytes: 7 GB/s, the network's rate"
RIVALS = ("work-item", "mpmc", "spsc", "spsc-bulk256")


def measure(place):
    sizes = [8, 32, 256] if place.quick else [8, 16, 32, 64, 256]
    rivals = ("mpmc", "spsc") if place.quick else RIVALS
    return queue.measure(place, sizes, [256], ("work-group",) + rivals)


def table(rows):
    names = list(dict.fromkeys(row["variant"] for row in rows))
    ours = [row for row in rows if row["variant"] == names[0]]
    ratios = {(row["variant"], row["message_bytes"]): row["ours_over_it"] for row in rows}
    heads = ["bytes"] + ["%s, M messages/s" % names[0], "GB/s"] + ["of " + name for name in names[1:]]
    return heads, [[str(row["message_bytes"]), row["rate"] / 1e6, row["rate"] * row["message_bytes"] / 1e9] +
                   [ratios.get((name, row["message_bytes"])) for name in names[1:]] for row in ours]


def draw(rows, draw):
    return draw.lines(queue.series(rows, "message_bytes"), "bytes of a message", "GB/s")

# SPDX-License-Identifier: MIT
"""Figure 5-3: messages a second through the producer/consumer queue, by work-group size."""
from study import queue

NAME = "figure-5-3"
TITLE = "Figure 5-3: the queue's throughput against work-group size, 32-byte messages"
PUBLISHED = "7 GB/s at 256 work-items; 256 are 3.2 times 64 (one wavefront); a slot a work-item: 0.06 GB/s"
MESSAGE_BYTES = 32


def measure(place):
    groups = [16, 64, 256] if place.quick else [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
    variants = ["work-group"] if place.quick else ["work-group", "work-item"]
    return queue.measure(place, [MESSAGE_BYTES], groups, variants)


def table(rows):
    ours = {row["work_group"]: row["rate"] for row in rows if row["variant"] in queue.OURS}
    ratios = {row["work_group"]: row["ours_over_it"] for row in rows if row["variant"] == "work-item"}
    heads = ["work-group", "M messages/s", "GB/s", "of 64 work-items", "of a slot a work-item"]
    return heads, [[str(group), rate / 1e6, rate * MESSAGE_BYTES / 1e9, rate / ours[64], ratios.get(group)]
                   for group, rate in ours.items()]


def draw(rows, draw):
    return draw.lines(queue.series(rows, "work_group"), "work-items of a work-group", "GB/s")

# SPDX-License-Identifier: MIT
"""Figure 4-16: the flows against the width of channels."""
from study import flows, rounds

NAME = "figure-4-16"
TITLE = "Figure 4-16: rate against the width of channels, relative to 32 Ki"
PUBLISHED = "narrow channels starve and yield; wide ones cost Strassen its second-level cache"
REFERENCE = 32768


def measure(place):
    widths = [256, REFERENCE] if place.quick else [256, 1024, 4096, 16384, REFERENCE, 131072]
    return flows.sweep(place, "width", widths, lambda width: {"GRAVEL_FLOW_WIDTH": str(width)})


def table(rows):
    widths = list(dict.fromkeys(row["width"] for row in rows))
    of = rounds.by(rows, "app", "width")
    lines = [[app] + [ratios.get(width) for width in widths] + [str(of[app][widths[0]]["flow_bytes"] >> 10)]
             for app, ratios in flows.relative(rows, "width", REFERENCE).items()]
    return [""] + [str(width) for width in widths] + ["kB of the narrowest"], lines


def draw(rows, draw):
    series = {app: list(of.items()) for app, of in flows.relative(rows, "width", REFERENCE).items()}
    return draw.lines(series, "elements that a level of a channel holds", "rate over that of 32 Ki", log_y=False)

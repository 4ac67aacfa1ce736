# SPDX-License-Identifier: MIT
"""Figure 4-13: the flows against the number of compute units."""
from study import flows
from study.place import Failed

NAME = "figure-4-13"
TITLE = "Figure 4-13: speed-up of the flows over compute units"
PUBLISHED = "from 1 to 8 units 2.6 times (Sort) to 4.3 times (Strassen), Fibonacci none"


def measure(place):
    """A unit of a CPU device is a thread; of a GPU none can be left out."""
    if not place.is_cpu():
        raise Failed("figure 4-13 limits the compute units, which only CPU devices allow")
    units = [n for n in (1, 2, 4, 8, 16, 32) if n <= len(place.cores)]
    return flows.sweep(place, "units", units,
                       lambda n: {"POCL_MAX_PTHREAD_COUNT": str(n), "GRAVEL_HOST_CORES": "0"})


def table(rows):
    units = list(dict.fromkeys(row["units"] for row in rows))
    lines = [[app] + [of.get(n) for n in units] for app, of in flows.relative(rows, "units", 1).items()]
    return ["units"] + [str(n) for n in units], lines


def draw(rows, draw):
    series = {app: list(of.items()) for app, of in flows.relative(rows, "units", 1).items()}
    return draw.lines(series, "compute units", "rate over that of one", log_y=False)

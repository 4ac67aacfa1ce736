# SPDX-License-Identifier: MIT
"""Table 4-5: how long the device waits for the scheduler."""
from study import flows

NAME = "table-4-5"
TITLE = "Table 4-5: share of the time in which no round runs"
PUBLISHED = ("GPU blocked with the simple scheduler, and the best: Fibonacci 41.5, 29.8 %; Queens 2.9, 1.5; Sort 8.9, 5.6; "
             "Strassen 3.4, 1.8")
SCHEDULERS = ("host", "lone")


def measure(place):
    return flows.sweep(place, "scheduler", SCHEDULERS, lambda name: {"GRAVEL_SCHEDULER": name})


def blocked(row):
    return 100 * row["flow_scheduler_ns"] / row["flow_run_ns"]


def table(rows):
    """A launch of a lone group is one round to the host, which does not see how long that group chooses."""
    heads = [""] + ["%s, %%" % name for name in SCHEDULERS] + ["host: rounds", "M/s"] + \
            ["lone / host", "published: simple, %", "best, %"]
    lines = []
    for app, of in flows.by_app(rows, "scheduler").items():
        simple, best = flows.BY_NAME[app].published.get("blocked", (None, None))
        lines.append([app] + [blocked(of[name]) for name in SCHEDULERS] +
                     [str(of["host"]["flow_rounds"] // of["host"]["flow_runs"]), of["host"]["rate"] / 1e6,
                      of["lone"]["rate"] / of["host"]["rate"], simple, best])
    return heads, lines


def draw(rows, draw):
    return None

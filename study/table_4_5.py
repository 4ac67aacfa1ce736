# SPDX-License-Identifier: MIT
"""Table 4-5: how long the device waits for the scheduler."""
from study import flows, rounds
from study.place import Failed

NAME = "table-4-5"
TITLE = "Table 4-5: share of the time in which no round runs"
PUBLISHED = ("GPU blocked with the simple scheduler, and the best: Fibonacci 41.5, 29.8 %; Queens 2.9, 1.5; Sort 8.9, 5.6; "
             "Strassen 3.4, 1.8")
SCHEDULERS = ("host", "lone", "resident")


def settings(name):
    return {"GRAVEL_SCHEDULER": "resident", "GRAVEL_FLOW_GROUPS": "1"} if name == "lone" else {"GRAVEL_SCHEDULER": name}


def available(place):
    """All but the resident scheduler where the device's self-test refuses it."""
    try:
        flows.chosen(place)[0].run(place, settings=settings("resident"), n_trials=1)
    except Failed as error:
        if "self-test" not in str(error):
            raise
        place.log("without resident: %s" % error)
        return SCHEDULERS[:-1]
    return SCHEDULERS


def measure(place):
    return flows.sweep(place, "scheduler", available(place), settings)


def blocked(row):
    return 100 * row["flow_scheduler_ns"] / row["flow_run_ns"]


def table(rows):
    """A launch of several rounds is one to the host, which does not see how long its groups choose."""
    heads = [""] + ["%s, %%" % name for name in SCHEDULERS] + ["host: rounds", "M/s"] + \
            ["lone / host", "resident / host", "published: simple, %", "best, %"]
    lines = []
    for app, of in rounds.by(rows, "app", "scheduler").items():
        simple, best = flows.BY_NAME[app].published.get("blocked", (None, None))
        host, resident = of["host"], of.get("resident")
        lines.append([app] + [blocked(of[name]) if name in of else None for name in SCHEDULERS] +
                     [str(host["flow_rounds"] // host["flow_runs"]), host["rate"] / 1e6, of["lone"]["rate"] / host["rate"],
                      resident and resident["rate"] / host["rate"], simple, best])
    return heads, lines

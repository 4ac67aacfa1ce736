# SPDX-License-Identifier: MIT
"""Section 5.6.2: calls in divergent code, on GUPS-mod, 95 % of whose work-items are idle.

apps/gups/README.md says what the forms are. What a device cannot do is a row with the reason.
"""
from study import rounds
from study.place import Skipped
from study.workloads import Workload

NAME = "section-5-6-2"
TITLE = "Section 5.6.2: forms of work-group calls in divergent code on GUPS-mod"
PUBLISHED = "work-group-granularity control flow 1.28 times software predication, fbar in software 1.06 times"
FORMS = ("if", "wi", "subgroup", "fbar", "share")  # the first is software predication
GUPS_MOD = Workload("GUPS-mod", "gups", lambda place, n_ranks, size: ["--table", "16", "--items", str(size)])


def run(place, form, n_trials):
    size = place.scale + (14 if place.quick else 20)
    return GUPS_MOD.run(place, 1, size, n_trials, ["--divergence", form])


def measure(place):
    rivals, skipped = [], []
    for form in FORMS:
        try:
            run(place, form, 1)
            rivals.append(form)
        except Skipped as reason:
            skipped.append({"form": form, "skipped": str(reason)})
    rows = rounds.in_turn(place, rivals, lambda form: {**run(place, form, 3), "form": form}, 5)
    return [{**row, "of_predication": rounds.ratio(row, rows[0])} for row in rows] + skipped


def table(rows):
    return ["form", "M updates/s", "of software predication"], [
        [row["form"], row["rate"] / 1e6, row["of_predication"]] if "rate" in row else
        [row["form"], None, "skipped: " + row["skipped"]] for row in rows]


def draw(rows, draw):
    measured = [row for row in rows if "rate" in row]
    return draw.bars([row["form"] for row in measured], {"rate": [row["rate"] / 1e6 for row in measured]},
                     "million updates a second", size=(4, 2.6))

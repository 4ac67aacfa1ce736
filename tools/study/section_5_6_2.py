# SPDX-License-Identifier: MIT
"""Section 5.6.2: calls in divergent code, on GUPS-mod, 95 % of whose work-items are idle."""
from study import rounds
from study.workloads import Workload

NAME = "section-5-6-2"
TITLE = "Section 5.6.2: forms of diverged work-group calls on GUPS-mod, relative to software predication"
PUBLISHED = "work-group-granularity control flow 1.28 times software predication, fbar in software 1.06 times"
PREDICATION = "if"
FORMS = (PREDICATION, "wi")


def measure(place):
    size = place.scale + (14 if place.quick else 20)
    workload = Workload("GUPS-mod", "gups-mod", lambda place, n_ranks, size: ["--table", "16", "--items", str(size)])
    rivals = {form: lambda form=form: workload.run(place, 1, size, options=["--form", form]) for form in FORMS}
    return [{**row, "form": form} for form, row in rounds.in_turn(rivals, 1 if place.quick else 5).items()]


def table(rows):
    by_form = {row["form"]: row for row in rows}
    return ["form", "M updates/s", "of software predication"], [
        [form, row["rate"] / 1e6, rounds.ratio(row, by_form[PREDICATION])] for form, row in by_form.items()]


def draw(rows, draw):
    return draw.bars([row["form"] for row in rows], {"rate": [row["rate"] / 1e6 for row in rows]},
                     "million updates a second", size=(4, 2.6))

# SPDX-License-Identifier: MIT
"""Table 4-4: the flows beside plain OpenCL: rates, and lines as study/count-forms counts them."""
import os
import subprocess

from portability.place import TOP
from study import flows, rounds
from study.place import Failed

NAME = "table-4-4"
TITLE = "Table 4-4: flows beside plain kernels of the host's"
PUBLISHED = "Strassen 1.06 times the plain product's rate, 42 % fewer lines; Queens 0.98 times, 36 % fewer"
COUNTED = {"Queens": "queens", "Sort": "sort", "Strassen, 8-way": "strassen-8", "Strassen, 7-way": "strassen-7"}


def lines_of_code():
    counter = os.path.join(TOP, "study", "count-forms")
    done = subprocess.run([counter], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("study/count-forms: exit status %d: %s" % (done.returncode, done.stderr.strip()))
    return {line.split()[0]: [int(word) for word in line.split()[1:4]] for line in done.stdout.splitlines()[1:]}


def measure(place):
    rows, lines = [], lines_of_code()
    for flow in flows.chosen(place):
        if flow.name not in COUNTED:
            continue
        rivals = {form: lambda flow=flow, form=form: flow.run(place, ["--form", form]) for form in ("flow", "plain")}
        own, plain, both = lines[COUNTED[flow.name]]
        rows += place.attempt(lambda rivals=rivals, own=own, plain=plain, both=both: [
            {**row, "form": form, "lines": both + (own if form == "flow" else plain)}
            for form, row in rounds.in_turn(rivals, 1 if place.quick else 5).items()])
    return rows


def table(rows):
    heads = ["", "input", "flow, M/s", "plain, M/s", "unit", "flow / plain", "lines: flow", "plain"]
    return heads, [[app, of["flow"]["input"], of["flow"]["rate"] / 1e6, of["plain"]["rate"] / 1e6, of["flow"]["unit"],
                    rounds.ratio(of["flow"], of["plain"]), str(of["flow"]["lines"]), str(of["plain"]["lines"])]
                   for app, of in flows.by_app(rows, "form").items()]


def draw(rows, draw):
    return None

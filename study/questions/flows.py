# SPDX-License-Identifier: MIT
"""Flows or plain kernels?"""
import os
import subprocess

from portability.place import TOP
from study import rounds, runs
from study.place import Failed

NAME = "flows"
TITLE = "Flows or plain kernels?"
ABOUT = """A recursion as a [channel-flow graph](../guide/flows.md), and as plain kernels that the host launches pass by
pass or tile by tile. Lines: kernels, records and the host's part that builds and launches. *Published*: GTaP on a GH200
(2026, CUDA)."""
KEYS = ("what", "form")
# Options for a quick run, a CPU and a GPU; the name in count-forms; published milliseconds, of the GPU's input.
FLOWS = {"queens": (("8", "12", "--base 8 15"), "queens", 17.2),
         "sort": (("4000", "1000000", "--base 256 10000000"), None, 10.2),
         "strassen": (("64", "512", "1024"), "strassen", None),
         "fib": (("12", "24", "40"), None, 76.8)}  # sort and fib have no plain form


def lines_of_code():
    counter = os.path.join(TOP, "study", "count-forms")
    done = subprocess.run([counter], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("study/count-forms: exit status %d: %s" % (done.returncode, done.stderr.strip()))
    return {line.split()[0]: [int(word) for word in line.split()[1:4]] for line in done.stdout.splitlines()[1:]}


def measure(place):
    rows = []
    for name in FLOWS:
        rows += place.attempt(lambda name=name: forms(place, name))
    return rows


def forms(place, name):
    sizes, counted, published = FLOWS[name]
    options = "-n %d " % (1 if place.quick else 3) + runs.sized(place, *sizes)
    rivals = {form: lambda form=form: runs.app(place, name, options + " --form " + form) for form in ("flow", "plain")}
    if not counted:
        rivals = {"flow": lambda: runs.app(place, name, options)}
    own = dict(zip(("flow", "plain", "both"), lines_of_code()[counted])) if counted else None
    return [{"what": name, "form": form, "input": runs.sized(place, *sizes), "lines": own[form] + own["both"] if own else None,
             "published_ms": None if place.is_cpu() or form != "flow" else published, **row}
            for form, row in rounds.in_turn(rivals, 1 if place.quick else 3).items()]


def by_app(rows):
    apps = {}
    for row in rows:
        apps.setdefault(row["what"], {})[row["form"]] = row
    return {what: of for what, of in apps.items() if "flow" in of}


def ratio(of):
    return rounds.ratio(of["flow"], of["plain"]) if "plain" in of else None


def sentence(rows):
    ups = ["%s %.2f" % (what, ratio(of)) for what, of in by_app(rows).items() if ratio(of)]
    return "rate of flows over that of plain kernels: %s." % ", ".join(ups) if ups else None


def table(rows):
    heads = ["", "input", "flow, ms", "published, ms", "flow / plain", "lines: flow", "plain"]
    return heads, [[what, of["flow"]["input"], 1e3 * of["flow"]["seconds"], of["flow"]["published_ms"],
                    ratio(of), of["flow"]["lines"] and str(of["flow"]["lines"]),
                    str(of["plain"]["lines"]) if "plain" in of else None] for what, of in by_app(rows).items()]


def draw(machines, draw):
    names = [what for what, (_, counted, _) in FLOWS.items() if counted]
    return draw.bars(names, {name: [ratio(by_app(rows)[what]) if what in by_app(rows) else None for what in names]
                             for name, rows in machines.items()}, "rate of the flow over that of plain kernels", reference=1)

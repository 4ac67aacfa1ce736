# SPDX-License-Identifier: MIT
"""Flows or plain kernels?"""
from study import lines, rounds, runs

NAME = "flows"
TITLE = "Flows or plain kernels?"
ABOUT = """A recursion as a [channel-flow graph](../guide/flows.md), and as plain kernels that the host launches pass by
pass or tile by tile. Lines: kernels, records and the host's part that builds and launches. *Published*: GTaP on a GH200
(2026, CUDA)."""
KEYS = ("what", "form")
# Options for a quick run, a CPU and a GPU; whether there is a plain form, whose lines are counted; published milliseconds, of the GPU's input.
FLOWS = {"queens": (("8", "12", "--base 8 15"), True, 17.2),
         "sort": (("4000", "1000000", "--base 256 10000000"), False, 10.2),
         "strassen": (("64", "512", "1024"), True, None),
         "fib": (("12", "24", "40"), False, 76.8)}


def measure(place):
    return place.each(FLOWS, lambda name: forms(place, name))


def forms(place, name):
    sizes, has_forms, published = FLOWS[name]
    size = runs.sized(place, *sizes)

    def run(form):
        options = "-n %d %s%s" % (1 if place.quick else 3, size, " --form " + form if has_forms else "")
        return {"what": name, "form": form, "input": size, "lines": lines.of_form(name, form) if has_forms else None,
                "published_ms": None if place.is_cpu() or form != "flow" else published, **runs.app(place, name, options)}

    return rounds.in_turn(place, ("flow", "plain")[:1 + has_forms], run)


def by_app(rows):
    return rounds.by(rows, "what", "form")


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
    names = [what for what, (_, has_forms, _) in FLOWS.items() if has_forms]
    return draw.bars(names, {name: [ratio(by_app(rows)[what]) if what in by_app(rows) else None for what in names]
                             for name, rows in machines.items()}, "rate of the flow over that of plain kernels", reference=1)

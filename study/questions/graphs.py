# SPDX-License-Identifier: MIT
"""How long do graphs take?"""
from study import runs

NAME = "graphs"
TITLE = "How long do graphs take?"
ABOUT = """One call of [the library of graphs](../guide/graphs.md) by the program of each, from the caller's arrays to the caller's
arrays, on Kronecker graphs of 2^20 and 2^22 vertices with 16 edges each, both ways, and on a mesh of 258,569 vertices. PageRank makes
20 iterations in single precision. Every result is compared with a serial one."""
KEYS = ("what", "input")
APPS = {"bfs": "", "sssp": "", "pagerank": "-i 20 -t 0", "mst": "", "color": ""}
INPUTS = {"kronecker-20": (None, "-g 16", "-g 20"), "kronecker-22": ("-g 9", "-g 18", "-g 22"), "mesh": ("--mesh 2000", "--mesh 65536", "--mesh 258569")}
LIMIT_S = 300


def measure(place):
    rows = []
    for what, options in APPS.items():
        for name, sizes in list(INPUTS.items())[place.quick:]:
            for n_ranks in place.ranks:
                words = "%s %s -n %d" % (options, runs.sized(place, *sizes), 1 if place.quick else 5)
                rows += place.attempt(lambda what=what, name=name, words=words, n=n_ranks: [
                    {"what": what, "input": name, **runs.app(place, what, words, n, limit_s=LIMIT_S)}])
    return rows


def milliseconds(rows, **fields):
    row = runs.one(rows, **fields)
    return 1000 * row["seconds"] if row else None


def counts_of(rows):
    return sorted({row["ranks"] for row in rows})


def sentence(rows):
    said = ["%s %.1f" % (what, found) for what in APPS for found in [milliseconds(rows, what=what, input="kronecker-22", ranks=1)] if found]
    return "kronecker-22 on one takes, in ms: %s." % ", ".join(said) if said else None


def table(rows):
    heads = [""] + ["%s on %d, ms" % (name, n) for name in INPUTS for n in counts_of(rows)]
    return heads, [[what] + [milliseconds(rows, what=what, input=name, ranks=n) for name in INPUTS for n in counts_of(rows)]
                   for what in APPS]


def draw(machines, draw):
    series = {"%s, %d rank%s" % (name, n, "s" * (n > 1)): [milliseconds(rows, what=what, input="kronecker-22", ranks=n) for what in APPS]
              for name, rows in machines.items() for n in counts_of(rows)}
    return draw.bars(list(APPS), series, "milliseconds, kronecker-22", log_y=True)

# SPDX-License-Identifier: MIT
"""Does it scale on larger inputs?"""
from study import runs
from study.questions import scale

NAME = "larger"
TITLE = "Does it scale on larger inputs?"
ABOUT = """As *Does it scale?*, of inputs that keep a device busy between two waits for other nodes."""
KEYS = ("what",)
APPS = {"pagerank": ("-i 10 -t 0 -g %d -n 5", (9, 20, 24)), "sssp": ("-g %d -n 5", (9, 18, 24)),
        "color": ("-g %d -n 3", (9, 18, 22)), "kmeans": ("-p %d -n 3", (2000, 1 << 22, 1 << 25)), "mer": ("-f %s -k 31 -n 3", (15, 22, 27))}
LIMIT_S = 300
sentence, draw = scale.sentence, scale.draw


def measure(place):
    rows = []
    for name in APPS:
        for n_ranks in place.ranks:
            rows += place.attempt(lambda name=name, n=n_ranks: [app(place, name, n)])
    return rows


def app(place, name, n_ranks):
    options = scale.sized_options(place, name, *APPS[name])
    return {"what": name, **runs.app(place, name, options, n_ranks, own_cores=place.is_cpu(), limit_s=LIMIT_S)}


def table(rows):
    lines = [[what, str(n), of[n]["rate"] / 1e6, "M " + of[n]["unit"], of[n]["seconds"] * 1e3, scale.of_one(of, n)]
             for what, of in scale.by_app(rows).items() for n in sorted(of)]
    return ["", "ranks", "rate", "unit", "ms", "of one"], lines

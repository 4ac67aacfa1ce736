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
sentence, table, draw = scale.sentence, scale.table, scale.draw


def measure(place):
    rows = []
    for name in APPS:
        for n_ranks in place.ranks:
            rows += place.attempt(lambda name=name, n=n_ranks: [app(place, name, n)])
    return rows


def app(place, name, n_ranks):
    options = scale.sized_options(place, name, *APPS[name])
    return {"what": name, **runs.app(place, name, options, n_ranks, own_cores=place.is_cpu(), limit_s=LIMIT_S)}

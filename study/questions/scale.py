# SPDX-License-Identifier: MIT
"""Does it scale?"""
import itertools
import os

from study import runs, workloads
from study.questions import message

NAME = "scale"
TITLE = "Does it scale?"
ABOUT = """Rates on 1, 2 ... ranks, each with a GPU or cores of its own, and of *one process* on that many cores. `gups`
makes as many updates on every rank; kmeans and mer divide one input. *Bus*: what `bench-bus` copies both ways on as many
GPUs at once."""
KEYS = ("what", "cores_each")
NAMES = {"gups": "updates of random words", "kmeans": "k-means", "mer": "k-mers"}
APPS = {"gups": None, "kmeans": ("-p %d -n 3", (1000, 1 << 20, 1 << 24)), "mer": ("-f %s -k 31 -n 3", (14, 20, 26))}


def measure(place):
    rows = place.each(() if place.is_cpu() else place.ranks, lambda n: [bus(place, n)])
    rows += place.each(itertools.product(APPS, place.ranks), lambda one: [app(place, *one)])
    return rows + place.each(place.ranks if place.is_cpu() else (), lambda n: [on_cores(place, n)])


def bus(place, n_ranks):
    argv = [place.program("bench/bench-bus"), "--json", "--mib", "64", "--copies", "32", "--variant", "both ways", "--runs", "5"]
    results, command = runs.run(place, argv, n_ranks)
    return {"what": "bus", "cores_each": 0, "ranks": n_ranks, **runs.row_of(results[-1], command)}


def app(place, name, n_ranks):
    if name == "gups" and not place.is_cpu():
        row = message.gups(place, "inc", n_ranks)
    else:
        row = runs.app(place, name, options_of(place, name), n_ranks, own_cores=place.is_cpu())
    return {"what": name, "cores_each": place.cores_each() if place.is_cpu() else 0, **row}


def options_of(place, name):
    if name == "gups":
        return message.gups_options(place, "inc")
    options, sizes = APPS[name]
    size = runs.sized(place, *sizes)
    return options % (os.path.basename(workloads.reads(place.out, size)) if name == "mer" else size)


def on_cores(place, n_cores):
    """gups in one process on so many cores."""
    argv = [place.app("gups"), "-q", "-v", "--json"] + message.gups_options(place, "inc").split()
    settings = {"POCL_MAX_PTHREAD_COUNT": str(n_cores), "GRAVEL_TRANSPORT": "self"}
    results, command = place.run(["taskset", "-c", ",".join(str(core) for core in place.cores[:n_cores])] + argv, settings)
    return {"what": "gups, one process", "cores_each": n_cores, "ranks": 1, **runs.row_of(results[-1], command)}


def places(row):
    """What a rate should grow with."""
    return row["cores_each"] if row["what"] == "gups, one process" else row["ranks"]


def by_app(rows):
    """{what: {places: row}}, the bus first."""
    apps = {}
    for row in rows:
        apps.setdefault(row["what"], {})[places(row)] = row
    return apps


def of_one(of, n):
    return runs.over(of[n]["rate"], of[1]["rate"]) if 1 in of else None


def sentence(rows):
    apps = {what: of for what, of in by_app(rows).items() if what in APPS and 1 in of}
    most = max((max(of) for of in apps.values()), default=1)
    ups = ["%s %.2f" % (what, of_one(of, most)) for what, of in apps.items() if most in of]
    return "rate on %d ranks over that on one: %s." % (most, ", ".join(ups)) if most > 1 and ups else None


def pays(rows):
    for what, of in by_app(rows).items():
        if what in NAMES and 1 in of and 2 in of:
            yield NAMES[what], of_one(of, 2)


def draw(machines, draw):
    series = {"%s: %s" % (name, what): [(n, of_one(of, n)) for n in of]
              for name, rows in machines.items() for what, of in by_app(rows).items() if 1 in of and len(of) > 1}
    return draw.scaling(series, "ranks, or cores", "rate over that of one")

# SPDX-License-Identifier: MIT
"""Servers or locks?"""
import itertools

from study import rounds, runs, servers
from study.page import cell

NAME = "servers"
TITLE = "Servers or locks?"
ABOUT = """Inserts into linked lists (`hashtable`) and transfers between accounts (`atm`), M/s, by the better form of
[servers](../guide/servers.md), by the better of two spin locks at its best number of groups, and by one atomic."""
KEYS = ("what", "keys", "form", "groups")
APPS = {"hashtable": ("--buckets %d --items %d", (14, 20, 22)), "atm": ("--accounts %d --orders %d", (13, 19, 21))}
LOCK_GROUPS = (132, 1056)  # on GPUs


def measure(place):
    counts = runs.sized(place, (256,), (256, 32768, 1024, 4096), (256, 65536, 4096, 1024, 16384))
    return place.each(itertools.product(counts, APPS), lambda each: forms(place, *each))


def forms(place, keys, name):
    options, logs = APPS[name]
    words = (options % (keys, runs.sized(place, *logs))).split()
    sections = servers.Sections("%s, %d keys" % (name, keys), name, words, words)

    def run(rival):
        return {"what": name, "keys": keys, "ranks": 1, **sections.run(place, *rival)}

    rivals = servers.rivals(place, LOCK_GROUPS, ("atomic",))
    if place.is_cpu():
        return rounds.in_turn(place, rivals, run)
    return place.each(rivals, lambda rival: rounds.in_turn(place, [rival], run, 1))  # a form that fails leaves the rest


def by_keys(rows):
    """[(what, keys, (served, locked, atomic))], those with the first two."""
    groups = {}
    for row in rows:
        groups.setdefault((row["what"], row["keys"]), []).append(row)
    found = [(what, keys, [servers.best(some, forms) for forms in (servers.SERVERS, servers.LOCKS, ("atomic",))])
             for (what, keys), some in sorted(groups.items())]
    return [(what, keys, three) for what, keys, three in found if three[0] and three[1]]


def sentence(rows):
    found = [(what, keys, rounds.ratio(served, locked)) for what, keys, (served, locked, _) in by_keys(rows)]
    if not found:
        return None
    ends = [(what, [(keys, ratio) for name, keys, ratio in found if name == what]) for what in dict.fromkeys(
        what for what, _, _ in found)]
    return "rate of servers over that of locks: " + "; ".join(
        "%s %s" % (what, ", ".join("%s with %d keys" % (cell(ratio), keys) for keys, ratio in dict.fromkeys((points[0], points[-1]))))
        for what, points in ends) + "."


def draw(machines, draw):
    series = {}
    for name, rows in machines.items():
        for what, keys, (served, locked, _) in by_keys(rows):
            series.setdefault("%s: %s" % (name, what), []).append((keys, rounds.ratio(served, locked)))
    return draw.lines(series, "keys", "rate of servers over that of the better lock")

# SPDX-License-Identifier: MIT
"""Servers or locks?"""
from study import rounds, runs
from study.page import cell
from study.servers import LOCKS, SERVERS, Sections

NAME = "servers"
TITLE = "Servers or locks?"
ABOUT = """Inserts into linked lists (`hashtable`) and transfers between accounts (`atm`), M/s, by the better form of
[servers](../guide/servers.md), by the better of two spin locks at its best number of groups, and by one atomic."""
KEYS = ("what", "keys", "form", "groups")
APPS = {"hashtable": ("--buckets %d --items %d", (14, 20, 22)), "atm": ("--accounts %d --orders %d", (13, 19, 21))}
LOCK_GROUPS = (132, 1056)  # on GPUs


def measure(place):
    rows = []
    for keys in runs.sized(place, (256,), (256, 32768, 1024, 4096), (256, 65536, 4096, 1024, 16384)):
        for name in APPS:
            rows += place.attempt(lambda name=name, keys=keys: forms(place, name, keys))
    return rows


def forms(place, name, keys):
    options, logs = APPS[name]
    words = (options % (keys, runs.sized(place, *logs))).split()
    sections = Sections("%s, %d keys" % (name, keys), name, words, words)
    rivals = {(form, 0): lambda form=form: sections.run(place, form, 0) for form in sections.forms_on(place) + ["atomic"]}
    for groups in (0,) if place.is_cpu() else LOCK_GROUPS:
        for form in LOCKS:
            rivals[form, groups] = lambda form=form, groups=groups: sections.run(place, form, groups)
    if place.is_cpu():
        return rows_of(name, keys, rounds.in_turn(rivals, 1 if place.quick else 3))
    return [row for rival in rivals for row in place.attempt(  # a round: a form that fails leaves the rest
        lambda rival=rival: rows_of(name, keys, rounds.in_turn({rival: rivals[rival]}, 1)))]


def rows_of(name, keys, measured):
    return [{"what": name, "keys": keys, "form": form, "groups": groups, "ranks": 1,
             **{field: row[field] for field in ("rate", "rates", "unit", "valid", "command")}}
            for (form, groups), row in measured.items()]


def best(rows, forms):
    return max((row for row in rows if row["form"] in forms), key=lambda row: row["rate"], default=None)


def by_keys(rows):
    """[(what, keys, (served, locked, atomic))], those with the first two."""
    groups = {}
    for row in rows:
        groups.setdefault((row["what"], row["keys"]), []).append(row)
    found = [(what, keys, [best(some, forms) for forms in (SERVERS, LOCKS, ("atomic",))])
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

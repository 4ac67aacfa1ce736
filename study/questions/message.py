# SPDX-License-Identifier: MIT
"""How fast is a message?"""
from study import queue, runs
from study.page import cell, per_second

NAME = "message"
TITLE = "How fast is a message?"
ABOUT = """*Hand-over* is a kernel's messages until its host has read them (`bench-queue`, on GPUs `bench-pump`);
*copy*, plain copies of as many bytes. *Inc*, *put* and *add-float* are updates of random words of a table (`gups`);
with two nodes, half of the words are remote. The host never reads messages for the device's own words, so more updates
are made than handed over. A *round trip* is one group that asks for a number and waits (`bench-request`)."""
KEYS = ("what", "bytes")
UPDATES = {"inc": 4, "add-float": 8, "put": 12}  # bytes of a message


def gups_options(place, op):
    return "%s --op %s -n %s" % (runs.sized(place, "--table 10 --updates 12", "--table 24 --updates 24",
                                            "--table 28 --updates 28"), op, 1 if place.quick else 5)


def gups(place, op, n_ranks):
    return runs.once(place, runs.app, "gups", gups_options(place, op), n_ranks)


def measure(place):
    each = [(what, n) for what in ("inc", "round trip", "put", "add-float") for n in (1, 2) if n in place.ranks]
    return place.attempt(lambda: hand_over(place)) + place.each(each, lambda one: exchange(place, *one))


def hand_over(place):
    rows = queue.measure(place, [32] if place.quick else [8, 16, 32], [256], ["work-group"])
    return [{"what": "copy" if row["variant"] == "copy" else "hand-over", "bytes": row["message_bytes"], "ranks": 1,
             **{name: row[name] for name in ("rate", "unit", "valid", "command")}} for row in rows]


def exchange(place, what, n_ranks):
    if what in UPDATES:
        return [{"what": what, "bytes": UPDATES[what], **gups(place, what, n_ranks)}]
    options = "--runs %d" % (1 if place.quick else 5)
    return [{"what": what, "bytes": 8, **runs.variant(place, "bench-request", options, n_ranks, "round-trip-1")}]


def sentence(rows):
    handed, copied = (runs.rate(rows, what=what, bytes=8) for what in ("hand-over", "copy"))
    one, two = (runs.rate(rows, what="inc", ranks=n) for n in (1, 2))
    trip = runs.rate(rows, what="round trip", ranks=2) or runs.rate(rows, what="round trip")
    if not (handed and one and trip):
        return None
    text = "an update of a random word takes %s ns on one node" % cell(1e9 / one)
    text += " and %s ns on two" % cell(1e9 / two) if two else ""
    text += ", a message of 8 bytes to the host %s ns" % cell(1e9 / handed)
    text += " (a plain copy %s)" % cell(1e9 / copied) if copied else ""
    return text + ", and a round trip between nodes %.0f us." % (1e6 / trip)


def rates(rows):
    one = runs.one(rows, what="inc", ranks=1)
    if one:
        yield "updates of random words, one node", per_second(one)
    for n, name in (1, "one node"), (2, "two nodes"):
        trip = runs.rate(rows, what="round trip", ranks=n)
        if trip:
            yield "round trip, " + name, cell(1e6 / trip) + " us"


def draw(machines, draw):
    shown = [("hand-over", 8, 1), ("hand-over", 32, 1), ("inc", 4, 1), ("inc", 4, 2), ("put", 12, 1), ("put", 12, 2),
             ("round trip", 8, 2)]
    groups = ["%s\n%d bytes%s" % (what, n_bytes, "\ntwo ranks" * (ranks == 2)) for what, n_bytes, ranks in shown]
    series = {name: [(runs.rate(rows, what=what, bytes=n_bytes, ranks=ranks) or 0) / 1e6
                     for what, n_bytes, ranks in shown] for name, rows in machines.items()}
    return draw.bars(groups, series, "million messages a second", log_y=True)

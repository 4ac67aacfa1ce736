# SPDX-License-Identifier: MIT
"""What does sharing words cost?"""
from study import runs

NAME = "sharing"
TITLE = "What does sharing words cost?"
ABOUT = """Two ranks, by [mirrors and accumulators](../guide/sharing.md). *Shared*: `bench-mirror` updates every second
4-byte word of a range of the other rank, over *copied*, plain copies of as many bytes from the device to pinned memory
and back. *Accumulated*: `bench-accumulate` adds to random words of the other rank, over *messages*, one an update;
*zipf*: `gups --zipf 1`, few words often."""
KEYS = ("what", "words")
WORDS = (1 << 5, 1 << 20)
ZIPF = "zipf, "
PAIRS = (("shared", "copied"), ("accumulated", "messages"), (ZIPF + "accumulated", ZIPF + "messages"))


def measure(place):
    n_runs = "--runs %d " % (1 if place.quick else 11)
    groups = runs.sized(place, "--groups 2", "", "--groups 4096")
    if 2 not in place.ranks:
        return []
    benches = [(bench, n) for n in WORDS for bench in (("bench-mirror", n_runs), ("bench-accumulate", n_runs + groups))]
    return place.each(benches, lambda one: rows_of(place, *one[0], one[1])) + \
        place.each(("messages", "accumulated"), lambda words: [zipf(place, words)])


def rows_of(place, program, options, n_words):
    found = runs.bench(place, program, "%s --words %d" % (options, n_words), 2)
    return [{"what": name, "words": n_words, **row} for name, row in found.items()]


def zipf(place, words):
    table, updates = runs.sized(place, (8, 10), (16, 22), (24, 28))
    options = "--table %d --updates %d --zipf 1 -n %d%s" % (table, updates, 1 if place.quick else 5,
                                                          " --accumulate" if words == "accumulated" else "")
    return {"what": ZIPF + words, "words": 1 << table, **runs.app(place, "gups", options, 2)}


def ratios(rows):
    """[(pair, words, rates)], of what was measured."""
    found = []
    for pair in PAIRS:
        for n in sorted({row["words"] for row in rows if row["what"] == pair[0]}):
            rates = [runs.rate(rows, what=what, words=n) for what in pair]
            if all(rates):
                found.append((pair, n, rates))
    return found


def sentence(rows):
    said = ["%s %.2f times %s (%d words)" % (pair[0], first / second, pair[1].replace(ZIPF, ""), n)
            for pair, n, (first, second) in ratios(rows)]
    return "; ".join(said) + "." if said else None


def draw(machines, draw):
    found = {name: {"%s\n%d" % (pair[0], n): first / second for pair, n, (first, second) in ratios(rows)}
             for name, rows in machines.items()}
    labels = list(dict.fromkeys(label for of in found.values() for label in of))
    return draw.bars(labels, {name: [of.get(label) for label in labels] for name, of in found.items()},
                     "times the rate of what it is over", log_y=True, reference=1)

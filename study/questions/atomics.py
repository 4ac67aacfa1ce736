# SPDX-License-Identifier: MIT
"""Against the device's own atomics and NVSHMEM?"""
from study import runs
from study.questions import message

NAME = "atomics"
TITLE = "Against the device's own atomics and NVSHMEM?"
ABOUT = """*Messages* are `gups`. *Own atomics* are the same increments straight from a kernel, without messages, which reach the
words of its own device alone (`bench-gups --variant kernel`). The table's words decide: few are in the cache, and increments
of one word meet, which messages add up before they reach memory. NVSHMEM's increments on two H200s over NVLink were measured by
a CUDA program of the same updates of 2^28 words in November 2026; that program is not in this tree."""
KEYS = ("what", "log_words")
NVSHMEM = {1: 14.9e9, 2: 21.2e9}  # increments/s of all ranks together
MESSAGES, OWN = "messages", "own atomics"


def sizes(place):
    """log2 of the words, and of the updates."""
    return runs.sized(place, ((10,), 12), ((24, 10, 16, 20), 24), ((28, 10, 20, 24, 15), 28))


def measure(place):
    words, updates = sizes(place)
    rows = []
    for log_words in words:
        rows += place.attempt(lambda log_words=log_words: [
            {"what": MESSAGES, "log_words": log_words, **by_messages(place, log_words, updates, 1)},
            {"what": OWN, "log_words": log_words, **by_atomics(place, log_words, updates)}])
    if 2 in place.ranks:
        rows += place.attempt(lambda: [{"what": MESSAGES, "log_words": words[0],
                                        **by_messages(place, words[0], updates, 2)}])
    return rows


def by_messages(place, log_words, updates, n_ranks):
    if log_words == sizes(place)[0][0]:
        return message.gups(place, "inc", n_ranks)
    return runs.app(place, "gups", "--table %d --updates %d -n 5" % (log_words, updates), n_ranks)


def by_atomics(place, log_words, updates):
    return runs.bench(place, "bench-gups", "--variant kernel --runs %d --table-words-log2 %d --updates-log2 %d" % (
        1 if place.quick else 3, log_words, updates))["kernel"]


def ratio(rows, log_words):
    return runs.over(runs.rate(rows, what=MESSAGES, log_words=log_words, ranks=1),
                     runs.rate(rows, what=OWN, log_words=log_words))


def sentence(rows):
    counts = sorted({row["log_words"] for row in rows if ratio(rows, row["log_words"])})
    if not counts:
        return None
    text = "messages make %.2f times as many increments a second as the device's own atomics in a table of 2^%d words" % (
        ratio(rows, counts[-1]), counts[-1])
    text += ", %.2f times as many in one of 2^%d" % (ratio(rows, counts[0]), counts[0]) if counts[0] < counts[-1] else ""
    two = runs.rate(rows, what=MESSAGES, ranks=2)
    if two and two > 1e9:
        text += "; two GPUs make %.1f G, where NVSHMEM makes %.1f G over NVLink" % (two / 1e9, NVSHMEM[2] / 1e9)
    return text + "."


def table(rows):
    heads = ["words", "ranks", "messages, M increments/s", "own atomics, M/s", "messages / own atomics"]
    lines = []
    for row in sorted((row for row in rows if row["what"] == MESSAGES), key=lambda row: (row["ranks"], -row["log_words"])):
        own = runs.rate(rows, what=OWN, log_words=row["log_words"]) if row["ranks"] == 1 else None
        lines.append(["2^%d" % row["log_words"], str(row["ranks"]), row["rate"] / 1e6, own / 1e6 if own else None,
                      runs.over(row["rate"], own)])
    return heads, lines


def draw(machines, draw):
    series = {}
    for name, rows in machines.items():
        for row in rows:
            if row["ranks"] == 1:
                series.setdefault("%s, %s" % (name, row["what"]), []).append((1 << row["log_words"], row["rate"] / 1e6))
    if any(row["rate"] > 1e9 for rows in machines.values() for row in rows):
        series["H200, NVSHMEM"] = [(1 << 28, NVSHMEM[1] / 1e6)]
    return draw.lines(series, "words of the table", "million increments a second")

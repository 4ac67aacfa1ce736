# SPDX-License-Identifier: MIT
"""Against the device's own atomics and NVSHMEM?"""
from study import runs
from study.page import per_second
from study.questions import message

NAME = "atomics"
TITLE = "Against the device's own atomics and NVSHMEM?"
ABOUT = """*Messages* are `gups`; *own atomics* are the same increments straight from a kernel (`bench-gups --variant
kernel`), which reach its own device alone. Few words are in the cache, and their increments meet, which messages add up
before they reach memory. A CUDA program, not in this tree, measured NVSHMEM's in November 2026: 2^28 words a rank."""
KEYS = ("what", "log_words")
NAMED = 1
NVSHMEM = {1: 14.9e9, 2: 21.2e9}  # increments/s of all ranks together
NVSHMEM_ON = "two H200s"
MESSAGES, OWN = "messages", "own atomics"


def measure(place):
    """In tables of the logarithms of words, as many updates; in the first one the message question's."""
    words, updates = runs.sized(place, ((10,), 12), ((24, 10, 16, 20), 24), ((28, 10, 20, 24, 15), 28))
    rows = place.each(words, lambda log_words: [
        {"what": MESSAGES, "log_words": log_words, **(message.gups(place, "inc", 1) if log_words == words[0] else runs.app(
            place, "gups", "--table %d --updates %d -n 5" % (log_words, updates)))},
        {"what": OWN, "log_words": log_words, **by_atomics(place, log_words, updates)}])
    return rows + place.each([n for n in place.ranks if n == 2], lambda n: [
        {"what": MESSAGES, "log_words": words[0], **message.gups(place, "inc", n)}])


def by_atomics(place, log_words, updates):
    options = "--runs %d --table-words-log2 %d --updates-log2 %d" % (1 if place.quick else 3, log_words, updates)
    return runs.variant(place, "bench-gups", options, 1, "kernel")


def ratio(rows, log_words):
    return runs.over(runs.rate(rows, what=MESSAGES, log_words=log_words, ranks=1),
                     runs.rate(rows, what=OWN, log_words=log_words))


def sentence(rows):
    counts = sorted({row["log_words"] for row in rows if ratio(rows, row["log_words"])})
    if not counts:
        return None
    text = "messages are %.2f times as fast as the device's own atomics in a table of 2^%d words" % (
        ratio(rows, counts[-1]), counts[-1])
    text += ", %.2f times in one of 2^%d" % (ratio(rows, counts[0]), counts[0]) if counts[0] < counts[-1] else ""
    return text + "."


def front(rows):
    two = runs.one(rows, what=MESSAGES, ranks=2)
    if two and two["machine"] == NVSHMEM_ON:
        yield ("increments, 2^28 words a rank, 2 ranks", per_second(two), "NVSHMEM, NVLink",
               per_second({**two, "rate": NVSHMEM[2]}), two["rate"] / NVSHMEM[2])


def table(rows):
    counts = sorted({row["log_words"] for row in rows if ratio(rows, row["log_words"])}, reverse=True)
    return ["words", "M/s", "/ own atomics"], [
        ["2^%d" % n, runs.rate(rows, what=MESSAGES, log_words=n, ranks=1) / 1e6, ratio(rows, n)] for n in counts]


def draw(machines, draw):
    series = {}
    for name, rows in machines.items():
        for row in rows:
            if row["ranks"] == 1:
                series.setdefault("%s, %s" % (name, row["what"]), []).append((1 << row["log_words"], row["rate"] / 1e6))
    if any(row["rate"] > 1e9 for rows in machines.values() for row in rows):
        series["H200, NVSHMEM"] = [(1 << 28, NVSHMEM[1] / 1e6)]
    return draw.lines(series, "words of the table", "million increments a second")

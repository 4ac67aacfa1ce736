# SPDX-License-Identifier: MIT
"""What do records, lines, questions and blocks of memory cost?"""
from study import runs

NAME = "handed"
TITLE = "What do records, lines, questions and blocks of memory cost?"
ABOUT = """What kernels hand to the host, and get from it, while they run, over the same by hand. By `bench-records`: *append*, records of 32 bytes of all work-items to a file, over a *buffer* that is copied and written
after the kernel; *append-if* and *append-wi*, of one work-item in sixteen by its group or alone, over a buffer and a
*counter*; *lines* over OpenCL's *printf*; *count-print*, increments in a kernel with a line that no work-item prints;
*ask*, a group that waits for a host function's answer, over `gravel_get`. By `bench-block-pool`: 64-byte blocks of a pool
that is 91 % full, allocated and freed *by groups* or *by items*, over blocks from the host (*ask*), and an atomic
*counter*, which frees none."""
KEYS = ("what",)
BLOCKS = "blocks by "
PAIRS = (("append", "buffer"), ("append-if", "counter"), ("append-wi", "counter"), ("lines", "printf"),
         ("count-print", "count"), ("ask", "get"),
         (BLOCKS + "groups", BLOCKS + "ask"), (BLOCKS + "items", BLOCKS + "ask"),
         (BLOCKS + "groups", BLOCKS + "counter"), (BLOCKS + "items", BLOCKS + "counter"))
POOLS = ("--items 512 --blocks 16384", "", "--items 262144 --blocks 8388608")


def measure(place):
    n_runs = "--runs %d " % (1 if place.quick else 11)
    records = n_runs + runs.sized(place, "--items 8192", "", "")
    pools = n_runs + "--full 91 " + runs.sized(place, *POOLS)
    return place.attempt(lambda: rows_of(place, "bench-records", records, "")) + \
        place.attempt(lambda: rows_of(place, "bench-block-pool", pools, BLOCKS))


def rows_of(place, program, options, before):
    return [{"what": before + name, **row} for name, row in runs.bench(place, program, options).items()]


def ratio(rows, name, rival):
    return runs.over(runs.rate(rows, what=name), runs.rate(rows, what=rival))


def sentence(rows):
    found = {pair: ratio(rows, *pair) for pair in PAIRS}
    said = [("records are written %.2f times as fast as a buffer", PAIRS[0]),
            ("those of one work-item in sixteen %.2f times", PAIRS[1]), ("lines %.2f times as fast as by printf", PAIRS[3]),
            ("an answer of the host comes %.2f times as fast as a word of memory", PAIRS[5]),
            ("groups get blocks of a pool %.3g times as fast as from the host", PAIRS[6])]
    text = "; ".join(words % found[pair] for words, pair in said if found[pair])
    return text + "." if text else None


def draw(machines, draw):
    pairs = PAIRS[:8]
    series = {machine: [ratio(rows, *pair) for pair in pairs] for machine, rows in machines.items()}
    labels = ["%s\n/ %s" % tuple(name.replace(BLOCKS, "") for name in pair) for pair in pairs]
    return draw.bars(labels, series, "times the rate of what it is over", log_y=True, reference=1)

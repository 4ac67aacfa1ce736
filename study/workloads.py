# SPDX-License-Identifier: MIT
"""The applications and inputs of chapter 5 (table 5-2), in sizes that fit this machine.

The dissertation's inputs are hugebubbles-00020 (PR-1, SSSP-1, color-1) and cage15 (PR-2, ...); --mesh and --band
generate graphs with their statistics in any size. k-means has 8 clusters, mer the k-mers of reads. `size` is the log2
of the messages, about, that all ranks together send in one pass over the input; it does not change with the ranks.
"""
import os
import random

from study import runs

ITERATIONS = "4"  # of applications that would take long
READ_BASES, COVERAGE, ERROR_EVERY = 1000, 8, 100


class Workload:
    def __init__(self, name, app, arguments):
        self.name, self.app, self.arguments = name, app, arguments

    def run(self, place, n_ranks, size, n_trials=3, options=(), **how):
        """@return one row: name, ranks, rate, unit, seconds, the nodes' statistics, command."""
        words = ["-n", str(n_trials), *self.arguments(place, n_ranks, size), *options]
        result, command = runs.result(place, self.app, words, n_ranks, limit_s=300, **how)
        return {"workload": self.name, "ranks": n_ranks, "model": result.get("model"), **traffic(result["statistics"]),
                **runs.row_of(result, command, "seconds")}


def traffic(nodes):
    """Of all nodes' messages, those for other nodes; and the mean size of what went over the network."""
    total = {name: sum(node[name] for node in nodes) for name in
             ("messages", "host_messages", "remote_messages", "network_buffers", "network_bytes")}
    n_messages = total["messages"] + total["host_messages"]
    return {"messages": n_messages, "remote_share": total["remote_messages"] / n_messages if n_messages else None,
            "mean_bytes": total["network_bytes"] / total["network_buffers"] if total["network_buffers"] else None}


# ---- inputs ------------------------------------------------------------------------------------

def share_of(size, n_ranks):
    """log2 of a rank's part."""
    return str(max(size - (n_ranks - 1).bit_length(), 8))


def gups(place, n_ranks, size):
    return ["--table", share_of(size, n_ranks), "--updates", share_of(size, n_ranks), "--per-item", "16"]


def mesh(place, n_ranks, size):
    return ["--mesh", str(max(1 << size, 64) // 3)]


def band(place, n_ranks, size):
    return ["--band", str(max(1 << size, 64) // 19)]


def ranked(graph):
    return lambda place, n_ranks, size: graph(place, n_ranks, size) + ["-i", ITERATIONS]


def kmeans(place, n_ranks, size):
    return ["-p", str((1 << size) // 5), "-k", "8", "-i", ITERATIONS]


def mer(place, n_ranks, size):
    return ["-f", reads(place.out, size), "-k", "31"]


def reads(folder, size):
    """A file of about 2^size bases: reads of a random genome, each part of it read 8 times, one base in 100 wrong."""
    path = os.path.join(folder, "reads-%d.fa" % size)
    if os.path.exists(path):
        return path
    draw, n_bases = random.Random(size), max(1 << size, 2 * READ_BASES * COVERAGE)
    genome = "".join(draw.choices("ACGT", k=n_bases // COVERAGE))
    with open(path + ".part", "w", encoding="ascii") as out:
        for number in range(n_bases // READ_BASES):
            begin = draw.randrange(len(genome) - READ_BASES)
            read = list(genome[begin:begin + READ_BASES])
            for _ in range(READ_BASES // ERROR_EVERY):
                read[draw.randrange(READ_BASES)] = draw.choice("ACGT")
            out.write(">%d\n%s\n" % (number, "".join(read)))
    os.rename(path + ".part", path)
    return path


WORKLOADS = (Workload("GUPS", "gups", gups), Workload("PR-1", "chapter5/pagerank", ranked(mesh)),
             Workload("PR-2", "chapter5/pagerank", ranked(band)), Workload("SSSP-1", "chapter5/sssp", mesh),
             Workload("SSSP-2", "chapter5/sssp", band), Workload("color-1", "chapter5/color", mesh),
             Workload("color-2", "chapter5/color", band), Workload("kmeans", "chapter5/kmeans", kmeans),
             Workload("mer", "chapter5/mer", mer))


def some(place):
    """Two if it is quick."""
    return WORKLOADS[:2] if place.quick else WORKLOADS

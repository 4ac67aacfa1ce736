#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The microcircuit fires as NEST's: of each population the rates of neurons, the CV of their intervals and the correlations of
pairs are distributed as in NEST, as far as three seeds of each agree.

usage: beside_nest.py PROGRAM [SCALE SECONDS [FOLDER]]    (0.1 3) in a Python that has nest-simulator, with the tree in PYTHONPATH
           FOLDER   keeps the spikes of each run that has ended, and the next call with this PROGRAM and NEST takes them
exit:  0; 1 with a line for each population that differs, behind the table

Distances are those of Kolmogorov and Smirnov. That between the programs, the mean of nine pairs of seeds, may be LIMIT times that of
seeds, the largest between two of one program, of a population, and as large in the mean of all eight.

Path: apps/microcircuit, study/rivals/nest.py -> this
"""
import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy

from study.rivals import nest, problems

SCALE, SECONDS = map(float, sys.argv[2:4] or (0.1, 3))
SETTLED, SEEDS, LIMIT = 0.5, (1, 2, 3), 1.5
N_THREADS = 1 if SCALE < 1 else max(1, len(os.sched_getaffinity(0)) // len(SEEDS))  # NEST's spikes depend on it
MEASURES = ("rate", "CV", "correlation")
N_CORRELATED, BIN = 200, 20  # neurons of a population; steps
ENDS = numpy.cumsum(problems.sizes(SCALE))


def of_gravel(seed, path):
    """Writes what fires, and when: columns "neuron" and "step"."""
    subprocess.run([sys.argv[1], "-q", "-n", "1", "--scale", str(SCALE), "--seconds", str(SECONDS), "--seed", str(seed),
                    "--record", path], check=True)


def of_nest(seed, path):
    recorder = nest.build(SCALE, seed, N_THREADS)
    nest.library().Simulate(1000 * SECONDS)
    events = recorder.events
    steps = numpy.rint(events["times"] / nest.STEP).astype(int) - 1
    numpy.save(path, numpy.rec.fromarrays([events["senders"] - 1, steps], names="neuron,step"))


def values_in(folder, run, seed):
    """values_of the run's spikes, made if the folder lacks them."""
    version = nest.library().__version__ if run is of_nest else "%08x" % zlib.crc32(pathlib.Path(sys.argv[1]).read_bytes())
    path = os.path.join(folder, "%s-%s-%d-%g-%g.npy" % (run.__name__, version, seed, SCALE, SECONDS))
    if not os.path.exists(path):
        run(seed, path + ".part.npy")
        os.rename(path + ".part.npy", path)
    spikes = numpy.load(path)
    return values_of(spikes["neuron"].astype(int), spikes["step"].astype(int))


# ---- what is compared --------------------------------------------------------------------------------------------------

def values_of(neurons, steps):
    """{measure: the values of each population}"""
    is_late = steps >= SETTLED / nest.STEP * 1000
    neurons, steps = neurons[is_late], steps[is_late]
    rates = numpy.bincount(neurons, minlength=ENDS[-1]) / (SECONDS - SETTLED)
    order = numpy.lexsort((steps, neurons))
    is_next = numpy.diff(neurons[order]) == 0
    intervals, of = numpy.diff(steps[order])[is_next], neurons[order][1:][is_next]
    n, sums, squares = (numpy.bincount(of, weights, minlength=ENDS[-1]) for weights in (None, intervals, intervals ** 2))
    with numpy.errstate(invalid="ignore", divide="ignore"):
        means = sums / n
        cvs = numpy.where(n >= 2, numpy.sqrt(numpy.maximum(squares / n - means ** 2, 0)) / means, numpy.nan)
    found = {name: numpy.split(values, ENDS[:-1]) for name, values in (("rate", rates), ("CV", cvs))}
    found["CV"] = [values[~numpy.isnan(values)] for values in found["CV"]]
    found["correlation"] = [correlations(neurons - first, steps, min(N_CORRELATED, end - first))
                            for first, end in zip([0, *ENDS], ENDS)]
    return found


def correlations(numbers, steps, n):
    """Of each pair of the first n that fire."""
    counts = numpy.zeros((n, steps.max() // BIN + 1))
    is_one = (numbers >= 0) & (numbers < n)
    numpy.add.at(counts, (numbers[is_one], steps[is_one] // BIN), 1)
    counts = counts[counts.any(axis=1)]
    return numpy.corrcoef(counts)[numpy.triu_indices(len(counts), 1)]


def distance(a, b):
    at = numpy.concatenate([a, b])
    parts = [numpy.searchsorted(numpy.sort(values), at, "right") / len(values) for values in (a, b)]
    return abs(parts[0] - parts[1]).max()


def main():
    wrong, pairs = [], list(itertools.combinations(range(len(SEEDS)), 2))
    with contextlib.ExitStack() as stack:
        folder = sys.argv[4] if len(sys.argv) > 4 else stack.enter_context(tempfile.TemporaryDirectory())
        pool = stack.enter_context(concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))))
        nests, gravels = [[pool.submit(values_in, folder, run, seed) for seed in SEEDS] for run in (of_nest, of_gravel)]
        nests, gravels = [[run.result() for run in runs] for runs in (nests, gravels)]
    print("%-12s%-6s%10s%10s%12s%12s" % ("", "", "Gravel", "NEST", "distance", "of seeds"))
    for name in MEASURES:
        rows = []
        for i, population in enumerate(problems.POPULATIONS):
            ours, theirs = [[values[name][i] for values in runs] for runs in (gravels, nests)]
            rows.append((numpy.mean([distance(*pair) for pair in itertools.product(ours, theirs)]),
                         max(distance(runs[a], runs[b]) for runs in (ours, theirs) for a, b in pairs)))
            print("%-12s%-6s%10.4f%10.4f%12.4f%12.4f" % (name, population, *[numpy.concatenate(runs).mean() for runs in (ours, theirs)],
                                                         *rows[-1]))
            if rows[-1][0] > LIMIT * rows[-1][1]:
                wrong.append("%s of %s" % (name, population))
        means = numpy.mean(rows, axis=0)
        print("%-12s%-6s%20s%12.4f%12.4f" % (name, "mean", "", *means))
        if means[0] > means[1]:
            wrong.append("%s in the mean" % name)
    print("\n".join("differs from NEST: " + what for what in wrong) or "as NEST's")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

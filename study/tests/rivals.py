#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The checks of study/rivals/problems.py say yes to a right answer, and no to each way of being wrong; and a rival that
disagrees with the application is refused.

exit: 0; 1; 77 without numpy

Path: study/rivals/problems.py, study/questions/programs.py -> this.
"""
import importlib.util
import os
import sys
import tempfile
import types

sys.dont_write_bytecode = True
SYSTEMS = "/usr/bin/python3"  # which has Debian's numpy
if not importlib.util.find_spec("numpy"):
    if not os.path.exists(SYSTEMS) or os.path.realpath(sys.executable) == os.path.realpath(SYSTEMS):
        print("skipped: no numpy")
        sys.exit(77)
    os.execv(SYSTEMS, [SYSTEMS] + sys.argv)
import numpy  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[0:1] = [TOP, os.path.join(TOP, "tools")]
from study.place import Failed  # noqa: E402
from study.questions import programs  # noqa: E402
from study.rivals import problems  # noqa: E402

ONE_ROUND = types.SimpleNamespace(iterations=1)
FAR = numpy.inf


def given(**fields):
    made = object.__new__(problems.Input)
    made.__dict__.update(fields)
    return made


# 0 - 1 - 2, and 3 alone.
LINE = given(n_vertices=4, n_edges=4, offsets=numpy.array([0, 1, 3, 4, 4]), neighbours=numpy.array([1, 0, 2, 1]),
             weights=numpy.array([5, 5, 7, 7]), source=0)
LINE_RANKS = [0.15 / 4 + 0.85 * (share + 1 / 16) for share in (1 / 8, 1 / 2, 1 / 8, 0)]
POINTS = given(n_points=4, n_clusters=2, points=numpy.array([[0.0], [10.0], [1.0], [11.0]]))


def sequences(text, k):
    with tempfile.NamedTemporaryFile("w", suffix=".fa") as file:
        file.write(text)
        file.flush()
        return problems.Sequences(file.name, k)


NETWORK = problems.Network(0.001, 1000, 1)
SPIKES = numpy.repeat(numpy.cumsum(NETWORK.sizes) - 1, [round(1000 * rate * n) for rate, n in zip(problems.RATES, NETWORK.sizes)])


READS = sequences(">a N\nACgtN\nAC\n>b\nA\n", 2)  # ACgt, AC, A

# A problem, its input, right answers, and wrong ones.
CASES = (
    ("pagerank", LINE, [numpy.array(LINE_RANKS)],
     [numpy.array(LINE_RANKS) * factor for factor in (1.002, numpy.array([1, 1, 1, 0.998]), numpy.nan)]),
    ("bfs", LINE, [numpy.array([0, 1, 2, FAR])],
     [numpy.array(wrong) for wrong in ([0, 1, 1, FAR], [0, 1, 3, FAR], [0, 1, 2, 3], [0, FAR, FAR, FAR], [1, 2, 3, FAR])]),
    ("sssp", LINE, [numpy.array([0, 5, 12, FAR])],
     [numpy.array(wrong) for wrong in ([0, 5, 11, FAR], [0, 5, 13, FAR], [0, 5, 12, 9], [0, FAR, FAR, FAR], [1, 6, 13, FAR],
                                       [FAR, FAR, FAR, FAR], [0, 5, FAR, FAR])]),
    ("color", LINE, [numpy.array([0, 1, 0, 0]), numpy.array([0, 2, 1, 2])],
     [numpy.array(wrong) for wrong in ([0, 0, 1, 0], [0, 1, 1, 0], [0, 3, 0, 0], [0, -1, 0, 0])]),
    ("kmeans", POINTS, [(1, numpy.array([[0.5], [10.5]])), (5, numpy.array([[0.5], [10.5]]))],
     [(1, numpy.array([[0.0], [10.0]])), (1, numpy.array([[5.5], [5.5]])), (1, numpy.array([[numpy.nan], [10.5]]))]),
    ("microcircuit", NETWORK, [SPIKES, SPIKES[::-1]],
     [SPIKES[::4], numpy.repeat(SPIKES, 2), SPIKES[SPIKES < SPIKES.max()], SPIKES + 1]),
    ("mer", READS, [{"kmers": 4, "distinct": 3}], [{"kmers": 5, "distinct": 3}, {"kmers": 3, "distinct": 3}]))


def n_wrong(problem, case, answer):
    return problems.CHECKS[problem](case, ONE_ROUND, answer)[0]


def agree(name, own, other):
    app = next(app for app in programs.APPS if app.name == name)
    try:
        programs.compare(app, own, other, "a rival")
        return True
    except Failed:
        return False


def faults_of_agreement():
    mine, points = {"kmers": 4, "distinct": 3}, {"points": 4, "clusters": 2, "inertia": 1.0}
    if not agree("mer", mine, dict(mine)) or not agree("kmeans", points, {**points, "inertia": 1.0001}):
        yield "agreement is refused"
    if agree("mer", mine, {**mine, "distinct": 2}) or agree("kmeans", points, {**points, "inertia": 1.1}):
        yield "disagreement is taken"


def main():
    faults = ["%s: %s is right" % (problem, answer) for problem, case, right, _ in CASES for answer in right
              if n_wrong(problem, case, answer)]
    faults += ["%s: %s is wrong" % (problem, answer) for problem, case, _, wrong in CASES for answer in wrong
               if not n_wrong(problem, case, answer)]
    faults += faults_of_agreement()
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

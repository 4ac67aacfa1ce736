# SPDX-License-Identifier: MIT
"""What the rivals solve: the input, how much work it is, and whether an answer is right.

A check knows nothing of how the answer was found; it stands on one core, in numpy. What both the application and a rival tell
of their answers (study/questions/programs.py compares it) are the facts.

Path: bench-input's files -> this -> a rival
"""
import json
import math
import os
import re
import subprocess

TOLERANCE = 1e-3  # of a rank, as in apps/graph; of the inertia
NEAR_RATE = 0.5, 0.3  # of a population's, of which a part of the network has less; spikes a second


class Refused(Exception):
    """An input that a rival cannot take; the text names it."""


class Input:
    """An application's input. Graphs: offsets, neighbours, weights, source; k-means: points [points][dimensions]."""

    def __init__(self, problem, program, words, folder):
        done = subprocess.run([program, problem, "-o", folder] + words, text=True, capture_output=True, check=False)
        if done.returncode:
            raise Refused(done.stderr.strip() or "%s: exit status %d" % (program, done.returncode))
        self.folder, self.said = folder, json.loads(done.stdout)
        if problem == "kmeans":
            self.n_points, self.n_clusters = self.said["points"], self.said["clusters"]
            points = self.read("points", "u4").reshape(self.said["dimensions"], self.n_points)
            self.points = (points.T / self.said["unit"]).copy()
            self.name = "%d points, %d clusters, %d-d" % (self.n_points, self.n_clusters, self.said["dimensions"])
            return
        self.name, self.n_vertices, self.n_edges = self.said["input"], self.said["vertices"], self.said["edges"]
        self.offsets, self.neighbours = self.read("offsets", "u8"), self.read("neighbours", "u4")
        self.source = self.said.get("source")
        if problem == "sssp":
            self.weights = self.read("weights", "u4")
            if self.n_edges and not self.weights.min():
                raise Refused("an edge of weight 0, which the check of distances cannot judge")

    def read(self, name, kind):
        import numpy
        return numpy.fromfile(os.path.join(self.folder, name), kind)

    def degrees(self):
        import numpy
        return numpy.diff(self.offsets.astype(numpy.int64))

    def sources(self):
        """[edges] the vertex that each one leaves."""
        import numpy
        return numpy.repeat(numpy.arange(self.n_vertices, dtype=numpy.uint32), self.degrees())


class Sequences:
    """A FASTA file, as jellyfish wants it."""

    def __init__(self, path, k):
        self.path, self.name = os.path.abspath(path), os.path.basename(path)
        with open(path, encoding="ascii", errors="replace") as lines:
            text = lines.read()
        if not text.startswith(">"):
            raise Refused("%s: not plain FASTA" % path)
        records = (record.partition("\n")[2].replace("\n", "") for record in text.split(">")[1:])
        runs = (len(run) for record in records for run in re.findall("[ACGT]+", record.upper()))
        self.n_kmers = sum(max(0, length - k + 1) for length in runs)


# ---- pagerank ----------------------------------------------------------------------------------

def pull(given, n_iterations):
    """Ranks in doubles, by another way than a rival's: sums of the edges' shares in the order of the rows."""
    import numpy
    n, degrees, ends = given.n_vertices, given.degrees(), given.neighbours.astype(numpy.intp)
    ranks = numpy.full(n, 1 / n)
    for _ in range(n_iterations):
        shares = numpy.divide(ranks, degrees, out=numpy.zeros(n), where=degrees > 0)
        sums = numpy.bincount(ends, weights=numpy.repeat(shares, degrees), minlength=n)
        ranks = 0.15 / n + 0.85 * (sums + ranks[degrees == 0].sum() / n)
    return ranks


def pagerank(given, options, ranks):
    right = pull(given, options.iterations)
    n_wrong = int((~(abs(ranks - right) <= TOLERANCE * right)).sum())
    return n_wrong, given.n_edges * options.iterations, {"vertices": given.n_vertices, "edges": given.n_edges,
                                                         "iterations": options.iterations}


# ---- bfs, sssp ---------------------------------------------------------------------------------

def bfs(given, _options, levels):
    return are_least(given, 1, levels)


def sssp(given, _options, distances):
    return are_least(given, given.weights, distances)


def are_least(given, weights, distances):
    """Distances are right if no edge makes one less, and each but the source's is one edge behind another."""
    import numpy
    rows, degrees = given.sources(), given.degrees()
    ends = distances[rows] + weights
    is_reached, is_made = numpy.isfinite(distances), numpy.zeros(given.n_vertices, bool)
    is_made[given.neighbours[ends == distances[given.neighbours]]] = True
    is_made[given.source] = distances[given.source] == 0
    n_wrong = int((ends < distances[given.neighbours]).sum() + (is_reached & ~is_made).sum() + (not is_made[given.source]))
    n_edges = int(degrees[is_reached].sum())
    return n_wrong, n_edges, {"source": given.source, "reached_vertices": int(is_reached.sum()), "reached_edges": n_edges}


# ---- color -------------------------------------------------------------------------------------

def color(given, _options, colors):
    rows, most = given.sources(), int(given.degrees().max(initial=0))
    n_wrong = int((colors[rows] == colors[given.neighbours]).sum() + ((colors < 0) | (colors > most)).sum())
    return n_wrong, given.n_edges, {"vertices": given.n_vertices, "edges": given.n_edges}


# ---- kmeans ------------------------------------------------------------------------------------

def distances_to(points, centres):
    """[clusters][points], squared."""
    return [((points - centre) ** 2).sum(axis=1) for centre in centres]


def inertia_of(points, centres):
    import numpy
    return float(numpy.min(distances_to(points, centres), axis=0).sum())


def lloyd(given, n_rounds):
    """Centres after so many rounds; one without points stays."""
    import numpy
    centres = given.points[:given.n_clusters].copy()
    for _ in range(n_rounds):
        nearest = numpy.argmin(distances_to(given.points, centres), axis=0)
        counts = numpy.bincount(nearest, minlength=given.n_clusters)
        for axis in range(centres.shape[1]):
            sums = numpy.bincount(nearest, weights=given.points[:, axis], minlength=given.n_clusters)
            centres[:, axis] = numpy.where(counts, sums / numpy.maximum(counts, 1), centres[:, axis])
    return centres


def kmeans(given, _options, answer):
    n_rounds, centres = answer
    found, right = (inertia_of(given.points, each) for each in (centres, lloyd(given, n_rounds)))
    return int(not abs(found - right) <= TOLERANCE * right), given.n_points * n_rounds, \
        {"points": given.n_points, "clusters": given.n_clusters, "inertia": found, "rounds": n_rounds}


# ---- mer ---------------------------------------------------------------------------------------

def mer(given, _options, counts):
    """Their sum is right; which ones they are, tests/app/cases.py compares."""
    return int(counts["kmers"] != given.n_kmers), given.n_kmers, counts


# ---- microcircuit ------------------------------------------------------------------------------

POPULATIONS = ("2/3e", "2/3i", "4e", "4i", "5e", "5i", "6e", "6i")
NEURONS = (20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948)
RATES = (0.9, 2.8, 4.5, 5.9, 7.5, 8.6, 1.1, 7.8)  # [spikes a second and neuron] of the whole network, as published


class Network:
    def __init__(self, scale, seconds, seed):
        self.scale, self.seconds, self.seed, self.sizes = scale, seconds, seed, sizes(scale)
        self.name = "%d neurons, %g s" % (sum(self.sizes), seconds)


def sizes(scale):
    return [math.floor(scale * n + 0.5) for n in NEURONS]


def microcircuit(given, _options, neurons):
    """[spikes] whose each is. Rates are near the published ones; more, tests/app/beside_nest.py compares."""
    import numpy
    populations = numpy.searchsorted(numpy.cumsum(given.sizes), neurons, "right")
    rates = [n / size / given.seconds for n, size in zip(numpy.bincount(populations, minlength=8).tolist(), given.sizes)]
    return far_rates(rates), round(1e4 * given.seconds), {"rates": rates}


def far_rates(rates):
    """How many populations have other rates."""
    return sum(not abs(rate - right) <= NEAR_RATE[0] * right + NEAR_RATE[1] for rate, right in zip(rates, RATES))


UNITS = {"pagerank": "edges/s", "bfs": "edges/s", "sssp": "edges/s", "color": "edges/s", "kmeans": "points/s", "mer": "k-mers/s",
         "microcircuit": "steps/s"}
CHECKS = {"pagerank": pagerank, "bfs": bfs, "sssp": sssp, "color": color, "kmeans": kmeans, "mer": mer,
          "microcircuit": microcircuit}

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write answers.txt: what independent programs read from the files of cases.py, and how the applications refuse others.

answers.py READERS          in a Python with networkx, scipy and Biopython

Edge lists are read by networkx, matrices by scipy, sequences by Biopython, ratings by Python's csv, gzip by Python's; METIS'
files and the two formats of DIMACS by a few lines here. A file that the readers take
must give what the other program reads, or this ends with status 1 and writes nothing. A file that they refuse goes to
answers.txt with the kind of refusal, and is listed by kind if the other program takes it: those are to be looked at.
"""
import collections
import csv
import decimal
import gzip
import io
import multiprocessing
import os
import re
import sys
import tempfile

import networkx
import numpy
import scipy.io
from Bio.SeqIO.FastaIO import SimpleFastaParser
from Bio.SeqIO.QualityIO import FastqGeneralIterator

import corpus

LEAST_QUALITY = 5


# ---- numbers -------------------------------------------------------------------------------------

def single(word):
    """A decimal as a float of 32 bits: zero has no sign, and what is below zero stays below."""
    with numpy.errstate(all="ignore"):
        value = numpy.float32(float(word))
    if value == 0:
        value = -numpy.finfo(numpy.float32).smallest_subnormal if decimal.Decimal(word) < 0 else numpy.float32(0)
    return "%.9g" % value


def spelled(words):
    """Weights: whole numbers if all are, else floats."""
    if all(word.isdigit() for word in words):
        return ["%d" % int(word) for word in words]
    return [single(word) for word in words]


def arcs_of(n_vertices, ends, weights=None):
    words = spelled(weights) if weights is not None else [""] * len(ends)
    return ["vertices %d" % n_vertices] + [("%d %d %s" % (u, v, w)).rstrip() for (u, v), w in zip(ends, words)]


def lines_of(data):
    return list(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="surrogateescape", newline=None))


# ---- formats -------------------------------------------------------------------------------------

def read_edges(data):
    lines = [line for line in lines_of(data) if not line.lstrip(" \t").startswith("%")]
    records = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    n_columns = len(records[0].split())
    names = [("weight", str), ("time", str)][:n_columns - 2]
    graph = networkx.parse_edgelist(lines, comments="#", nodetype=int, create_using=networkx.MultiDiGraph, data=names)
    edges = list(graph.edges(data=True))
    ends = [(u, v) for u, v, _ in edges]
    return arcs_of(max(max(end) for end in ends) + 1, ends, [d["weight"] for _, _, d in edges] if names else None)


def read_metis(data):
    lines = [line.split() for line in lines_of(data) if not line.lstrip().startswith("%")]
    while not lines[0]:
        lines.pop(0)
    n, m = int(lines[0][0]), int(lines[0][1])
    form = "%03d" % int((lines[0] + ["0"])[2]) if len(lines[0]) > 2 else "000"
    assert set(form) <= {"0", "1"} and n > 0 and len(lines) > n and not any(lines[n + 1:])
    n_ahead = int(form[0]) + (int((lines[0] + ["0"])[3]) if len(lines[0]) > 3 else 0)
    n_ahead = n_ahead + int(form[1]) if n_ahead == int(form[0]) else n_ahead
    ends, weights = [], []
    for u, row in enumerate(lines[1:n + 1]):
        step = 1 + int(form[2])
        assert len(row) >= n_ahead and (len(row) - n_ahead) % step == 0
        for at in range(n_ahead, len(row), step):
            ends.append((u, in_range(row[at], n)))
            weights.append(row[at + step - 1])
    assert len(ends) == 2 * m and sorted(ends) == sorted((v, u) for u, v in ends)
    return arcs_of(n, ends, weights if form[2] == "1" else None)


def read_matrix(data):
    lines = lines_of(data)  # scipy knows no comments behind the sizes, and no plus
    text = "".join(lines[:1] + [re.sub(r" \+(\d)", r" \1", line) for line in lines[1:] if line.strip(" \t")[:1] not in "%\n"])
    text = text.encode("utf-8", "surrogateescape")
    rows, columns, _, form, field, symmetry = scipy.io.mminfo(io.BytesIO(text))
    if rows != columns or form != "coordinate" or rows == 0:
        raise ValueError("no graph")
    matrix = scipy.io.mmread(io.BytesIO(text))
    ends = list(zip(matrix.row.tolist(), matrix.col.tolist()))
    if field == "pattern":
        return arcs_of(rows, ends)
    if field == "integer" and symmetry != "skew-symmetric":
        return arcs_of(rows, ends, [str(value) for value in matrix.data.tolist()])
    return arcs_of(rows, ends, [repr(float(value)) for value in matrix.data.tolist()] + ["0.5"])


def records_of(data, n_words):
    for line in lines_of(data):
        words = line.split()
        if words and words[0][0] != "c":
            assert len(words) == n_words[words[0]]
            yield words


def in_range(word, most):
    value = int(word)
    assert word.isascii() and word.isdigit() and 1 <= value <= most
    return value - 1


def read_paths(data):
    records = list(records_of(data, {"p": 4, "a": 4}))
    assert records[0][:2] == ["p", "sp"] and all(record[0] == "a" for record in records[1:])
    n = int(records[0][2])
    assert n > 0 and int(records[0][3]) == len(records) - 1
    ends = [(in_range(u, n), in_range(v, n)) for _, u, v, _ in records[1:]]
    return arcs_of(n, ends, [w for _, _, _, w in records[1:]])


def read_network(data):
    records = list(records_of(data, {"p": 4, "n": 3, "a": 4}))
    assert records[0][:2] == ["p", "max"] and all(record[0] in "na" for record in records[1:])
    n, arcs = int(records[0][2]), [record for record in records if record[0] == "a"]
    ends = {kind.lower(): in_range(vertex, n) for _, vertex, kind in (r for r in records if r[0] == "n")}
    assert int(records[0][3]) == len(arcs) and len(records) == len(arcs) + 3 and ends["s"] != ends["t"]
    return ["vertices %d from %d to %d" % (n, ends["s"], ends["t"])] + [
        "%d %d %d" % (in_range(u, n), in_range(v, n), int(c)) for _, u, v, c in arcs if u != v]


def coded(bases):
    return "sequence " + "".join(base if base in "ACGT" else "N" for base in bases.upper())


def read_fasta(data):
    records = [coded(bases) for _, bases in SimpleFastaParser(io.StringIO("".join(lines_of(data))))]
    assert records
    return [record.rstrip() + " " * (record == "sequence ") for record in records]


def read_fastq(data):
    # Biopython wants a name behind + to be that behind @; applications do not look at it.
    lines = ["+\n" if re.match(r"\+[a-z]", line) else re.sub(r"^\+ 1$", "+", line) for line in lines_of(data)]
    records = list(FastqGeneralIterator(io.StringIO("".join(lines).lstrip("\n"))))
    assert records
    return [coded("".join(base if ord(mark) - 33 >= LEAST_QUALITY else "N" for base, mark in zip(bases, quality)))
            for _, bases, quality in records]


def read_ratings(data):
    lines = [line for line in lines_of(data) if line.strip() and not line.lstrip().startswith("#")]
    rows = list(csv.reader(lines, strict=True)) if "," in lines[0] else [line.strip().split("::") for line in lines]
    if rows[0][0].strip()[0].isalpha():
        assert [name.strip().lower()[:4] for name in rows[0][:3]] in (["user", "movi", "rati"], ["user", "item", "rati"])
    else:
        rows = [None] + rows
    assert len({len(row) for row in rows if row}) == 1 and len(rows) > 1 and len(rows[1]) in (3, 4)
    users = sorted({int(row[0]) for row in rows[1:]})
    items = sorted({int(row[1]) for row in rows[1:]})
    return ["users %d items %d" % (len(users), len(items))] + [
        "%d %d %s" % (users.index(int(row[0])), len(users) + items.index(int(row[1])), single(row[2])) for row in rows[1:]]


READERS = {".el": read_edges, ".wel": read_edges, ".txt": read_edges, ".tsv": read_edges, ".graph": read_metis,
           ".mtx": read_matrix, ".gr": read_paths, ".max": read_network, ".fa": read_fasta, ".fq": read_fastq,
           ".csv": read_ratings, ".dat": read_ratings}


def read(name, data):
    """What the other program reads, or None."""
    try:
        if name.endswith(".gz") and data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return READERS[os.path.splitext(name.removesuffix(".gz"))[1]](data)
    except Exception:  # whatever it is that the other program says
        return None


def read_apart(name, data):
    """The same in a process of its own, which may crash."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=lambda: theirs.send(read(name, data)))
    process.start()
    other = ours.recv() if ours.poll(3) else None
    process.kill()
    process.join()
    return other


# ---- main ----------------------------------------------------------------------------------------

def compare(cases, outcomes):
    """@return how many differ. Lists what the other program takes alone."""
    n_wrong, alone = 0, collections.defaultdict(list)
    for name, data in cases:
        outcome = outcomes[name]
        other = (read_apart if ".mtx" in name else read)(name, data)
        if isinstance(outcome, str):
            if other is not None:
                alone[outcome].append(name)
        elif other is None or sorted(other) != sorted(outcome):
            n_wrong += 1
            print("%s: read %s, and the other program %s" % (name, sorted(outcome)[:8], other and sorted(other)[:8]))
    for kind, names in sorted(alone.items()):
        print("the other program takes what is refused as %r: %d: %s" % (kind, len(names), " ".join(names[:12])))
    return n_wrong


def main():
    cases = list(corpus.cases())
    outcomes = corpus.read_all(sys.argv[1], cases)
    n_wrong = compare(cases, outcomes)
    print("%d of %d differ" % (n_wrong, len(cases)))
    if n_wrong == 0:
        corpus.write_answers(outcomes)
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Give whole applications odd files, and compare what they report with the answers of independent programs.

whole.py PROGRAM...

Trees and distances are networkx's; k-mers were counted in Python, from the sequences that Biopython reads.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

SECONDS = 100
ZEROS = b"0 1 -0.0\n0 1 5\n1 2 0\n0 2 -0\n"
PACKED = gzip.compress(b">one\rACGTTGGA\r", mtime=0) + gzip.compress(b">two\nACNNT", mtime=0) + bytes(512)

# Program, arguments, file, its bytes, parameters of the report.
ROWS = [
    ("mst", [], "zeros.wel", ZEROS, {"tree_edges": 2, "tree_weight": 0}),
    ("mst", ["--form", "atomic"], "zeros.wel", ZEROS, {"tree_edges": 2, "tree_weight": 0}),
    ("mst", [], "little.wel", b"0 1 1e-50\r1 2 5\r0 2 7\r0 1 5e-45\r", {"tree_edges": 2, "tree_weight": 5}),
    ("mst", [], "largest.wel", b"0 1 4294967295\n1 2 4294967295\n0 2 4294967294\n",
     {"tree_edges": 2, "tree_weight": 8589934589}),
    ("mst", [], "equal.wel", b"0 1 1\n1 2 1\n2 0 1\n0 3 1\n3 1 1\n", {"tree_edges": 3, "tree_weight": 3}),
    ("sssp", ["-r", "0"], "loops.wel", b"0 1 4\n1 2 2.5\n2 0 7\n3 3 1\n", {"vertices": 4, "reached_vertices": 3}),
    ("mer", ["-k", "2"], "members.fa.gz", PACKED, {"records": 2, "bases": 13, "kmers": 8, "distinct": 6}),
    ("sgd", [], "crlf.csv", b"user,item,rating\r\n7,9,3.5\r\n7,4,-0\r\n", {"users": 1, "items": 2, "mean": 1.75}),
]


def fault_of(program, arguments, path, expected):
    words = [program, "-q", "-v", "-n", "1", "--json", "-f", path] + arguments
    result = subprocess.run(words, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL, capture_output=True)
    if result.returncode != 0:
        return "exit status %d: %s" % (result.returncode, result.stderr)
    report = json.loads(result.stdout)
    found = {name: report["parameters"].get(name) for name in expected}
    return None if report["valid"] is True and found == expected else "valid %s, %s" % (report["valid"], found)


def main():
    programs = {os.path.basename(path): path for path in sys.argv[1:]}
    rows = [row for row in ROWS if row[0] in programs]
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, file_name, data, expected in rows:
            path = os.path.join(folder, file_name)
            with open(path, "wb") as file:
                file.write(data)
            fault = fault_of(programs[name], arguments, path, expected)
            n_wrong += fault is not None
            print("%s %s: %s" % (" ".join([name] + arguments), file_name, fault or "ok"))
    return 1 if n_wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

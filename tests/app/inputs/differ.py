#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Give the two nodes of a job different files, as node-local copies may be: each application must say so.

differ.py PROGRAM...

The job must end with another status than 0, and print nothing to stdout and one line, which names file and nodes. Exit
status 77: nothing here starts ranks.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import launch  # noqa: E402

SECONDS = 100
# Of as many bytes; more of them, so that nodes want heaps of other sizes; what only a hash tells.
PAIRS = {
    "graph": [("x.wel", "0 1 1\n1 2 2\n", "0 1 1\n1 2 7\n"), ("y.wel", "0 1 1\n1 2 2\n", "0 1 1\n1 2 2\n2 9 1\n")],
    "ratings": [("x.csv", "1,2,3\n2,3,4\n", "1,2,3\n2,3,5\n"), ("y.csv", "1,2,3\n", "1,2,3\n2,9,5\n")],
    "sequence": [("x.fa", ">a\nACGTA\n", ">a\nACGTT\n")],
}
KINDS = {"sgd": "ratings", "mer": "sequence"}


def run(program, paths):
    words = launch.job(*((1, [program, "-q", "-n", "1", "-f", path]) for path in paths))
    return subprocess.run(words, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL, capture_output=True)


def fault_of(result, name, paths):
    lines = [line for line in result.stderr.splitlines() if line.startswith(name + ": ")]
    sizes = tuple(os.path.getsize(path) for path in paths)
    said = "%d bytes; node 1 has another, of %d bytes" % sizes
    wanted = re.escape("%s: " % name) + ".*" + re.escape(": node 0 has read a file of " + said)
    if result.returncode == 0 or result.stdout:
        return "exit status %d, on stdout: %s" % (result.returncode, result.stdout)
    return None if len(lines) == 1 and re.fullmatch(wanted, lines[0]) else "it says: " + result.stderr


def try_pair(folder, program, pair):
    paths = [os.path.join(folder, number, pair[0]) for number in "01"]
    for path, text in zip(paths, pair[1:]):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    name = os.path.basename(program)
    fault = fault_of(run(program, paths), name, paths)
    print("%s %s: %s" % (name, pair[0], fault or "ok"))
    return fault is None


def main():
    with tempfile.TemporaryDirectory() as folder:
        passed = [try_pair(folder, program, pair) for program in sys.argv[1:]
                  for pair in PAIRS[KINDS.get(os.path.basename(program), "graph")]]
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Give the two nodes of a job different options, or different files, as node-local copies may be: each application must say so.

differ.py PROGRAM...

The job must end with another status than 0, and print nothing to stdout and one line, which names the option, or file and
nodes. Exit status 77: nothing here starts ranks.
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
    "sequence": [("x.fa", ">a\nACGTA\n", ">a\nACGTT\n")],
}
# Of whatever wants another heap, other handlers or settings, or differs in nothing but the input: [both, node 0, node 1, option].
OPTIONS = {
    "atm": [("--orders 4", "--form phases", "--form nested", "--form")],
    "gups": [("--table 4 --updates 4", "--model lane", "--model gravel", "--model"),
             ("--table 4 --updates 4", "--group 7", "", "--group")],
    "mst": [("", "-g 4", "-u 4", "-g")],
    "sssp": [("-g 6", "", "--seed 2", "--seed"), ("", "-g 4", "-g 5", "-g"), ("-g 4", "", "-k 9", "-k")],
    "kmeans": [("-k 2", "-p 20", "-p 21", "-p"), ("-k 2 -p 20", "-v", "", "-v")],
    "fib": [("", "3", "4", "[N]")],
}
KINDS = {"mer": "sequence"}


def run(program, each):
    words = launch.job(*((1, [program, "-q"] + own) for own in each))
    return subprocess.run(words, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL, capture_output=True)


def fault_of(result, name, wanted):
    lines = [line for line in result.stderr.splitlines() if line.startswith(name + ": ")]
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
    said = "%d bytes; node 1 has another" % os.path.getsize(paths[0])
    wanted = re.escape("%s: " % name) + ".*" + re.escape(": node 0 has read a file of " + said)
    fault = fault_of(run(program, [["-n", "1", "-f", path] for path in paths]), name, wanted)
    print("%s %s: %s" % (name, pair[0], fault or "ok"))
    return fault is None


def try_options(program, row):
    both, first, second, option = row
    name = os.path.basename(program)
    result = run(program, [(both + " " + own).split() for own in (first, second)])
    fault = fault_of(result, name, re.escape("%s: %s: " % (name, option)) + ".* at node 0, and node 1 has been given something else: .*")
    print("%s %s: %s" % (name, row, fault or "ok"))
    return fault is None


def main():
    with tempfile.TemporaryDirectory() as folder:
        passed = [try_pair(folder, program, pair) for program in sys.argv[1:]
                  if program.endswith(("mst", "sssp", "mer"))
                  for pair in PAIRS[KINDS.get(os.path.basename(program), "graph")]]
    passed += [try_options(program, row) for program in sys.argv[1:] for row in OPTIONS.get(os.path.basename(program), [])]
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())

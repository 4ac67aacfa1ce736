#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Give applications the files of a table and check what comes of it.

inputs.py [--ranks N] [--every K] refused|taken graph|negative|network|sequence|ratings PROGRAM...

refused: the program must end with another status than 0, print nothing to stdout, and one line, whatever the number of
         ranks, that names program, file, line or record, and reason.
taken:   it must end with status 0 and PASS.
--every K takes each K-th row only. Exit status 77: nothing here starts ranks.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import launch  # noqa: E402
import rows_graph  # noqa: E402
import rows_ratings  # noqa: E402
import rows_sequence  # noqa: E402

TABLES = {
    ("refused", "graph"): rows_graph.REFUSED,
    ("refused", "negative"): rows_graph.NEGATIVE,
    ("refused", "network"): rows_graph.NETWORK,
    ("refused", "sequence"): rows_sequence.REFUSED,
    ("refused", "ratings"): rows_ratings.REFUSED,
    ("taken", "graph"): rows_graph.TAKEN,
    ("taken", "sequence"): rows_sequence.TAKEN,
    ("taken", "ratings"): rows_ratings.TAKEN,
}
SECONDS = 60


def command_line(ranks, program, path, expected):
    words = [program, "-q", "-n", "1", "-f", path]
    words += ["-v"] if expected == "taken" else []
    words += ["-k", "5"] if path.endswith((".fa", ".fq", ".fa.gz")) else []
    return launch.job((ranks, words)) if ranks else words


def run(words):
    return subprocess.run(words, text=True, errors="replace", timeout=SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True)


def fault_of_refusal(result, program, path, tail):
    name = os.path.basename(program)
    lines = [line for line in result.stderr.splitlines() if line.startswith(name + ": ")]
    place = r"(:\d+|: record \d+ '[^']*')?" if tail.startswith(": ") else ""
    wanted = re.escape("%s: %s" % (name, path)) + place + re.escape(tail)
    if result.returncode == 0:
        return "exit status 0"
    if result.stdout:
        return "something on stdout: " + result.stdout
    if len(lines) != 1:
        return "%d lines of the program's: %s" % (len(lines), result.stderr)
    return None if re.match(wanted, lines[0]) else "it says: " + lines[0]


def fault_of_success(result):
    if result.returncode != 0:
        return "exit status %d: %s" % (result.returncode, result.stderr)
    return None if result.stdout.rstrip().endswith("PASS") else "no PASS"


def try_row(arguments, folder, program, row):
    path = os.path.join(folder, row[0])
    with open(path, "wb") as file:
        file.write(row[1] if isinstance(row[1], bytes) else row[1].encode())
    result = run(command_line(arguments.ranks, program, path, arguments.expected))
    fault = fault_of_success(result) if arguments.expected == "taken" else fault_of_refusal(
        result, program, path, row[2])
    if fault:
        print("%s %s: %s" % (os.path.basename(program), row[0], fault))
    return fault is None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("expected", choices=["refused", "taken"])
    parser.add_argument("kind", choices=sorted({kind for _, kind in TABLES}))
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    rows = TABLES[arguments.expected, arguments.kind][::arguments.every]
    with tempfile.TemporaryDirectory() as folder:
        passed = [try_row(arguments, folder, program, row) for program in arguments.programs for row in rows]
    print("%d of %d as they should be" % (sum(passed), len(passed)))
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())

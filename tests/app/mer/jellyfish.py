#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count a file's k-mers by mer and by jellyfish, and compare.

jellyfish.py [--ranks N] MER FILE K OPTION...      options of mer

Exit status 77: no jellyfish here, or --ranks and nothing that starts ranks.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import launch  # noqa: E402


def run(words):
    return subprocess.run(words, check=True, text=True, timeout=100, stdin=subprocess.DEVNULL,
                          capture_output=True).stdout


def by_mer(folder, arguments):
    ranks = arguments.ranks
    program = [arguments.mer, "-q", "-n", "1", "-k", arguments.k, "-f", arguments.file, "-o", os.path.join(folder, "mer")]
    run(launch.job((ranks, program + arguments.options)) if ranks else program + arguments.options)
    words = []
    for rank in range(ranks or 1):  # each k-mer is in one of the files
        with open(os.path.join(folder, "mer.%d" % rank)) as lines:
            words += [line.split() for line in lines]
    assert len({word[0] for word in words}) == len(words), "a k-mer twice"
    assert all(len(word) == 10 for word in words), "not 10 columns"
    for word in words:  # no more neighbours than k-mers
        assert sum(map(int, word[2:6])) <= int(word[1]) >= sum(map(int, word[6:])), word
    return {word[0]: int(word[1]) for word in words}


def by_jellyfish(folder, path, k):
    table = os.path.join(folder, "jellyfish")
    run(["jellyfish", "count", "-m", k, "-s", "1M", "-C", "-o", table, path])
    words = [line.split() for line in run(["jellyfish", "dump", "-c", table]).splitlines()]
    return {word[0]: int(word[1]) for word in words}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int)
    for name in ("mer", "file", "k"):
        parser.add_argument(name)
    parser.add_argument("options", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not shutil.which("jellyfish"):
        print("jellyfish is not installed (Debian: jellyfish)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        mine, right = by_mer(folder, arguments), by_jellyfish(folder, arguments.file, arguments.k)
    wrong = sorted(kmer for kmer in mine.keys() | right.keys() if mine.get(kmer) != right.get(kmer))
    print("%d k-mers, %d wrong" % (len(right), len(wrong)))
    for kmer in wrong[:5]:
        print(kmer, "mer", mine.get(kmer), "jellyfish", right.get(kmer))
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""jellyfish counts k-mers on all cores. The time is its own for counting, in which it also reads the file.

Its table has room for all k-mers from the beginning, as the application's has after the first count.
"""
import os
import re
import shutil
import subprocess

NAME, PACKAGE = "jellyfish", None  # it is of Debian


def run_it(words):
    return subprocess.run(["jellyfish"] + words, check=True, text=True, capture_output=True, timeout=600).stdout


def version():
    if not shutil.which("jellyfish"):
        raise ImportError("jellyfish")
    return run_it(["--version"]).split()[-1]


def mer(given, options):
    table, times = (os.path.join(options.folder, name) for name in ("table", "times"))
    words = ["count", "-C", "-m", str(options.k), "-s", str(given.n_kmers + 1000), "-t", str(len(os.sched_getaffinity(0)))]

    def run():
        run_it(words + ["--no-write", "--timing", times, "-o", table, given.path])
        with open(times, encoding="ascii") as lines:
            return float(re.search(r"^Counting\s+([\d.]+)", lines.read(), re.M).group(1))

    def counts(_seconds):
        run_it(words + ["-o", table, given.path])
        told = dict(re.findall(r"^(\w+):\s+(\d+)$", run_it(["stats", table]), re.M))
        return {"kmers": int(told["Total"]), "distinct": int(told["Distinct"])}

    return run, counts, float

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the smallest problem of every program.

smallest.py nodes PROGRAM...    on 1 to 3 loop-back nodes: each run is right; or refused, where ROWS says that one node is all
smallest.py output PROGRAM...   standard output is full, or closed, or the trace is: one line with the cause, and status 1
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import run_app

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
# Program: [arguments]; and how many loop-back nodes it takes.
ROWS = [
    ("atm", ["--orders 0 --accounts 2 --seed %d" % seed for seed in range(1, 7)] +
     ["--orders 0 --accounts 2 --balance 0", "--orders 0 --accounts 2 --form nested"], 3),
    ("color", ["-u 0 -k 1"], 1),
    ("fib", ["0"], 3),
    ("gups", ["--table 0 --updates 0", "--table 0 --updates 0 --accumulate",
              "--table 0 --divergence if --items 0 --idle 100"], 3),
    ("hashtable", ["--items 0 --keys 1 --buckets 1 --op " + op for op in ("insert", "upsert", "find")], 3),
    ("kmeans", ["-p 1 -k 1 -d 1"], 3),
    ("maxflow", ["--rows 1 --columns 1 --capacity 1"], 1),
    ("mer", ["-k 63 -f %s/mer/one.fa" % DATA], 3),
    ("mst", ["-u 0 -k 1"], 3),
    ("pagerank", ["-u 0 -k 1", "-u 0 -k 1 --fixed"], 1),
    ("queens", ["2"], 3),
    ("sgd", ["--ratings 0 --epochs 1"], 1),
    ("sort", ["1"], 3),
    ("sssp", ["-u 0 -k 1"], 1),
    ("strassen", ["16"], 3),
    ("uts", ["-t default -d 1 --capacity 1 --groups 1"], 1),
]
# Programs that print by other means than applications.
PRINTERS = [
    ("gravel-info", ["", "--json", "--env", "--version", "--help"]),
    ("gravel-hrf", ["", "--json"]),
    ("gravel-conformance", ["--help"]),
]


def run(program, words, **how):
    return subprocess.run([program] + words, text=True, timeout=run_app.SECONDS, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, **how)


def fault_on_nodes(program, words, n_nodes, n_most):
    result = run(program, ["-n", "1", "-v"] + words, stdout=subprocess.PIPE,
                 env=dict(os.environ, GRAVEL_TRANSPORT="self", GRAVEL_LOOPBACK=str(n_nodes)))
    if n_nodes > n_most:
        return None if result.returncode == 1 and len(result.stderr.splitlines()) == 1 else "is not refused"
    return None if result.returncode == 0 and result.stdout.rstrip().endswith("PASS") else result.stdout + result.stderr


def fault_of_output(program, words, what):
    cause = "Bad file descriptor" if what == "closed" else "No space left on device"
    with open("/dev/full", "w") as full, tempfile.TemporaryDirectory() as folder:
        os.symlink("/dev/full", folder + "/t.0.json")
        result = run(program, words, stdout=subprocess.DEVNULL if what == "trace" else full,
                     preexec_fn=(lambda: os.close(1)) if what == "closed" else None,
                     env=dict(os.environ, GRAVEL_TRACE=folder + "/t.json" if what == "trace" else ""))
    if result.returncode == 1 and len(result.stderr.splitlines()) == 1 and result.stderr.endswith(cause + "\n"):
        return None
    return "exit status %d: %s" % (result.returncode, result.stderr)


def main():
    programs = {os.path.basename(path): path for path in sys.argv[2:]}
    if sys.argv[1] == "nodes":
        cases = [(fault_on_nodes, programs[name], words.split(), n, most)
                 for name, each, most in ROWS if name in programs for words in each for n in (1, 2, 3)]
    else:
        rows = [(name, each[0].split() + ["-n", "1"] + json) for name, each, _ in ROWS for json in ([], ["--json"])]
        litmus = [path for path in sys.argv[2:] if path.endswith(".litmus")]
        rows += [(name, words.split() + (litmus if name == "gravel-hrf" else []))
                 for name, each in PRINTERS for words in each]
        cases = [(fault_of_output, programs[name], words, what) for name, words in rows if name in programs
                 for what in ("full", "closed") + (("trace",) if name == "gups" else ())]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda case: case[0](*case[1:]), cases))
    for case, fault in zip(cases, faults):
        print("ok:" if fault is None else "FAILED:", os.path.basename(case[1]), *case[2:], fault or "")
    return 0 if cases and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())

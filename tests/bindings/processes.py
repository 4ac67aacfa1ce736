# SPDX-License-Identifier: MIT
"""Programs in Python as processes of their own: as one node, as loop-back nodes or as ranks of a job.

Path: test_ends.py, test_guide.py -> this
"""
import os
import subprocess
import sys

MPIRUN = os.environ.get("TEST_MPIRUN", "").splitlines()
PLACES = [(1, 1), (4, 1)] + ([(2, 2)] if MPIRUN else [])  # nodes, processes
# Without buffers print() writes a line and its end apart, and ranks write to one pipe.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
LIMIT_S = 240  # of a hundred nodes on a busy machine, too


def lines_of(place, words):
    """Returns the lines that a program prints, which has to end with status 0."""
    n_nodes, n_processes = place
    ahead = MPIRUN + ["-np", "2"] if n_processes > 1 else []
    settings = {} if ahead else {"GRAVEL_TRANSPORT": "self", "GRAVEL_LOOPBACK": str(n_nodes)}
    ended = subprocess.run(ahead + [sys.executable, *map(str, words)], env={**ENVIRONMENT, **settings}, timeout=LIMIT_S,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    return ended.stdout.splitlines()

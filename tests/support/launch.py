# SPDX-License-Identifier: MIT
"""Command lines of jobs of several ranks, by the launcher that belongs to the build's MPI.

Path: TEST_MPIRUN, of support/meson.build: its words, a line each -> this -> the suite app.
"""
import os
import sys


def job(*parts):
    """Returns the words that start these parts, (ranks, words) each; ends the test if nothing starts jobs here."""
    words = os.environ.get("TEST_MPIRUN", "").splitlines()
    if not words:
        print("skipped: no launcher of MPI's jobs")
        sys.exit(77)
    for n, (ranks, program) in enumerate(parts):
        words += [":"] * (n > 0) + ["-np", str(ranks)] + program
    return words

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run what applications must refuse, each case of a group: refusals.py.

refuse.py [--ranks N] GROUP PROGRAM...      the programs that the group names

A case must end with another status than 0, print nothing to stdout and one line of the program's to stderr, whatever
the number of ranks. Each case is a line of the output; those that failed are named again at its end, with the reason.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import refusals
import run_app

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
N_AT_ONCE = 5  # without a device, where some wait: more than those


def words_of(row):
    """Its arguments, files of tests/data by their path."""
    words = row[1] if isinstance(row[1], list) else row[1].split()
    return [os.path.join(DATA, word) if before == "-f" else word for before, word in zip([None] + words, words)]


def fault_of(row, ranks, programs, settings):
    """None if the case is refused as it should be."""
    if row[0] not in programs:
        return "the test is not given this program"
    program = [programs[row[0]]] + words_of(row)
    try:
        run_app.check_bad(run_app.run(ranks, settings, program), row[2], ranks, program)
    except (AssertionError, subprocess.TimeoutExpired) as failure:
        return str(failure)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int)
    parser.add_argument("group", choices=list(refusals.GROUPS))
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    programs = {os.path.basename(path): path for path in arguments.programs}
    rows = refusals.GROUPS[arguments.group]
    is_without_device = arguments.group in refusals.WITHOUT_DEVICE
    with tempfile.TemporaryDirectory() as no_drivers, \
            concurrent.futures.ThreadPoolExecutor(N_AT_ONCE if is_without_device else 1) as pool:
        common = {"OCL_ICD_VENDORS": no_drivers} if is_without_device else {}
        faults = list(pool.map(lambda row: fault_of(row, arguments.ranks, programs, {**common, **(row + ({},))[3]}), rows))
    for row, fault in zip(rows, faults):
        print("ok:" if fault is None else "FAILED:", *row)
    failed = [(row, fault) for row, fault in zip(rows, faults) if fault]
    print("%d of %d refused as they should be" % (len(rows) - len(failed), len(rows)))
    for row, fault in failed:
        print("FAILED:", *row, "--", fault)
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each section of the promises has a table in tests/README.md, whose tests and programs exist.

usage: promises.py SOURCE BUILD
exit:  0; 1 with each section that is missing, each name that no test and no program has, and each program that is not named;
       77 if the build lacks a suite

A code span of a table's second or third column is NAME.litmus of tests/hrf/protocols, or how the name of a test begins.

Path: docs/reference/promises.md, tests/README.md, BUILD/meson-info -> this.
"""
import json
import os
import re
import sys

HEADING = re.compile(r"^## (.*)$", re.M)
ROW = re.compile(r"^\|(?:[^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$", re.M)
SUITES = {"cluster", "device", "fuzz", "hrf", "ledger", "model", "mpi", "mutants", "oclgrind", "tsan"}


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def main(root, build):
    tests = json.loads(read(build, "meson-info", "intro-tests.json"))
    lacking = SUITES - {suite.rpartition(":")[2] for test in tests for suite in test["suite"]}
    if lacking:
        print("this build has no suite %s" % ", ".join(sorted(lacking)))
        return 77
    page, names = read(root, "tests", "README.md"), [test["name"] for test in tests]
    programs = os.listdir(os.path.join(root, "tests", "hrf", "protocols"))
    spans = {span for row in ROW.findall(page) for cell in row for span in re.findall(r"`([^`]+)`", cell)}
    wrong = ["tests/README.md has no section '%s' of docs/reference/promises.md" % heading
             for heading in HEADING.findall(read(root, "docs", "reference", "promises.md"))
             if heading not in HEADING.findall(page)]
    wrong += ["tests/README.md names '%s', which is no test and no program" % span for span in sorted(spans)
              if span not in programs and not any(re.match(re.escape(span) + r"(?!\w)", name) for name in names)]
    wrong += ["tests/README.md does not name tests/hrf/protocols/%s" % program for program in sorted(programs)
              if program.endswith(".litmus") and program not in spans]
    print("\n".join(wrong + ["%d names of tests and programs" % len(spans)]))
    return 1 if wrong or not spans else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

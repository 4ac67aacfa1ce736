# SPDX-License-Identifier: MIT
"""Each section of the promises has a table in tests/spec/promises.md, whose tests and programs exist.

A code span of a table's second or third column is NAME.litmus of tests/hrf/protocols, or how the name of a test begins.

Path: docs/reference/promises.md, tests/spec/promises.md, BUILD/meson-info -> this.
"""
import json
import os
import re
import sys

HEADING = re.compile(r"^## (.*)$", re.M)
ROW = re.compile(r"^\|(?:[^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$", re.M)
SUITES = {"cluster", "device", "fuzz", "hrf", "ledger", "model", "mpi", "mutants", "oclgrind", "tsan"}


def faults(tree, build):
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        tests = json.load(file)
    lacking = SUITES - {suite.rpartition(":")[2] for test in tests for suite in test["suite"]}
    if lacking:
        print("this build has no suite %s" % ", ".join(sorted(lacking)))
        sys.exit(77)
    page, names = tree.text("tests/spec/promises.md"), [test["name"] for test in tests]
    programs = os.listdir(os.path.join(tree.root, "tests/hrf/protocols"))
    spans = {span for row in ROW.findall(page) for cell in row for span in re.findall(r"`([^`]+)`", cell)}
    yield from ("tests/spec/promises.md has no section '%s' of docs/reference/promises.md" % heading
                for heading in HEADING.findall(tree.text("docs/reference/promises.md"))
                if heading not in HEADING.findall(page))
    yield from ("tests/spec/promises.md names '%s', which is no test and no program" % span for span in sorted(spans)
                if span not in programs and not any(re.match(re.escape(span) + r"(?!\w)", name) for name in names))
    yield from ("tests/spec/promises.md does not name tests/hrf/protocols/%s" % program for program in sorted(programs)
                if program.endswith(".litmus") and program not in spans)
    if not spans:
        yield "tests/spec/promises.md names no test"

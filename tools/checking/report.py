# SPDX-License-Identifier: MIT
"""Counts results and prints a line for each part; for what failed also the end of its output.

Path: parts.py, BUILD/meson-logs -> this -> the terminal.
"""
import json
import os
import re
import time

import parts
import plan

SHOWN_LINES = 25
N_SLOWEST = 10
PASSED, SKIPPED = {"OK", "EXPECTEDFAIL"}, {"SKIP"}
FOUND = re.compile(r"ERROR: |WARNING: ThreadSanitizer|runtime error: |Sanitizer has encountered")
WHY_SKIPPED = re.compile(r"skip[a-z]*\"?:.*|# SKIP.*|.*is not installed.*|.*no mpirun.*", re.I)


def tail(text, n_lines=SHOWN_LINES):
    return "\n".join("      " + line for line in text.splitlines()[-n_lines:])


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def results_of(build, setup):
    return os.path.join(build, "meson-logs", "testlog-%s.json" % setup)


def read_results(path):
    return [json.loads(line) for line in read(path).splitlines() if line.strip()] if os.path.exists(path) else []


def output_of(test):
    return (test.get("stdout") or "") + (test.get("stderr") or "")


class Results:
    def __init__(self):
        self.n_passed = self.n_failed = self.n_skipped = 0
        self.durations = []  # (seconds, name)

    def last_line(self):
        return "%d passed, %d failed, %d skipped" % (self.n_passed, self.n_failed, self.n_skipped)

    def fail(self, line):
        self.n_failed += 1
        print(line, flush=True)

    def part(self, name, action):
        """One command that counts as one test. @return whether it passed."""
        begin = time.monotonic()
        status, log = action()
        seconds = time.monotonic() - begin
        self.durations.append((seconds, name))
        self.n_passed += status == 0
        if status == 0:
            print("%s: passed (%.0f s)" % (name, seconds), flush=True)
        else:
            self.fail("%s\n%s: FAILED (%.0f s; all of it: %s)" % (tail(read(log)), name, seconds, log))
        return status == 0

    def tests(self, build, names, setup="check"):
        """Tests of a build: one without a result has failed."""
        results_path = results_of(build, setup)
        if os.path.exists(results_path):
            os.remove(results_path)
        begin = time.monotonic()
        _, log = parts.tests(build, setup, names)
        results = read_results(results_path)
        failed = [t for t in results if t["result"] not in PASSED | SKIPPED]
        skipped = [t for t in results if t["result"] in SKIPPED]
        n_lost, n_passed = max(0, len(names) - len(results)), len(results) - len(failed) - len(skipped)
        for test in skipped:
            why = WHY_SKIPPED.search(output_of(test))
            print("  skipped: %s: %s" % (test["name"], why.group(0).strip() if why else "no reason given"))
        for test in failed:
            print("  FAILED: %s (%s, %.0f s)\n%s" % (test["name"], test["result"], test["duration"], tail(output_of(test))))
        if n_lost:
            print("  FAILED: %d tests left no result; see %s" % (n_lost, log))
        self.durations += [(t["duration"], t["name"]) for t in results]
        self.n_passed += n_passed
        self.n_failed += len(failed) + n_lost
        self.n_skipped += len(skipped)
        print("%s: %d passed, %d failed, %d skipped (%.0f s)" % (
            "tests" if setup == "check" else "sanitizer " + setup, n_passed, len(failed) + n_lost, len(skipped),
            time.monotonic() - begin), flush=True)

    def sanitizer(self, kind, names):
        """Tests of the host's half in a build with the sanitizer. @param names  None: all of them."""
        build = "build-" + kind
        if not self.part("set up " + build, lambda: parts.set_up_sanitizer(build, kind)):
            return
        reports = os.path.join(build, "reports", "")
        for old in os.listdir(reports):
            os.remove(reports + old)
        for setup, chosen in plan.sanitized(build, kind, names):
            if chosen:
                self.tests(build, chosen, setup)
        found = [text for text in (read(reports + name) for name in sorted(os.listdir(reports))) if FOUND.search(text)]
        if found:
            self.fail("  FAILED: %d reports in %s; the first:\n%s" % (len(found), reports, "\n".join(found[0].splitlines()[:40])))

    def show_slowest(self):
        print("slowest:")
        for seconds, name in sorted(self.durations, reverse=True)[:N_SLOWEST]:
            print("  %4.0f s  %s" % (seconds, name))

# SPDX-License-Identifier: MIT
"""Counts results and prints a line for each part; for what failed also the end of its output.

Path: parts.py, BUILD/meson-logs/testlog.json -> this -> the terminal.
"""
import json
import os
import re
import time

import parts

SHOWN_LINES = 25
N_SLOWEST = 10
PASSED, SKIPPED = {"OK", "EXPECTEDFAIL"}, {"SKIP"}
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
WHY_SKIPPED = re.compile(r"skip[a-z]*:.*|# SKIP.*|.*is not installed.*|.*no mpirun.*", re.I)


def tail(text, n_lines=SHOWN_LINES):
    return "\n".join("      " + line for line in text.splitlines()[-n_lines:])


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_results(build):
    path = os.path.join(build, "meson-logs", "testlog.json")
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

    def timed(self, name, action):
        begin = time.monotonic()
        outcome = action()
        seconds = time.monotonic() - begin
        self.durations.append((seconds, name))
        return outcome, seconds

    def part(self, name, action):
        """One command that counts as one test. @return whether it passed."""
        (status, log), seconds = self.timed(name, action)
        if status == 0:
            self.n_passed += 1
        else:
            print(tail(read(log)))
            self.n_failed += 1
        print("%s: %s (%.0f s%s)" % (name, "passed" if status == 0 else "FAILED", seconds,
                                     "" if status == 0 else "; all of it: " + log), flush=True)
        return status == 0

    def tests(self, build, names):
        """Tests of a build: one without a result has failed."""
        results_path = os.path.join(build, "meson-logs", "testlog.json")
        if os.path.exists(results_path):
            os.remove(results_path)
        begin = time.monotonic()
        parts.tests(build, names)
        results = read_results(build)
        failed = [t for t in results if t["result"] not in PASSED | SKIPPED]
        skipped = [t for t in results if t["result"] in SKIPPED]
        n_lost = max(0, len(names) - len(results))
        for test in skipped:
            why = WHY_SKIPPED.search(output_of(test))
            print("  skipped: %s: %s" % (test["name"], why.group(0).strip() if why else "no reason given"))
        for test in failed:
            print("  FAILED: %s (%s, %.0f s)\n%s" % (test["name"], test["result"], test["duration"], tail(output_of(test))))
        if n_lost:
            print("  FAILED: %d tests left no result; see %s" % (n_lost, parts.log_of("tests")))
        self.durations += [(t["duration"], t["name"]) for t in results]
        self.n_passed += len(results) - len(failed) - len(skipped)
        self.n_failed += len(failed) + n_lost
        self.n_skipped += len(skipped)
        print("tests: %d passed, %d failed, %d skipped (%.0f s)" % (
            len(results) - len(failed) - len(skipped), len(failed) + n_lost, len(skipped), time.monotonic() - begin),
            flush=True)

    def sanitizer(self, kind, names):
        """Tests that tools/check-sanitizers has counted."""
        name = "sanitizer " + kind
        (status, log), seconds = self.timed(name, lambda: parts.sanitizer(kind, names))
        text = read(log)
        counts = COUNTS.findall(text)
        passed, failed, skipped = (int(n) for n in counts[-1]) if counts else (0, 1, 0)
        if status and not failed:
            failed = 1
        if failed:
            print(tail(text, 4 * SHOWN_LINES))
        self.n_passed, self.n_failed = self.n_passed + passed, self.n_failed + failed
        self.n_skipped += skipped
        print("%s: %d passed, %d failed, %d skipped (%.0f s%s)" % (
            name, passed, failed, skipped, seconds, "; all of it: " + log if failed else ""), flush=True)

    def show_slowest(self):
        print("slowest:")
        for seconds, name in sorted(self.durations, reverse=True)[:N_SLOWEST]:
            print("  %4.0f s  %s" % (seconds, name))

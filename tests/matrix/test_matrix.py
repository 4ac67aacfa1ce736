#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How tools/matrix judges what gravel-conformance and the programs say."""
import importlib.machinery
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools")
sys.path.insert(0, TOOLS)
loader = importlib.machinery.SourceFileLoader("matrix", os.path.join(TOOLS, "matrix"))
matrix = importlib.util.module_from_spec(importlib.util.spec_from_loader("matrix", loader))
loader.exec_module(matrix)
N_PROGRAMS = len(matrix.PROGRAMS)


class Where:
    """A place whose programs all end alike."""
    build = "/build"

    def __init__(self, status, out=""):
        self.done = matrix.place.Result(status, out, "", 9)

    def run(self, *_):
        return self.done


def step(**suites):
    return {"status": "passed", "suites": {name: {"status": status} for name, status in suites.items()}}


def judge(report, status=0, out=""):
    return matrix.judge(report, lambda: matrix.run_programs(Where(status, out), {}))


class Verdict(unittest.TestCase):
    def test_a_step_passes_if_all_do(self):
        counts = "%d/%d" % (N_PROGRAMS + 1, N_PROGRAMS + 2)
        self.assertEqual(judge(step(words="passed", handlers="refused")), (matrix.PASS, "handlers is refused", counts))

    def test_what_fails_is_named(self):
        verdict, reason, _ = judge(step(words="failed"))
        self.assertEqual((verdict, reason), (matrix.FAILED, "words: failed"))
        for status, out in (1, "FAIL: 3 words"), (134, "FAIL: 3 words"), (124, "device lacks a capability (-5): x\nFAIL: 3 words"):
            verdict, reason, _ = judge(step(words="passed"), status, out)
            self.assertEqual(verdict, matrix.FAILED)
            self.assertIn("FAIL: 3 words", reason)

    def test_what_a_device_cannot_is_no_failure(self):
        verdict, reason, counts = judge(step(words="passed"), 1, "fib: device lacks a capability: self-test: it runs no handler")
        self.assertEqual((verdict, counts), (matrix.PASS, "1/%d" % (N_PROGRAMS + 1)))
        self.assertIn("self-test: it runs no handler", reason)

    def test_a_step_that_is_not_taken_runs_nothing(self):
        for status, verdict in ("refused", matrix.REFUSED), ("absent", matrix.SKIPPED), ("failed", matrix.FAILED):
            self.assertEqual(matrix.judge({"status": status, "reason": "it lacks"}, None), (verdict, "it lacks", "-"))

    def test_a_suite_in_which_a_self_test_fails_rules_the_step_out(self):
        report = {"status": "passed", "suites": {"words": {"status": "failed", "failures": ["open: self-test: counted to 0"]}}}
        self.assertEqual(matrix.judge(report, None), (matrix.REFUSED, "words: open: self-test: counted to 0", "-"))

    def test_what_is_expected(self):
        self.assertTrue(matrix.is_expected(matrix.PASS, False, "25.0"))
        self.assertTrue(matrix.is_expected(matrix.REFUSED, False, ""))
        self.assertFalse(matrix.is_expected(matrix.REFUSED, True, ""))
        self.assertFalse(matrix.is_expected(matrix.FAILED, False, ""))
        self.assertFalse(matrix.is_expected(matrix.PASS, False, "22.3.6"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/steps runs, and how it counts: tools/portability/suites.py; and how tools/matrix counts parts.py."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))
from portability import parts, suites  # noqa: E402
from portability.place import Result  # noqa: E402


def listed(name, suite="ledger", command=("ledger",), settings=None, protocol="exitcode"):
    return suites.Test({"name": name, "cmd": list(command), "env": settings or {}, "timeout": 9,
                        "suite": ["gravel:" + suite], "protocol": protocol})


def ended(status, out="", err=""):
    return Result(status, out, err, 9)


class Choice(unittest.TestCase):
    def names(self, tests, step, max_ranks=2):
        return [test.name for test, _ in suites.tests_on(tests, step, max_ranks)]

    def test_a_test_without_step_runs_on_all_and_once(self):
        plain = listed("plain")
        same = listed("plain (drain)", settings={"GRAVEL_STEP": "drain"})
        for step in ("svm", "usm", "pump", "drain"):
            self.assertEqual(self.names([plain, same], step), ["plain"])

    def test_a_test_with_a_step_runs_on_that_one(self):
        by_setting = listed("a", settings={"GRAVEL_STEP": "drain"})
        by_word = listed("b", "app", ("run_app.py", "--env", "GRAVEL_STEP=drain", "gups"))
        self.assertEqual(self.names([by_setting, by_word], "drain"), ["a", "b"])
        self.assertEqual(self.names([by_setting, by_word], "pump"), [])

    def test_usm_takes_what_names_svm(self):
        test = listed("a", settings={"GRAVEL_STEP": "svm"})
        self.assertEqual(suites.tests_on([test], "usm", 2)[0][1]["GRAVEL_STEP"], "usm")

    def test_ranks_are_counted_wherever_they_stand(self):
        tests = [listed("1", command=("mpirun", "-np", "3", "x")), listed("2", command=("run_app.py", "--ranks", "3")),
                 listed("3", "mpi", ("/t/fault.sh", "2", "mpirun", "-np", "3", "fault", "mode"))]
        self.assertEqual([test.n_ranks for test in tests], [3, 3, 3])
        self.assertEqual(self.names(tests, "svm"), [])
        self.assertEqual(len(self.names(tests, "svm", 3)), 3)

    def test_pump_has_threads_for_every_rank(self):
        test = listed("a", command=("mpirun", "-np", "2", "x"))
        self.assertEqual(suites.settings_on(test, "pump")["POCL_MAX_PTHREAD_COUNT"], "6")

    def test_a_round_trip_a_message_is_left_out_on_pump(self):
        small = listed("a", command=("ledger", "am_wi", "9"), settings={"GRAVEL_QUEUE": "9280", "GRAVEL_SLOT": "9280"})
        large = listed("b", command=("ledger", "am_wi", "9"))
        self.assertEqual(self.names([small, large], "pump"), ["b"])
        self.assertEqual(self.names([small, large], "svm"), ["a", "b"])

    def test_other_suites_are_left_out(self):
        self.assertEqual(self.names([listed("a", "unit")], "svm"), [])


class FakeRow:
    """A row whose programs all end alike."""
    units = {"GRAVEL_HOST_CORES": "0"}
    settings = {}

    class place:
        sources = TOP


class Parts(unittest.TestCase):
    def measure(self, part, result, quick=True):
        self.ran = []

        def run(_row, program, _limit_s, settings, arguments):
            self.ran.append((program, settings, arguments))
            return result
        return parts.measure(run, FakeRow, part, quick, lambda ended: "status %d" % ended.status)

    def test_a_quick_part_is_the_beginning_of_the_whole(self):
        for part in parts.PARTS:
            counts, failure, refusal = self.measure(part, ended(0))
            quick = self.ran
            self.assertEqual(counts, [len(quick), len(quick), 0])
            self.assertEqual((failure, refusal), (None, None))
            self.measure(part, ended(0), quick=False)
            self.assertEqual(self.ran[:len(quick)], quick)
            self.assertGreater(len(self.ran), len(quick))

    def test_what_a_device_cannot_is_no_failure(self):
        said = "fib: device lacks a capability: self-test: the device runs no handler\n"
        counts, failure, refusal = self.measure("flow", ended(1, err=said))
        self.assertEqual(counts, [0, len(self.ran), len(self.ran)])
        self.assertEqual(failure, None)
        self.assertIn("the device runs no handler", refusal)
        said = "  sb is not run: it has threads of two devices; one is run\n"
        self.assertIn("two devices", self.measure("hrf", ended(77, out=said))[2])
        said = "steal.cl.h:195:50: error: use of undeclared identifier 'memory_order_seq_cst'\n"
        self.assertIn("memory_order_seq_cst", self.measure("steal", ended(1, err=said))[2])

    def test_other_ends_are_failures(self):
        for result in ended(1, "FAIL"), ended(134), ended(124, "device lacks a capability (-5): x"):
            counts, failure, refusal = self.measure("steal", result)
            self.assertEqual((counts[0], counts[2], refusal), (0, 0, None))
            self.assertIn("status %d" % result.status, failure)

    def test_groups_that_meet_get_compute_units(self):
        self.measure("serve", ended(0), quick=False)
        for _, settings, arguments in self.ran:
            self.assertEqual("GRAVEL_HOST_CORES" in settings, "servers" in arguments)


class Verdict(unittest.TestCase):
    def judge(self, result, step="svm", protocol="exitcode", suite="ledger"):
        return suites.judge(listed("a", suite, protocol=protocol), step, result)

    def test_exit_status_counts(self):
        self.assertEqual(self.judge(ended(0)), suites.PASSED)
        self.assertEqual(self.judge(ended(1)), suites.FAILED)
        self.assertEqual(self.judge(ended(124)), suites.FAILED)
        self.assertEqual(self.judge(ended(77)), suites.SKIPPED)

    def test_tap_is_counted_line_by_line(self):
        self.assertEqual(self.judge(ended(0, "1..2\nok 1\nok 2\n"), protocol="tap"), suites.PASSED)
        self.assertEqual(self.judge(ended(0, "1..2\nok 1\n"), protocol="tap"), suites.FAILED)
        self.assertEqual(self.judge(ended(0, "ok 1\n"), protocol="tap"), suites.FAILED)
        self.assertEqual(self.judge(ended(0, "1..1\nok 1\nnot ok 2\n"), protocol="tap"), suites.FAILED)
        self.assertEqual(self.judge(ended(0, "1..0 # SKIP none\n"), protocol="tap"), suites.SKIPPED)

    def test_only_drain_may_refuse_and_only_ledgers(self):
        text = "ledger: group 0 found queue 0 full (1 slots, ticket 1), and no kernel waits on step drain: raise"
        self.assertEqual(self.judge(ended(1, err=text), "drain"), suites.REFUSED)
        self.assertEqual(self.judge(ended(1, err=text), "pump"), suites.FAILED)
        self.assertEqual(self.judge(ended(1, err=text), "drain", suite="app"), suites.FAILED)
        self.assertEqual(self.judge(ended(139, err=text), "drain"), suites.FAILED)
        self.assertEqual(self.judge(ended(1, err="lost 3 messages"), "drain"), suites.FAILED)


if __name__ == "__main__":
    unittest.main()

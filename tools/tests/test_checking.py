#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/check runs, and how it counts: tools/checking."""
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools", "checking"))
import parts  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402
import room  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop())


class Plan(unittest.TestCase):
    def setUp(self):
        os.chdir(TOP)
        self.tests, self.core, self.rest = plan.split(BUILD)
        self.in_turns = [test for test, name in self.tests if name not in plan.ONLY_ALL]

    def test_all_parts_and_the_core_are_all_but_what_only_all_runs(self):
        plans = [plan.make(BUILD, False, part) for part in range(plan.PARTS)]
        run = [test for some in plans for test in some.tests]
        core = [test for test, _ in self.core]
        for test, _ in self.tests:
            expected = plan.PARTS if test in core else int(test in self.in_turns)
            self.assertEqual(run.count(test), expected, test)
        self.assertEqual(sorted(f for some in plans for f in some.figures), sorted(plan.figures()))
        self.assertEqual(sorted(b for some in plans for b in some.builds), sorted(plan.BUILDS))

    def test_two_rounds_of_parts_have_all_sanitizers(self):
        run = {kind: [] for kind in plan.SANITIZERS}
        for turn in range(2 * plan.PARTS):
            some = plan.make(BUILD, False, turn)
            for kind, names in some.sanitizers:
                self.assertLessEqual(set(names), set(some.tests))
                run[kind] += names
        for kind, names in run.items():
            self.assertEqual(sorted(names), sorted(self.in_turns))
            for setup, chosen in plan.sanitized(BUILD, kind, names):
                self.assertGreater(len(chosen), 3, setup)

    def test_all_is_everything_once(self):
        everything = plan.make(BUILD, True, None)
        self.assertEqual(sorted(everything.tests), sorted(test for test, _ in self.tests))
        self.assertEqual(everything.left, "")

    def test_a_test_that_is_added_moves_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            for is_added in False, True:
                os.makedirs("%s/%d/meson-info" % (folder, is_added))
                with open(BUILD + "/meson-info/intro-tests.json", encoding="utf-8") as tests, \
                        open("%s/%d/meson-info/intro-tests.json" % (folder, is_added), "w", encoding="utf-8") as out:
                    first = [{"name": "added", "suite": ["gravel:unit of none"]}] * is_added
                    json.dump(first + json.load(tests), out)
            for part in range(plan.PARTS):
                less, more = (plan.make("%s/%d" % (folder, n), False, part).tests for n in (0, 1))
                self.assertEqual(less, [test for test in more if test != "gravel:added"])

    def test_a_turn_is_the_count_of_first_parents_if_git_has_all_and_else_by_chance_or_date(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*words):
                subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", *words], check=True, capture_output=True)

            os.chdir(folder)
            self.assertEqual(plan.find_turn()[1], "the day")
            git("init", "-q", "whole")
            os.chdir("whole")
            for n in range(3):
                git("commit", "-q", "--allow-empty", "-m", str(n))
            git("checkout", "-q", "-b", "side", "HEAD~1")
            git("commit", "-q", "--allow-empty", "-m", "side")
            git("checkout", "-q", "-")
            git("merge", "-q", "--no-ff", "side", "-m", "merge")
            self.assertEqual(plan.find_turn(), (4, "the count of commits"))
            git("clone", "-q", "--depth", "1", "file://%s/whole" % folder, "../shallow")
            os.chdir("../shallow")
            self.assertIn("shallow", plan.find_turn()[1])
            os.chdir(TOP)

    def test_the_core_has_every_step_and_is_not_all(self):
        names = " ".join(name for _, name in self.core)
        for word in ("(pump)", "(drain)", "ranks 2", "ranks 3", "fault", "refuses"):
            self.assertIn(word, names)
        self.assertGreater(len(self.rest), 100)


class Room(unittest.TestCase):
    def test_a_disk_without_room_is_named(self):
        free_mb = shutil.disk_usage(".").free >> 20
        self.assertIsNone(room.find(1))
        self.assertIn("make room", room.find(free_mb + 100000))
        self.assertIn(os.getcwd(), room.find(free_mb + 100000))


class Ending(unittest.TestCase):
    def test_an_interrupt_in_the_middle_of_popen_s_wait_ends_the_command(self):
        parts.child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        with parts.child._waitpid_lock:  # pylint: disable=protected-access
            began = time.monotonic()
            parts.end_child()
        self.assertLess(time.monotonic() - began, 10)
        self.assertRaises(ProcessLookupError, os.kill, parts.child.pid, 0)
        parts.child.wait()
        parts.child = None


class Counting(unittest.TestCase):
    def count(self, results, names):
        """What is printed, and the last line, when meson has left these results of these tests."""
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(os.path.join(build, "meson-logs"))

            def leave_results(*_):
                with open(report.results_of(build, "check"), "w", encoding="utf-8") as log:
                    for name, result, out in results:
                        log.write(json.dumps({"name": name, "result": result, "duration": 1.0, "stdout": out}) + "\n")
                return 0, "its log"

            real, parts.tests = parts.tests, leave_results
            counted = report.Results()
            try:
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    counted.tests(build, names)
            finally:
                parts.tests = real
            return printed.getvalue(), counted.last_line()

    def test_results_are_counted(self):
        printed, last = self.count([("a", "OK", ""), ("b", "FAIL", "lost 3 messages"), ("c", "SKIP", "skipped: no spin"),
                                    ("d", "TIMEOUT", "")], ["a", "b", "c", "d"])
        self.assertEqual(last, "1 passed, 2 failed, 1 skipped")
        self.assertIn("lost 3 messages", printed)
        self.assertIn("c: skipped: no spin", printed)

    def test_a_test_without_result_has_failed(self):
        _, last = self.count([("a", "OK", "")], ["a", "b", "c"])
        self.assertEqual(last, "1 passed, 2 failed, 0 skipped")
        _, last = self.count([], ["a"])
        self.assertEqual(last, "0 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()

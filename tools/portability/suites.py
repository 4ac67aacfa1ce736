# SPDX-License-Identifier: MIT
"""The tests of a build, as they are on any step: which there are, with which settings, and how one ends.

Path: BUILD/meson-info/intro-tests.json -> this -> tools/steps.
"""
import json
import os
import re

from portability.place import Chroot

SUITES = ("conformance", "requests", "handlers", "ledger", "mpi", "app")
CORES_OF_PUMP = 3  # PoCL's threads for each rank: more than kernels take, or no compute unit stays free
PASSED, FAILED, SKIPPED, REFUSED = "passed", "failed", "skipped", "refused"
SKIP_STATUS = 77
# What step drain must say if a group's packages do not fit into the queue, for no copy can run in between.
DOES_NOT_FIT = re.compile(r"found queue \d+ full .*no kernel waits on step drain")


class Test:
    def __init__(self, listed):
        self.name, self.command, self.settings = listed["name"], listed["cmd"], listed["env"]
        self.limit_s, self.is_tap = listed["timeout"] or 600, listed["protocol"] == "tap"
        self.suite = suite_of(self.name, [suite.rpartition(":")[2] for suite in listed["suite"]])
        self.n_ranks = count_ranks(self.command)

    def steps(self):
        """Those that it names itself; most name none."""
        named = [self.settings.get("GRAVEL_STEP", "")]
        named += [word.partition("=")[2] for word in self.command if word.startswith("GRAVEL_STEP=")]
        return {step for step in named if step}


def suite_of(name, suites):
    """Conformance is reported in three parts: messages, requests, handlers that the device runs."""
    if "conformance" not in suites:
        return suites[0]
    return "requests" if "requests" in name else "handlers" if name.startswith("handlers") else "conformance"


def count_ranks(command):
    for option in ("-np", "--ranks"):
        if option in command:
            return int(command[command.index(option) + 1])
    return 1


def listed_tests(place):
    build = place.files if isinstance(place, Chroot) else place.build
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as tests:
        return [Test(listed) for listed in json.load(tests)]


# ---- on a step ----------------------------------------------------------------------------------------------

def step_settings(step, n_ranks):
    if step != "pump":
        return {"GRAVEL_STEP": step}
    return {"GRAVEL_STEP": step, "GRAVEL_HOST_CORES": "0", "POCL_MAX_PTHREAD_COUNT": str(CORES_OF_PUMP * n_ranks)}


def settings_on(test, step):
    """@return what the test is run with on this step; None if it is for another."""
    named = test.steps()
    if not named:
        return {**step_settings(step, test.n_ranks), **test.settings}
    if step in named:
        return test.settings
    if step == "usm" and named == {"svm"} and "GRAVEL_STEP" in test.settings:
        return {**test.settings, "GRAVEL_STEP": step}  # the two are the same but for the memory
    return None


def is_too_long(test, step):
    """One message a package and a queue of one slot: on pump each takes a round trip of copies, milliseconds."""
    return step == "pump" and "am_wi" in test.command and \
        test.settings.get("GRAVEL_QUEUE", "") == test.settings.get("GRAVEL_SLOT")


def tests_on(tests, step, max_ranks):
    """Tests and their settings; once, if some are alike but for their names."""
    chosen = {}
    for test in tests:
        settings = settings_on(test, step)
        if test.suite in SUITES and test.n_ranks <= max_ranks and settings is not None and not is_too_long(test, step):
            chosen.setdefault((tuple(test.command), tuple(sorted(settings.items()))), (test, settings))
    return list(chosen.values())


# ---- one test -----------------------------------------------------------------------------------------------

def is_whole(out):
    """TAP: every test of the plan is there, and passed."""
    plan = re.search(r"^1\.\.(\d+)", out, re.M)
    n_passed = len(re.findall(r"^ok ", out, re.M))
    return plan and int(plan.group(1)) == n_passed and not re.search(r"^not ok ", out, re.M)


def judge(test, step, result):
    text = result.out + result.err
    if result.status == SKIP_STATUS or (test.is_tap and re.search(r"^1\.\.0\b", text, re.M)):
        return SKIPPED
    if result.status == 0 and (not test.is_tap or is_whole(result.out)):
        return PASSED
    if step == "drain" and test.suite == "ledger" and result.status == 1 and DOES_NOT_FIT.search(text):
        return REFUSED
    return FAILED


def run(place, test, step, settings, base):
    """@return how it ended, and the Result."""
    command = ["env", "--chdir=" + place.build] + test.command
    result = place.run(command, {**settings, **base}, test.limit_s)
    return judge(test, step, result), result

# SPDX-License-Identifier: MIT
"""What a check runs: the core, and a fortieth of the rest or all of it.

The core is named by tests/core and tests/spec/broken. The rest is dealt to forty parts by a hash of the names: a test that
is added moves no other. Sanitizers repeat the part, whose kernels are compiled by then, and a fortieth of the core. The part
is the turn modulo forty: of forty commits one after the other each has another. Forty turns have one sanitizer, the next
forty the other.

Path: BUILD/meson-info/intro-tests.json, tests/core -> this -> __main__.py.
"""
import functools
import json
import os
import re
import subprocess
import sys
import time
import zlib

import parts

PARTS = 40
# The first five build all of it once more, fetch packages or install them; all later ones have many processes.
ONLY_ALL = ["matrix: guide on a fresh Debian", "matrix: packages of Debian", "bindings: Python wheel",
            "mpi: mpi MPICH, jobs", "app: app microcircuit, as NEST", "cluster: cluster Slurm",
            "cluster: cluster 32 ranks of 4", "mpi: mpi ranks 16"]
BUILDS = list(parts.BUILDS)
SANITIZERS = ["address", "thread"]  # in turns, each with a part of its tests, so that eighty commits run all of both
# Each part of the host's half once: alone, in one process; in jobs of two or three nodes; in jobs in which a node fails.
# Not the test of a device that is refused: its driver frees memory twice in a thread of its own. Not what takes minutes
# and runs the same code as others: steps drain and binned; nor what acts as a driver in threads of the driver's
# own (stalled). Every call that fails, with what it leaves behind, is for AddressSanitizer.
ALONE = r"unit: .*|device: (?!device without svm|device (faults|stalled|step|half)|.*(drain|binned)).*|" \
        r"conformance: .* loop-back 2 \(svm\)"
FAILING = r"device: device faults, (lost|queries|running) \((svm|pump)\)"
JOBS = r"mpi: .* ranks 2|conformance: conformance ranks 3"
FAULTS = r"mpi: .* fault (mismatch|one|two|left)_.*"
# Kind: the setups of tests/sanitize/meson.build, and what each runs.
SANITIZED = {"address": {"address": ALONE + "|" + FAILING, "address_jobs": JOBS, "address_faults": FAULTS},
             "thread": {"thread": "|".join([ALONE, JOBS, FAULTS, "tsan: .*"])}}


class Plan:
    def __init__(self, title, tests, figures, builds, sanitizers, left):
        self.title, self.tests, self.figures, self.builds = title, tests, figures, builds
        self.sanitizers, self.left = sanitizers, left


def git(*words):
    result = subprocess.run(["git", *words], capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else ""


def find_turn():
    """Returns the number of commits before this one, in which a merge is one; where it is not known, one by chance or date."""
    if git("rev-parse", "--is-shallow-repository") == "false":
        return int(git("rev-list", "--count", "--first-parent", "HEAD") or 0), "the count of commits"
    commit = git("rev-parse", "HEAD")
    return (int(commit[:15], 16), "the commit's hash, as the clone is shallow") if commit else (int(time.time()) // 86400, "the day")


def part_of(name):
    return zlib.crc32(name.encode()) % PARTS


def listed(build):
    """Every test: (what meson calls it, "suite: name")."""
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as tests:
        for test in json.load(tests):
            project, _, suite = test["suite"][0].partition(":")
            yield project + ":" + test["name"], suite + ": " + test["name"]


def sanitized(build, kind, among):
    """Each setup with its tests of the build, those among the given names. @param among  None: all."""
    tests = [(test, name) for test, name in listed(build) if among is None or test in among]
    for setup, pattern in SANITIZED[kind].items():
        yield setup, [test for test, name in tests if re.fullmatch(pattern, name)]


@functools.cache
def figures():
    listing = subprocess.run([sys.executable, "-B", "study/figures", "--list"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in listing.stdout.splitlines()]


def lines_of(path):
    with open(path, encoding="utf-8") as table:
        return [line.strip() for line in table if line[0] not in "#\n @+-"]  # nor a change of a row


def core_patterns():
    """What tests/core names, and the tests that find a broken promise."""
    return [re.compile(line) for line in lines_of("tests/core")] + \
        [re.compile(re.escape(line.split(" | ")[1])) for line in lines_of("tests/spec/broken")]


@functools.cache
def split(build):
    """@return all tests, those of the core, the rest that is dealt; ends if a pattern matches nothing."""
    tests, named = list(listed(build)), set()
    for pattern in core_patterns():
        matched = {name for _, name in tests if pattern.fullmatch(name)}
        if not matched:
            sys.exit("tests/core, tests/spec/broken: no test is '%s'\n0 passed, 1 failed, 0 skipped" % pattern.pattern)
        named |= matched
    core = [test for test in tests if test[1] in named]
    return tests, core, [test for test in tests if test[1] not in named and test[1] not in ONLY_ALL]


def make(build, is_all, turn):
    """@param turn  None: of find_turn."""
    tests, core, rest = split(build)
    if is_all:
        return Plan("all: %d tests, figures, clang, sanitizers" % len(tests), [t for t, _ in tests],
                    figures(), BUILDS, [(kind, None) for kind in SANITIZERS], "")
    turn, origin = find_turn() if turn is None else (turn, "--part")
    part = turn % PARTS
    dealt, all_figures = [test for test in rest if part_of(test[1]) == part], figures()
    some_figures = [figure for figure in all_figures if part_of(figure) == part]
    kind = SANITIZERS[turn // PARTS % 2]
    sanitized = [t for t, name in core if part_of(name) == part] + [t for t, _ in dealt]
    builds = BUILDS[part // 20:part // 20 + 1] if part % 20 == 0 else []
    title = "core: %d tests; part %d of the rest, by %s: %s" % (
        len(core), part, origin, ", ".join(["%d tests" % len(dealt)] + some_figures + builds + ["sanitizer " + kind]))
    left = "%d tests, %d figures, %d builds, and 79 of 80 parts of the sanitizers' tests" % (
        len(tests) - len(core) - len(dealt), len(all_figures) - len(some_figures), len(BUILDS) - len(builds))
    return Plan(title, [t for t, _ in core + dealt], some_figures, builds, [(kind, sanitized)], left)

# SPDX-License-Identifier: MIT
"""Builds, runs what the plan holds, prints what failed, was left out and was slow. See tools/check."""
import argparse
import os
import signal
import sys

import parts
import plan
import report
import room

def parse():
    parser = argparse.ArgumentParser(prog="tools/check")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--part", type=int, choices=range(plan.PARTS), help="of the rest (default: the commit's)")
    return parser.parse_args()


def run(arguments, results):
    """The parts in turn; tests need the first build, sanitizers its kernels."""
    if not results.part("build with gcc", lambda: parts.build(parts.BUILD, "gcc", *parts.QUICK)):
        return
    parts.ENVIRONMENT["TEST_TIMES"] = "30" if arguments.all else "1"  # times as long do the histories take
    chosen = plan.make(parts.BUILD, arguments.all, arguments.part)
    print(chosen.title, flush=True)
    results.tests(parts.BUILD, chosen.tests)
    for figure in chosen.figures:
        results.part("figure " + figure, lambda name=figure: parts.figure(name))
    for name in chosen.builds:
        results.part(name, parts.BUILDS[name])
    for kind, names in chosen.sanitizers:
        results.sanitizer(kind, names)
    results.show_slowest()
    print("left to --all: " + (chosen.left or "nothing"), flush=True)


def main():
    arguments = parse()
    lock, obstacle = room.take_lock()
    obstacle = obstacle or room.find(room.ALL_MB if arguments.all else room.SOME_MB)
    results = report.Results()
    if obstacle:
        results.fail(obstacle)
    else:
        room.make_mpi_folder()
        run(arguments, results)
    if results.n_failed and not obstacle and room.find(room.LEAST_MB):
        print("that may be why: " + room.find(room.LEAST_MB))
    print(results.last_line())
    del lock
    return 1 if results.n_failed else 0


def interrupt(number, _):
    parts.end_child()
    print("interrupted by %s: nothing is left running; run tools/check again, what is built stays"
          % signal.Signals(number).name, flush=True)
    os._exit(128 + number)


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    for caught in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(caught, interrupt)
    try:
        sys.exit(main())
    except OSError as error:
        print("cannot go on: %s: %s" % (error.filename or "a file", error.strerror))
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(1)

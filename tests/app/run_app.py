#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run an application, which checks itself, and check how it ended.

run_app.py [--ranks N] PROGRAM ARGUMENT...

It must end with status 0 and print PASS, once, for N nodes; with --json one object a line, valid and complete; with --model
too, one whose counters are those of the model.

Exit status 77: nothing here starts ranks, or the application says (by its own status 77) that the device cannot do what was asked.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

SECONDS = 100 * float(os.environ.get("TEST_PATIENCE", "1"))  # more on a busy machine


def job(*parts):
    """Returns the words that start these parts, (ranks, words) each; ends the test if nothing starts jobs here."""
    words = os.environ.get("TEST_MPIRUN", "").splitlines()
    if not words:
        print("skipped: no launcher of MPI's jobs")
        sys.exit(77)
    for n, (ranks, program) in enumerate(parts):
        words += [":"] * (n > 0) + ["-np", str(ranks)] + program
    return words


def run(words, ranks=None, settings=(), **how):
    """Returns how a program ended, of as many ranks if there are any."""
    return subprocess.run(job((ranks, words)) if ranks else words, env={**os.environ, **dict(settings)}, text=True,
                          errors="replace", timeout=SECONDS, stdin=subprocess.DEVNULL,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how})


def check_model(model, row):
    """Whether messages were sent as the model says, and not as another does."""
    n_buffers = row["buffers_full"] + row["buffers_timeout"] + row["buffers_flush"]
    if model.startswith("coprocessor"):
        assert row["packages"] == 0, "packages in the queue of Gravel"
    elif model == "lane":
        assert n_buffers >= row["messages"], "a buffer of several messages"
    elif model == "coalesced":
        assert n_buffers >= row["packages"], "a buffer of several calls"
    if not model.startswith("coprocessor"):
        assert row["messages"] > 0, "no messages"


def check_json(text, n_nodes, words):
    model = words[words.index("--model") + 1] if "--model" in words else "gravel"
    assert text.strip(), "no report"
    for line in text.splitlines():
        report = json.loads(line)
        assert report["model"] == model, "model %s" % report["model"]
        assert report["valid"] is True, "not valid"
        assert report["nodes"] == n_nodes, "%d nodes" % report["nodes"]
        assert report["rate"] >= 0 and report["unit"].endswith("/s")
        for option, name in ("-g", "kronecker-"), ("-u", "uniform-"), ("-f", ""):
            if option in words and "vertices" in report["parameters"]:
                assert report["input"] == name + os.path.basename(words[words.index(option) + 1]), report["input"]
        each = report["seconds_each"]
        assert report["name"] and isinstance(report["parameters"], dict)
        assert report["seconds"] == statistics.median(each), "median of %s" % each
        for row in report["statistics"]:
            assert row["refused_messages"] == 0 and row["remote_messages"] <= row["messages"] + row["host_messages"]
            if "--model" in words:
                check_model(model, row)


def check_good(result, words, ranks=None):
    """Whether it has found its own results right."""
    assert result.returncode == 0, "exit status %d: %s" % (result.returncode, result.stderr.strip())
    if "--json" in words:
        check_json(result.stdout, ranks or int(os.environ.get("GRAVEL_LOOPBACK", "1")), words)
    else:
        assert result.stdout.rstrip().endswith("PASS"), "no PASS"
        of_all = "  %d node" % (ranks or 1)  # each of ranks that do not meet is a job of one
        assert not ranks or all(of_all in line for line in result.stdout.splitlines() if line.endswith("PASS")), \
            "not a job of %d ranks" % ranks


def check_bad(result, pattern, words, ranks=None):
    """Whether it refused with one line of this pattern, and nothing on stdout."""
    assert result.returncode != 0, "exit status 0"
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Try `")]  # argp's, behind its own texts
    if ranks:  # mpirun adds its own lines
        lines = [line for line in lines if line.startswith(os.path.basename(words[0]) + ": ")]
    assert any(re.search(pattern, line) for line in lines), "nothing says '%s': %s" % (pattern, result.stderr)
    assert not result.stdout, "something on stdout: " + result.stdout
    assert len(lines) == 1, "%d lines on stderr: %s" % (len(lines), result.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    result = run(arguments.program, arguments.ranks)
    if result.returncode == 77 and "skipped" in result.stdout + result.stderr:
        print(result.stdout, result.stderr)
        return 77
    try:
        check_good(result, arguments.program, arguments.ranks)
    except AssertionError as failure:
        print(result.stdout, result.stderr, "FAIL: %s" % failure, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

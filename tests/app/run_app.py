#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run an application and check how it ended.

run_app.py [--ranks N] [--env NAME=VALUE]... good PROGRAM ARGUMENT...
    must end with status 0 and print PASS; with --json one object a line, valid and complete; with --model too, one
    whose counters are those of the model.
run_app.py [--ranks N] [--env NAME=VALUE]... bad TEXT PROGRAM ARGUMENT...
    must end with another status, print nothing to stdout and one line with TEXT to stderr.

Exit status 77: no mpirun here.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

SECONDS = 100


def command_line(ranks, program):
    if ranks is None:
        return program
    mpirun = shutil.which("mpirun")
    if not mpirun:
        print("mpirun is not installed")
        sys.exit(77)
    return [mpirun, "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] + program


def run(ranks, settings, program):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    env.update(setting.split("=", 1) for setting in settings)
    return subprocess.run(command_line(ranks, program), env=env, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True)


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


def check_json(text, n_nodes, program):
    model = program[program.index("--model") + 1] if "--model" in program else "gravel"
    assert text.strip(), "no report"
    for line in text.splitlines():
        report = json.loads(line)
        assert report["model"] == model, "model %s" % report["model"]
        assert report["valid"] is True, "not valid"
        assert report["nodes"] == n_nodes, "%d nodes" % report["nodes"]
        assert report["rate"] >= 0 and report["unit"].endswith("/s")
        for row in report["statistics"]:
            assert row["refused_messages"] == 0 and 0 <= row["remote_share"] <= 1
            assert 0 <= row["poll_ratio"] <= 1
            if "--model" in program:
                check_model(model, row)


def check_good(result, arguments):
    assert result.returncode == 0, "exit status %d" % result.returncode
    if "--json" in arguments.program:
        loopback = [int(word.split("=")[1]) for word in arguments.env if word.startswith("GRAVEL_LOOPBACK=")]
        check_json(result.stdout, arguments.ranks or (loopback or [1])[0], arguments.program)
    else:
        assert result.stdout.rstrip().endswith("PASS"), "no PASS"


def check_bad(result, text, is_mpi):
    assert result.returncode != 0, "exit status 0"
    lines = result.stderr.splitlines()
    assert any(text in line for line in lines), "nothing says '%s'" % text
    assert result.stdout == "", "something on stdout"
    if not is_mpi: # mpirun adds its own lines
        assert len(lines) == 1, "%d lines on stderr" % len(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("expected", choices=["good", "bad"])
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    text = arguments.program.pop(0) if arguments.expected == "bad" else None
    result = run(arguments.ranks, arguments.env, arguments.program)
    try:
        if text is None:
            check_good(result, arguments)
        else:
            check_bad(result, text, arguments.ranks is not None)
    except AssertionError as failure:
        print(result.stdout, result.stderr, "FAIL: %s" % failure, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

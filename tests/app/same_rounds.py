#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that an application goes the same way on any number of ranks, and whether or not it sends to its own vertices.

same_rounds.py PROGRAM ARGUMENT...

Run on 1, 2 and 3 ranks, with --send-own and without, it must find valid results with one width of a bucket, in as many
rounds and buckets. Without --send-own a rank alone sends nothing, and all that two ranks send is for the other.

Exit status 77: nothing here starts ranks.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import launch  # noqa: E402

SECONDS = 100 * float(os.environ.get("TEST_PATIENCE", "1"))
SAME = ("delta", "distances", "rounds", "buckets", "reached_vertices", "reached_edges", "source")


def report(program, n_ranks, options):
    result = subprocess.run(launch.job((n_ranks, program + options)), text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


def check_messages(row, n_ranks, options):
    shares = [node["remote_share"] for node in row["statistics"]
              if node["messages"] + node["host_messages"]]
    if options:
        assert shares and min(shares) < 1, "nothing is sent to own vertices"
    elif n_ranks == 1:
        assert not shares, "a rank alone sends"
    else:
        assert shares and min(shares) == 1, "messages to own vertices"


def main():
    first = None
    for n_ranks in (1, 2, 3):
        for options in ([], ["--send-own"]):
            row = report(sys.argv[1:] + ["-n", "1", "-v", "--json"], n_ranks, options)
            assert row["valid"] is True, "not valid"
            check_messages(row, n_ranks, options)
            same = {name: row["parameters"][name] for name in SAME}
            first = first or same
            assert same == first, "%d ranks %s: %s, not %s" % (n_ranks, options, same, first)
    assert first["delta"] > 0, "no width was chosen"


main()

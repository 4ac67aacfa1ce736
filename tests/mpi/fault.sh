#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a job that goes wrong, and count the nodes that end as expected.
#
# usage: fault.sh EXPECTED COMMAND...
#   EXPECTED  nodes that must print "as expected": those that live
#   COMMAND   starts the job, which has leave to go on when a node leaves too early
# exit:  0 as many as expected did, within 50 s, which TEST_PATIENCE multiplies, and none was late in one of five tries: a
#        busy machine makes some late, a fault each; 1 not so
set -u

expected=$1 seconds=$((50 * ${TEST_PATIENCE:-1}))
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

for _ in 1 2 3 4 5; do
    timeout -k 5 "$seconds" "$@" >"$log" 2>&1
    status=$?
    cat "$log"
    echo "$1: exit status $status"
    grep -q 'late: took' "$log" || break
done
[ "$status" = 124 ] && { echo "hangs: not ended after $seconds s"; exit 1; }
n=$(grep -c 'as expected' "$log")
[ "$n" = "$expected" ] || { echo "$n of $expected nodes ended as expected"; exit 1; }

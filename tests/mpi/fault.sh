#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a job that goes wrong, and count the nodes that end as expected.
#
# usage: fault.sh PROGRAM MODE NODES EXPECTED
#   EXPECTED  nodes that must print "as expected": those that live
# exit:  0 as many as expected did, within 50 s, which TEST_PATIENCE multiplies; 1 not so
#
# mpirun has leave to go on when a node leaves too early.
set -u

program=$1 mode=$2 n_nodes=$3 expected=$4 seconds=$((50 * ${TEST_PATIENCE:-1}))
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

timeout -k 5 "$seconds" \
    mpirun --oversubscribe --bind-to none --enable-recovery -np "$n_nodes" "$program" "$mode" >"$log" 2>&1
status=$?
cat "$log"
echo "mpirun: exit status $status"
[ "$status" = 124 ] && { echo "hangs: not ended after $seconds s"; exit 1; }
n=$(grep -c 'as expected' "$log")
[ "$n" = "$expected" ] || { echo "$n of $expected nodes ended as expected"; exit 1; }

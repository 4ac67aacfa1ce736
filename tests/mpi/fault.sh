#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a job that goes wrong, and count the nodes that end as expected.
#
# usage: fault.sh PROGRAM MODE NODES EXPECTED SECONDS [mpirun option...]
#   EXPECTED  nodes that must print "as expected": those that live
#   SECONDS   the whole job must have ended by then; TEST_PATIENCE multiplies it
# exit:  0 as many as expected did, in time; 1 not so; 77 a node cannot run the mode here (skip)
set -u

program=$1 mode=$2 n_nodes=$3 expected=$4 seconds=$(($5 * ${TEST_PATIENCE:-1}))
shift 5
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

timeout -k 5 "$seconds" \
    mpirun --oversubscribe --bind-to none -np "$n_nodes" "$@" "$program" "$mode" >"$log" 2>&1
status=$?
cat "$log"
echo "mpirun: exit status $status"
[ "$status" = 124 ] && { echo "hangs: not ended after $seconds s"; exit 1; }
grep -q '^skipped:' "$log" && exit 77
n=$(grep -c 'as expected' "$log")
[ "$n" = "$expected" ] || { echo "$n of $expected nodes ended as expected"; exit 1; }

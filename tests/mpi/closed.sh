#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a job whose processes start with descriptors closed.
#
# usage: closed.sh PROGRAM CLOSED...    CLOSED: descriptors, "0 2"; one job for each argument
# exit:  0 each job ended well within 40 s, which TEST_PATIENCE multiplies, and its traces are JSON; 1 not so
set -u

program=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for closed in "$@"; do
    redirect=$(for i in $closed; do printf '%s<&- ' "$i"; done)
    timeout -k 5 $((40 * ${TEST_PATIENCE:-1})) \
        mpirun --oversubscribe --bind-to none -np 2 sh -c "exec '$program' '$folder' $redirect" >"$folder/log" 2>&1
    status=$?
    if [ "$status" != 0 ]; then
        echo "closed at start: $closed: exit status $status"
        cat "$folder"/why.* 2>/dev/null
        tail -c 2000 "$folder/log" | tr -d x
        exit 1
    fi
    python3 -m json.tool "$folder/trace.0.json" >/dev/null || exit 1
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a job whose processes start with descriptors closed.
#
# usage: closed.sh PROGRAM CLOSED LAUNCHER...
#   CLOSED    descriptors of a job, "0 2"; of several, with commas between: "2, 1"
#   LAUNCHER  up to the number of processes
# exit:  0 each job ended well within 40 s, which TEST_PATIENCE multiplies, and its traces are JSON; 1 not so
set -u

program=$1 jobs=$2
shift 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
echo "$jobs" | tr , '\n' | while read -r closed; do
    redirect=$(for i in $closed; do printf '%s<&- ' "$i"; done)
    timeout -k 5 $((40 * ${TEST_PATIENCE:-1})) \
        "$@" 2 sh -c "exec \"\$0\" \"\$1\" $redirect" "$program" "$folder" >"$folder/log" 2>&1 </dev/null
    status=$?
    if [ "$status" != 0 ]; then
        echo "closed at start: $closed: exit status $status"
        cat "$folder"/why.* 2>/dev/null
        tail -c 2000 "$folder/log" | tr -d x
        exit 1
    fi
    python3 -m json.tool "$folder/trace.0.json" >/dev/null || exit 1
done

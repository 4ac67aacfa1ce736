#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that logs is free of races, or not, under indirect, indirect-relaxed and opencl.
#
# usage: trace.sh GRAVEL_HRF PROGRAM free|race
# exit:  0; 1 with the verdicts
#
# Path: PROGRAM short -> a trace -> gravel-hrf --trace -> this.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HRF_TRACE_FILE=$work/trace "$2" short || exit 1
"$1" --trace --model indirect,indirect-relaxed,opencl "$work/trace" >"$work/out" 2>&1
status=$?
sed "s|$work/||" "$work/out"
[ "$3" = free ] && [ $status -ne 0 ] && exit 1
if [ "$3" = race ]; then
    [ $status -eq 1 ] && grep -q 'opencl RACE' "$work/out" || exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel of a flow makes oclgrind say nothing, in both of its forms, and all that it makes is right.
#
# usage: flow.sh PROGRAM flow.cl gravel.cl.h
# exit:  0; 1 with oclgrind's words; 77 if there is no oclgrind
#
# Path: flow.cl -> flow.c -> this.
set -u

command -v oclgrind >/dev/null || { echo "skipped: no oclgrind"; exit 77; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
code=0
oclgrind --data-races --uninitialized --check-api "$@" >"$log" 2>&1 || code=1
cat "$log"
[ "$(grep -c ': right$' "$log")" -eq 2 ] && [ "$(grep -vc ': right$' "$log")" -eq 0 ] || code=1
exit $code

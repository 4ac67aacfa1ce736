#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernels that bin packages make oclgrind say nothing, and bin rightly.
#
# usage: binning.sh PROGRAM aggregate.cl gravel.cl.h
# exit:  0; 1 with oclgrind's words; 77 if there is no oclgrind
#
# Not --uninitialized: oclgrind 21.10 stops at the instruction "freeze" there.
# Path: cl/kernels/aggregate.cl -> binning.c -> this.
set -u

command -v oclgrind >/dev/null || { echo "skipped: no oclgrind"; exit 77; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
code=0
for nodes in 1 2 13; do
    oclgrind --data-races --check-api "$1" "$2" "$3" $nodes >"$log" 2>&1 || code=1
    cat "$log"
    [ "$(grep -vc 'as sent$' "$log")" -eq 0 ] || code=1
done
exit $code

#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a program on a single core, the first that this process may use: however many threads it has, they take turns.
#
# usage: one_core.sh PROGRAM ARGUMENT...
# exit:  the program's; 77 if there is no taskset
command -v taskset >/dev/null || { echo "skipped: no taskset"; exit 77; }
core=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
exec taskset -c "$core" "$@"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Gravel on MPICH, beside a library on another MPI: what it promises, and what its launcher says to the other library.
#
# usage: with_mpich.sh SOURCE FOLDER mpich.sh FOLDER CONFORMANCE
#        CONFORMANCE is gravel-conformance of a library on Open MPI
# exit:  0 as promised; 1 not so
set -u

build=$1 other=$2
ninja -C "$build" tools/gravel-conformance || exit 1

for arguments in 'words singles' 'requests singles' 'handlers' 'ledger am 200000' 'ledger put_if 100000'; do
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$build/lib mpiexec.mpich -n 2 "$build/tools/gravel-conformance" --tap --suite $arguments || exit 1
done

# Of which MPICH takes each for a host of its own, though they are of one.
MPIR_CVAR_NUM_CLIQUES=2 LD_LIBRARY_PATH=$build/lib mpiexec.mpich -n 4 "$build/tools/gravel-conformance" --tap --suite words singles ||
    exit 1

text=$(mpiexec.mpich -n 2 "$other" --tap --suite ledger am 1000 2>&1) && { echo "two jobs of one node: $text"; exit 1; }
echo "$text"
echo "$text" | grep -q 'launched as 2 processes (PMI_SIZE), of which MPI knows 1, .* which has Open MPI'

#!/bin/sh
# SPDX-License-Identifier: MIT
# A program in Python, which imports the tree's package on a build's library.
#
# usage: with_pyopencl.sh SOURCE BUILD (PROGRAM | -m MODULE) ARGUMENT...
# exit:  the program's; 77 if no Python here has numpy, PyOpenCL and the module
#
# Path: python/gravel, BUILD/lib -> this -> table.py, pytest.
set -u

source=$1 build=$2
shift 2
modules="numpy, pyopencl"
[ "$1" = -m ] && modules="$modules, $2"
# The first python3 of PATH may be one without Debian's packages.
for python in python3 /usr/bin/python3; do
    "$python" -c "import $modules" 2>/dev/null || continue
    export PYTHONPATH="$source/python" GRAVEL_LIBRARY="$build/lib/libgravel.so" PYTHONDONTWRITEBYTECODE=1
    export GRAVEL_GRAPH_LIBRARY="$build/graph/libgravel-graph.so"
    exec "$python" "$@"
done
echo "skipped: no Python with $modules"
exit 77

#!/bin/sh
# SPDX-License-Identifier: MIT
# A C++ program on the library of a build: as one node (the guide's), as 4 loop-back nodes, and as 2 ranks.
#
# usage: run.sh SOURCE BUILD (test | guide) [MPIRUN ARGUMENT...]      with the last argument before the number of ranks
# exit:  0; 1 with what went wrong; 77 without a C++ compiler
#
# Path: test_cxx.cpp, or docs/guide/cxx.md by page.py -> this -> gravel.hpp, BUILD/lib.
set -u

source=$1 build=$2 what=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
cxx=${CXX:-c++}
command -v "${cxx%% *}" >/dev/null || { echo "skipped: no C++ compiler ($cxx)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n_failed=0
graph= # what a program of graphs needs, if the build has the library
[ ! -e "$build/graph/libgravel-graph.so" ] ||
    graph="-DHAS_GRAPH -I$source/graph/include -L$build/graph -lgravel-graph -Wl,-rpath,$build/graph"

# compile <program> <file>
compile()
{
    # shellcheck disable=SC2086 # words of a command
    $cxx -std=c++17 -Wall -Wextra -Werror -I"$source/include" "-DKERNELS=\"$source/tests/bindings/kernels/\"" -o "$work/$1" "$2" \
        $graph -L"$build/lib" -lgravel -lOpenCL "-Wl,-rpath,$build/lib" || exit 1
}

# expect <what> <times> <line, a pattern> <command...>
expect()
{
    name=$1 times=$2 line=$3
    shift 3
    "$@" >"$work/log" 2>&1
    status=$?
    found=$(grep -c "$line" "$work/log")
    { [ $status -eq 0 ] || [ "$name" = "thrown by a rank" ]; } && [ "$found" -eq "$times" ] && return
    echo "$name: exit status $status, $found lines instead of $times are '$line':"
    cat "$work/log"
    n_failed=1
}

# alone <nodes> <command...>: in one process.
alone()
{
    nodes=$1
    shift
    env GRAVEL_TRANSPORT=self GRAVEL_LOOPBACK="$nodes" "$@"
}

if [ "$what" = test ]; then
    compile test "$here/test_cxx.cpp"
    expect "4 loop-back nodes" 1 '^node 0: 0 wrong$' alone 4 "$work/test"
    expect "thrown by 4 loop-back nodes" 1 '^thrown: 0 wrong$' alone 4 "$work/test" thrown
    if [ $# -gt 0 ]; then
        expect "2 ranks" 2 '^node [01]: 0 wrong$' "$@" 2 "$work/test"
        expect "thrown by a rank" 2 '^thrown: 0 wrong$' "$@" 2 "$work/test" thrown
    fi
else
    python3 -B "$here/page.py" "$source/docs/guide/cxx.md" "$work" || exit 1
    compile histogram "$work/histogram.cpp"
    compile handlers "$work/handlers.cpp"
    expect "one node" 1 '^node 0 of 1, step [a-z]*: 1048576 keys$' alone 1 "$work/histogram"
    expect "4 loop-back nodes" 1 '^node 0 of 4, step [a-z]*: 1048576 keys$' alone 4 "$work/histogram"
    expect "handlers" 0 . alone 1 "$work/handlers"
    [ $# -gt 0 ] && expect "2 ranks" 2 '^node [01] of 2, step [a-z]*: 2097152 keys$' "$@" 2 "$work/histogram"
fi
[ $# -gt 0 ] || echo "left out: 2 ranks, without MPI"
[ $n_failed -eq 0 ] && echo "$what: all right"
exit $n_failed

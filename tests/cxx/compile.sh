#!/bin/sh
# SPDX-License-Identifier: MIT
# gravel.hpp compiles before anything else and twice, and with every member used, as C++17 and C++20, without a warning;
# as C++14, and of an array of bool, the compiler says what is wrong.
#
# usage: compile.sh SOURCE
# exit:  0; 1 with the compiler's words; 77 without a C++ compiler. One of two that is missing is said.
#
# Path: include/gravel/gravel.hpp, test_cxx.cpp -> this.
set -u

source=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '#include <gravel/gravel.hpp>\n#include <gravel/gravel.hpp>\n#include "test_cxx.cpp"\n' >"$work/all.cpp"
n_good=0 n_failed=0

# refuse <standard> <what the compiler says> <errors at most> <file>
refuse()
{
    $cxx -std=$1 -fsyntax-only -I"$source/include" "$work/$4.cpp" >"$work/log" 2>&1
    n=$(grep -c 'error:' "$work/log")
    grep -q "$2" "$work/log" && [ "$n" -ge 1 ] && [ "$n" -le "$3" ] && return
    echo "$4 as $1 by $cxx: $n errors, and '$2' is due:"
    cat "$work/log"
    n_failed=$((n_failed + 1))
}

for cxx in g++ clang++; do
    command -v $cxx >/dev/null || { echo "left out: $cxx is missing"; continue; }
    echo '#include <gravel/gravel.hpp>' >"$work/old.cpp"
    refuse c++14 'gravel.hpp needs C++17' 1 old
    printf '#include <gravel/gravel.hpp>\nstd::vector<bool> read(gvl::array<bool> &a) { return a.get(0); }\n' >"$work/bool.cpp"
    refuse c++17 'elements of type bool' 9 bool
    for standard in c++17 c++20; do
        if $cxx -std=$standard -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only '-DKERNELS=""' -I"$source/include" -I"$source/tests/cxx" \
            "$work/all.cpp" >"$work/log" 2>&1; then
            n_good=$((n_good + 1))
        else
            n_failed=$((n_failed + 1))
            echo "as $standard by $cxx:"
            cat "$work/log"
        fi
    done
done
echo "$n_good compilations without a word, $n_failed with"
[ $((n_good + n_failed)) -eq 0 ] && { echo "skipped: no C++ compiler"; exit 77; }
[ $n_failed -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# gravel.hpp compiles before anything else and twice, and with every member used, as C++17 and C++20, without a warning.
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
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || { echo "left out: $cxx is missing"; continue; }
    for standard in c++17 c++20; do
        if $cxx -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$source/include" -I"$source/tests/cxx" \
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

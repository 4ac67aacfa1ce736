#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources are laid out as .clang-format says.
#
# usage: format.sh <source root>
# exit:  0; 1 after naming each line that is not; 77 (skip) without clang-format 14, whose layout this is
set -u

cd "$1" || exit 1
formatter=$(command -v clang-format-14 || command -v clang-format) ||
    { echo "skipped: clang-format is not installed"; exit 77; }
"$formatter" --version | grep -q 'version 14\.' ||
    { echo "skipped: not version 14: $("$formatter" --version)"; exit 77; }
find include cl lib apps bench examples tests tools -name '*.[ch]' -o -name '*.cl' | sort |
    xargs "$formatter" --dry-run --Werror

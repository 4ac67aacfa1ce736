#!/bin/sh
# SPDX-License-Identifier: MIT
# No word is misspelt, as far as codespell knows.
#
# usage: spelling.sh <source root>
# exit:  0; 1 after file, line and word of each; 77 (skip) without codespell
set -u

cd "$1" || exit 1
command -v codespell >/dev/null || { echo "skipped: codespell is not installed"; exit 77; }
# Double-ended queues, a format of graphs, a call of Promela, a title in French, a standard of GPUs, two authors.
words=deques,wel,nempty,connexion,hsa,brin,mattern
find README.md NEWS CONTRIBUTING.md .ci apps bench cl docs examples hrf include lib python study tests tools meson* -type f \
    ! -path 'tests/fuzz/corpus/*' ! -name '*.json' ! -name '*.svg' \
    ! -name '*.pyc' -exec codespell -L "$words" {} +

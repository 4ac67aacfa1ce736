#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of study/figures: data, plots from kept data, failures that are told, markers.
#
# usage: figures.sh <source> <build> <test>    exit: 0 passed, 1 failed, 77 skipped
set -u

source=$1 build=$2 test=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; cat "$work/said"; exit 1; }
figures() { "$source/study/figures" --quick --build "$build" --out "$work" "$@" >"$work/said" 2>&1; }

# holds <file> <expression>: true of its head and rows.
holds()
{
    python3 -c '
import json, sys
head, *rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows and all(eval(sys.argv[2], {"head": head, "row": row}) for row in rows), (head, rows)' "$work/$1" "$2" ||
        fail "$2"
}

case $test in
data) # of an application, on ranks; from kept data the same table without a build
    figures --data-only --only table-5-4 --ranks 2 --scale -4 || fail "exit status $?"
    holds table-5-4.jsonl 'row["valid"] is True and row["rate"] > 0 and row["ranks"] == 2 and row["command"]'
    holds table-5-4.jsonl 'head["figure"] == "table-5-4" and head["revision"] and "--scale -4" in head["command"]'
    [ "$(grep -vc '^#' "$work/table-5-4.csv")" -eq 10 ] || fail "not 9 rows of CSV"
    sed -n '/^Table/,/^published/p' "$work/said" >"$work/table"
    figures --data-only --plot-only --only table-5-4 --build /nonexistent || fail "exit status $?"
    sed -n '/^Table/,/^published/p' "$work/said" | cmp - "$work/table" || fail "another table from kept data" ;;
flows) # of chapter 4: counts are those of whole runs
    figures --data-only --only table-4-3 --ranks 1 || fail "exit status $?"
    holds table-4-3.jsonl 'row["valid"] is True and row["flow_elements"] % row["flow_runs"] == 0'
    holds table-4-3.jsonl 'row["flow_lanes"] >= row["flow_elements"] > row["flow_rounds"] >= row["flow_small_rounds"]' ;;
stealing) # by all four policies, beside the published means
    figures --data-only --only stealing-figure-10 --ranks 1 || fail "exit status $?"
    holds stealing-figure-10.jsonl 'row["valid"] is True and row["rate"] > 0 and 0 <= row["stolen"] <= 100'
    grep -q '^published  *-  *-  *1.07  *1.18  *1.25' "$work/said" || fail "no published means" ;;
failure) # a program that fails is named with what it says; the rest goes on
    export GRAVEL_HEAP=64k
    figures --data-only --only figure-5-10,section-5-6-2 --ranks 1 && fail "exit status 0"
    grep -q '^figure-5-10: FAILED: .*gups .*exit status [1-9].*heap' "$work/said" || fail "no reason"
    holds figure-5-10.jsonl 'row["workload"] == "PR-1" and row["valid"] is True'
    grep -q '^section-5-6-2: FAILED: .*gups.*heap' "$work/said" || fail "no reason"
    grep -q '^figures: 0 of 2' "$work/said" || fail "no count" ;;
missing) # no program, no data, no figure
    figures --data-only --only figure-5-3 --build "$work" && fail "exit status 0"
    grep -q 'gravel-info is not there: build it first' "$work/said" || fail "no reason"
    figures --plot-only --only figure-5-3 && fail "exit status 0"
    grep -q 'figure-5-3.jsonl: no data' "$work/said" || fail "no reason"
    figures --only figure-9-9 && fail "exit status 0"
    grep -q "no figure 'figure-9-9'" "$work/said" || fail "no reason" ;;
plot)
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import matplotlib' 2>/dev/null && break
    done || { echo "skipped: no matplotlib"; exit 77; }
    figures --only figure-5-3,figure-3-9 || fail "exit status $?"
    for name in figure-5-3 figure-3-9; do
        [ "$(head -c 4 "$work/$name.png" | tail -c 3)" = PNG ] || fail "no PNG of $name"
        grep -q '<svg' "$work/$name.svg" || fail "no SVG of $name"
    done ;;
page) # every figure has its place in the docs
    for name in $("$source/study/figures" --list); do
        grep -q "^<!-- $name begin -->" "$source/docs/results/figures.md" || fail "docs/results/figures.md: no $name"
    done >"$work/said" ;;
*) fail "no such test: $test" ;;
esac
exit 0

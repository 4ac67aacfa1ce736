#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of study/scaling on small problems: ranks and cores, JSON lines, failures that are told.
#
# usage: scaling.sh <source> <build> <test>    exit: 0 passed, 1 failed, 77 skipped
set -u

source=$1 build=$2 test=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
small="--build $build --out $work --table 10 --updates 12 --scale 7 --trials 1"

fail() { echo "FAIL: $*"; exit 1; }

# scale <arguments>: quiet; a machine that lacks something skips.
scale()
{
    # shellcheck disable=SC2086 # a list of arguments
    "$source/study/scaling" $small "$@" >"$work/said" 2>&1
    code=$?
    [ $code -eq 77 ] && { echo "skipped: $(cat "$work/said")"; exit 77; }
    return $code
}

# rows <expression>: true for every line of results.
rows()
{
    python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows and all(eval(sys.argv[2], {"rows": rows, "row": row}) for row in rows), rows' "$work/scaling.jsonl" "$1" || fail "$1"
}

case $test in
ranks)
    scale --no-plot --ranks 1,2 --crowd || fail "exit status $code: $(cat "$work/said")"
    rows 'row["valid"] is True and row["rate"] > 0 and row["report"]["nodes"] == row["ranks"]'
    rows '[r["ranks"] for r in rows if r["app"] == row["app"]] == [1, 2]'
    rows '{r["app"] for r in rows} == {"gups", "pagerank"}'
    [ "$(grep -c ' PASS$' "$work/said")" -eq 4 ] || fail "not 4 times PASS: $(cat "$work/said")" ;;
cores)
    scale --no-plot --cores 1,2 --apps gups --crowd || fail "exit status $code: $(cat "$work/said")"
    rows 'row["valid"] is True and row["rate"] > 0 and row["cores"] in (1, 2)' ;;
failure) # what a run says is told, and the exit status
    GRAVEL_HEAP=64k scale --no-plot --ranks 1 --apps gups --table 20 && fail "exit status 0"
    grep -q 'FAIL: exit status [1-9].*heap' "$work/said" || fail "no reason: $(cat "$work/said")"
    rows '"heap" in row["error"] and row["rate"] is None' ;;
plot)
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import matplotlib' 2>/dev/null && break
    done || { echo "skipped: no matplotlib"; exit 77; }
    scale --ranks 1 --apps gups || fail "exit status $code: $(cat "$work/said")"
    [ "$(head -c 4 "$work/scaling.png" | tail -c 3)" = PNG ] || fail "no PNG: $(cat "$work/said")"
    grep -q '<svg' "$work/scaling.svg" || fail "no SVG" ;;
*) fail "no such test: $test" ;;
esac
exit 0

#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of study/results: rows that it measures, rows of another machine, rows that are refused, and the page.
#
# usage: results.sh <source> <build> <test>    exit: 0 passed, 1 failed, 77 skipped
set -u

source=$1 build=$2 test=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; cat "$work/said"; exit 1; }
results() { "$source/study/results" --build "$build" --data "$work/docs/results/data" "$@" >"$work/said" 2>&1; }
refused() { text=$1; shift; results "$@" && fail "exit status 0"; grep -qF -e "$text" "$work/said" || fail "no '$text'"; }
measure() { results "$@" --quick --ranks 1 --machine here; }

# holds <file> <expression>: true of its rows.
holds()
{
    python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows and eval(sys.argv[2], {"rows": rows}), rows' "$work/docs/results/data/$1.jsonl" "$2" || fail "$2"
}

# Data of a machine in <folder>: increments by messages at <rate>, and by atomics.
machine()
{
    mkdir -p "$1"
    echo '{"machine": "M", "device": "'"${3-D}"'", "step": "pump", "devices": 1, "processor": "P", "cores": 2}' \
        >"$1/machines.jsonl"
    for what in "messages $2" "own atomics 2e9"; do
        echo '{"machine": "M", "revision": "abcdef0", "date": "2026-11-25", "driver": "1", "load": 0.5, "what": "'"${what% *}"'",
            "log_words": 10, "ranks": 1, "rate": '"${what##* }"', "unit": "updates/s", "valid": true, "command": "gups"}' |
            tr -d '\n'
        echo
    done >"$1/atomics.jsonl"
}

# The three pages, and a rival that was measured earlier, for the tables of the first two.
page()
{
    for name in README.md docs/results/README.md docs/results/all.md; do
        printf '# Page\n\n<!-- written by study/results --page: begin -->\n<!-- end -->\n' >"$work/$name"
    done
    for system in gravel NetworKit; do
        sed -n '1{s/"what.*"ranks"/"what": "pagerank", "system": "'$system'", "version": "1", "threads": 1, "rates": [1e9], "ranks"/
            s/-25/-20/p}' "$work/docs/results/data/atomics.jsonl"
    done >"$work/docs/results/data/programs.jsonl"
}

case $test in
rows) # each says where it is from; they take the place of the machine's earlier ones, and leave another's alone
    machine "$work/docs/results/data" 1e9
    earlier=$(sed 's/"machine": "M"/"machine": "here"/' "$work/docs/results/data/atomics.jsonl")
    echo "$earlier" >>"$work/docs/results/data/atomics.jsonl"
    measure atomics,flows || fail "exit status $?"
    holds atomics 'sorted((row["machine"], row["what"]) for row in rows) == [(name, what) for name in ("M", "here")
        for what in ("messages", "own atomics")]'
    holds atomics 'all(row["valid"] is True and row["rate"] > 0 and row["quick"] for row in rows if row["machine"] == "here")'
    holds flows '[row["form"] for row in rows if row["what"] == "queens"] == ["flow", "plain"]'
    holds flows 'all(row["command"] and row["revision"] and row["date"] and row["quick"] for row in rows)'
    holds machines 'len(rows) == 2' ;;
programs) # each beside what is installed here, and they agree
    measure programs || { grep -q 'no rival is installed' "$work/said" && echo "skipped: no rival" && exit 77; fail "exit status $?"; }
    holds programs 'all({row["system"] for row in rows if row["what"] == what} > {"gravel"} for what in {row["what"] for row in rows})'
    holds programs 'all(row["version"] and row["threads"] for row in rows if row["system"] != "gravel")' ;;
ranks) # what two ranks share, their rate over that of one, and rounds
    results graphs,microcircuit,round,sharing --quick --ranks 1,2 --machine here || fail "exit status $?"
    holds graphs 'sorted((row["what"], row["input"], row["ranks"]) for row in rows) == sorted((what, name, n)
        for what in ("bfs", "sssp", "pagerank", "mst", "color") for name in ("kronecker-9", "mesh") for n in (1, 2))'
    holds graphs 'all(row["valid"] is True for row in rows)'
    holds microcircuit 'sorted(row["ranks"] for row in rows if row["system"] == "gravel") == [1, 2]'
    holds microcircuit 'len({row["checksum"] for row in rows if row["system"] == "gravel"}) == 1 and all(row["valid"] is True for row in rows)'
    holds round '{(row["what"], row["ranks"]) for row in rows} == {(what, n) for n in (1, 2)
        for what in ("launch", "barrier", "reduce", "round", "level", "level_sum", "stay", "stay_none", "stay_60k", "stay_1m")} | {
        (what, 1) for what in ("search", "search_stay", "serial")}'
    holds round 'all(row["valid"] is True for row in rows)'
    holds sharing '{(row["what"], row["words"]) for row in rows} == {(what, n) for n in (32, 1 << 20)
        for what in ("shared", "copied", "accumulated", "messages")} | {("zipf, accumulated", 256), ("zipf, messages", 256)}'
    holds sharing 'all(row["valid"] is True and row["ranks"] == 2 for row in rows)' ;;
take) # from another machine; not by a name that another one has, and not what no one may show
    machine "$work/other" 1e9
    results --take "$work/other" || fail "exit status $?"
    machine "$work/other" 3e9
    results --take "$work/other" || fail "exit status $?"
    holds atomics 'len(rows) == 2 and rows[0]["rate"] == 3e9'
    machine "$work/other" 3e9 E
    refused "machine 'M' has device D in $work/docs/results/data/machines.jsonl: name this one otherwise" --take "$work/other"
    machine "$work/other" 0
    refused "$work/other/atomics.jsonl:1: rate is 0, not a number above 0" --take "$work/other"
    machine "$work/other" 1e9
    sed -i 's/"valid": true/"valid": null/' "$work/other/atomics.jsonl"
    refused "$work/other/atomics.jsonl:1: its result was not checked" --take "$work/other"
    machine "$work/other" 1e9
    cat "$work/other/atomics.jsonl" >>"$work/other/again"
    cat "$work/other/again" >>"$work/other/atomics.jsonl"
    refused "$work/other/atomics.jsonl:3: it is there twice" --take "$work/other"
    refused "$work/none: no data" --take "$work/none"
    holds atomics 'len(rows) == 2 and rows[0]["rate"] == 3e9' ;;
time) # what does not fit is left out and named; what was there stays
    machine "$work/docs/results/data" 1e9
    refused 'results: left out: gups ' atomics --quick --ranks 1 --machine here --minutes 0.001
    grep -q '^results: atomics: FAILED: no time' "$work/said" || fail "no reason"
    holds atomics 'len(rows) == 2' ;;
refusals)
    refused "no question 'speed'; there are: message by-hand programs atomics scale graphs microcircuit round sharing servers flows handed" speed --machine here
    refused '--machine: a name of letters' atomics
    refused 'nothing to do: a question, --take, --page or --check'
    refused "revision 'new': commit what is measured, or name it (--revision)" atomics --machine here --revision new
    build=$work
    refused 'gravel-info is not there: build it first' atomics --machine here ;;
plot) # the page agrees with its data until one of them changes
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import matplotlib' 2>/dev/null && break
    done || { echo "skipped: no matplotlib"; exit 77; }
    machine "$work/docs/results/data" 1e9
    page
    results --page --check || fail "exit status $?"
    grep -qF -e '- **M** (abcdef0, 2026-11-25; load 0.5): messages are 0.50 times as fast' "$work/docs/results/all.md" || fail "no answer"
    grep -qF '| 2^10 | 1000 | 0.50 |' "$work/docs/results/all.md" || fail "no table"
    for name in README.md docs/results/README.md; do
        grep -qF '| *PageRank* | *M* | *1.00 G updates/s* | *NetworKit 1* | *1.00 G updates/s* | *1.00* |' \
            "$work/$name" || fail "no old row in $name"
    done
    grep -q '<svg' "$work/docs/results/charts/atomics.svg" || fail "no chart"
    sed -i 's/1.00 G/1.25 G/' "$work/README.md"
    refused "$work/README.md:" --check
    results --page
    machine "$work/docs/results/data" 3e9
    refused "$work/docs/results/charts/atomics.svg: not drawn from this data" --check
    grep -q "all.md:[0-9]*: '.*0.50.*' where the data say '.*1.50" "$work/said" || fail "no reason"
    rm "$work/docs/results/charts/atomics.svg"
    refused "$work/docs/results/charts/atomics.svg: not drawn from this data" --check ;;
*) fail "no such test: $test" ;;
esac
exit 0

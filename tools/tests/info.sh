#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of gravel-info.
#
# usage: info.sh <test> <gravel-info> [file]    exit: 0 passed, 1 failed, 77 skipped
set -u

test=$1 info=$2 file=${3:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
expect() { printf '%s\n' "$output" | grep -q -- "$1" || fail "no '$1' in: $output"; }
need_driver() { ls /etc/OpenCL/vendors/pocl.icd >/dev/null 2>&1 || skip "PoCL is not installed"; }

# The working drivers and the broken one, which breaks like $1.
add_broken_driver()
{
    need_driver
    cp /etc/OpenCL/vendors/pocl.icd "$work/"
    readlink -f "$file" >"$work/broken.icd"
    export OCL_ICD_VENDORS="$work" GRAVEL_TEST_DRIVER="$1"
}

case $test in
tuning) # docs/tuning.md holds the table that config.h implies
    sed -n '/^<!-- settings begin -->$/,/^<!-- settings end -->$/p' "$file" | sed '1d;$d' >"$work/have"
    "$info" --env --markdown >"$work/want" || fail "gravel-info --env --markdown"
    diff -u "$work/have" "$work/want" || fail "run: tools/update-tuning $info" ;;
environment) # what is set is told, and what is wrong is refused
    output=$(GRAVEL_BUFFER=128k "$info" --env) || fail "exit status $?"
    expect 'GRAVEL_BUFFER  *128k  *set '
    output=$(GRAVEL_BUFFER=128q "$info" --env 2>&1) && fail "128q was taken"
    expect 'GRAVEL_BUFFER=128q: not a number' ;;
no-platform) # one line, not a crash
    output=$(OCL_ICD_VENDORS="$work" "$info" 2>&1) && fail "exit status 0 without a platform"
    expect 'no OpenCL platform found' ;;
unknown-device)
    need_driver
    output=$("$info" --device 'no such device' 2>&1) && fail "exit status 0 for no device"
    expect 'names nothing; there is: 0:0' ;;
json) # every answer is one JSON object
    need_driver
    for options in "--json" "--env --json" "--selftest --json"; do
        # shellcheck disable=SC2086 # two options
        "$info" $options | python3 -m json.tool >/dev/null || fail "$options"
    done ;;
self-test)
    need_driver
    output=$("$info" --selftest) || fail "exit status $?: $output"
    expect 'PASS: 2000 hand-overs'
    expect '65536 exact increments, 1092[0-9] messages' ;;
crash) # a driver that crashes is named and left out, the others are listed
    add_broken_driver crash
    output=$("$info") || fail "exit status $?: $output"
    expect 'left out: .*/broken.icd: driver crashed (Aborted) while .*: the test driver says good-bye'
    expect '^0:0 ' ;;
hang)
    add_broken_driver hang
    output=$("$info" --limit 2) || fail "exit status $?: $output"
    expect 'left out: .*/broken.icd: driver gave no answer within 2 s while'
    expect '^0:0 ' ;;
probe-crash) # a driver that crashes later keeps its line
    need_driver
    output=$(LD_PRELOAD="$(readlink -f "$file")" "$info") || fail "exit status $?: $output"
    expect 'step  *none: driver crashed (Aborted) while opening the device'
    LD_PRELOAD="$(readlink -f "$file")" "$info" --selftest && fail "the self-test passed" ;;
no-svm) # Debian 12's rusticl lists a device that cannot
    output=$(RUSTICL_ENABLE=llvmpipe "$info") || fail "exit status $?: $output"
    echo "$output" | grep -q llvmpipe || skip "no rusticl with llvmpipe"
    echo "$output" | grep -q 'fine-grain buffer SVM (needed' || skip "this rusticl has SVM"
    expect 'step  *none: no fine-grain buffer SVM' ;;
*) fail "no such test: $test" ;;
esac
exit 0

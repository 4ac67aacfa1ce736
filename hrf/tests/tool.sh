#!/bin/sh
# SPDX-License-Identifier: MIT
# gravel-hrf as a user meets it: exit status, text, JSON, graphs, limits.
#
# usage: tool.sh GRAVEL_HRF FOLDER
# exit:  0; 1 with what was not so
#
# Path: hrf/litmus -> gravel-hrf -> this.
set -u

hrf=$(realpath "$1") folder=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$folder" || exit 1
code=0

# expect <exit status> <text in the output> <argument>...
expect()
{
    status=$1 text=$2
    shift 2
    "$hrf" "$@" >"$work/out" 2>&1
    found=$?
    if [ $found -ne "$status" ] || ! grep -qF -e "$text" "$work/out"; then
        echo "gravel-hrf $*: exit status $found instead of $status, or no '$text' in:"
        cat "$work/out"
        code=1
    fi
}

expect 0 'isa2    direct RACE    indirect free' isa2.litmus
expect 0 'direct: P0:3 "x = 1", P2:5 "r = x": ordered by wg and then by dev, by neither alone' isa2.litmus
expect 0 'dekker_ra    direct free    indirect free' dekker_ra.litmus
expect 0 'opencl RACE' --model opencl,direct barrier_is_no_device_barrier.litmus --verbose
expect 0 'free (SC executions)' --engine sc --model opencl mp_dev.litmus
expect 3 'undecided after 2 executions' --engine sc --limit 2 --model indirect iriw.litmus
expect 0 'opencl: 4 mutants, 4 caught' --mutants mp_dev.litmus
expect 64 "'hrf' is not direct" --model hrf mp_dev.litmus
expect 64 "'0' is not in 1" --limit 0 mp_dev.litmus
expect 64 'Usage' --model all
expect 2 'no.litmus:1: cannot be read' no.litmus
expect 0 'label=race' --dot isa2.litmus
expect 0 '"verdict": "RACE"' --json isa2.litmus
expect 0 'mp_sys' mp_sys.litmus isa2.litmus

printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { r = load(x, release, dev); }\n' >"$work/bad.litmus"
expect 2 "bad.litmus:3: order release, expected relaxed, acquire or seq_cst for a load" "$work/bad.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { barrier; }\nthread B dev 0 wg 0 { }\n' >"$work/diverged.litmus"
expect 1 'barrier divergence' "$work/diverged.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { await(x, == 1, acquire, dev); }\n' >"$work/stuck.litmus"
expect 1 'stuck' "$work/stuck.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { r = x; assert(r == 1); }\n' >"$work/assert.litmus"
expect 1 'assert failed: A:3' "$work/assert.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { r = 0; while (r < 9) { r = r + 1; } }\n' >"$work/loop.litmus"
expect 3 'undecided after 4 rounds' "$work/loop.litmus"
expect 0 'opencl free' --rounds 10 "$work/loop.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { x = 1; }\nthread B dev 0 wg 1 { x = 2; }\n' >"$work/race.litmus"
expect 1 'opencl RACE' "$work/race.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { store(x, 1, release, sys); }\n' >"$work/weak.litmus"
expect 1 'A:3 release -> relaxed: SURVIVES' --mutants "$work/weak.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { store(x, 1, seq_cst, wi) spare "why"; }\n' >"$work/spare.litmus"
expect 0 '1 spared' --mutants "$work/spare.litmus"
expect 2 'bad.litmus:3' "$work/bad.litmus" "$work/race.litmus"
# On a device, which PoCL is on any machine.
expect 0 ' and the host' --run relay_sys.litmus
expect 0 'P1:a=3+ P2:b=3+ n=3+' --run relay_sys.litmus
export GRAVEL_STEP=drain
expect 77 'of which the host plays one on step svm alone' --run relay_sys.litmus
export GRAVEL_STEP=pmp
expect 77 'step = "pmp"' --run counter.litmus
unset GRAVEL_STEP
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { r = x; }\nthread B dev 1 wg 0 { barrier; }\nexists A:r == 1;\n' >"$work/meets.litmus"
expect 77 'the host has no barriers' --run "$work/meets.litmus"
printf 'litmus t\nlocations x, local f;\nthread A dev 0 wg 0 { r = x; }\nthread B dev 1 wg 0 { f = 1; }\nexists A:r == 1;\n' >"$work/local.litmus"
expect 77 'the host has no local memory' --run "$work/local.litmus"
# A program without `exists` is judged by its asserts, those of host and device.
printf 'litmus t\nlocations x, y;\nthread A dev 0 wg 0 { x = 1; store(y, 1, release, sys); }\nthread B dev 1 wg 0 { r = load(y, acquire, sys); if (r == 1) { s = x; assert(s == 1); } }\n' >"$work/holds.litmus"
expect 0 'failed asserts 0 times' --run "$work/holds.litmus"
printf 'litmus t\nlocations x, y;\nthread A dev 0 wg 0 { store(x, 1, relaxed, dev); r = load(x, relaxed, dev); assert(r == 2); }\nthread B dev 1 wg 0 { store(y, 1, relaxed, sys); }\n' >"$work/device.litmus"
expect 1 ' times, by opencl sometimes' --run "$work/device.litmus"
grep -q 'failed asserts [1-9]' "$work/out" || { echo "no failed assert of the device is counted"; code=1; }
printf 'litmus t\nlocations x, y;\nthread A dev 0 wg 0 { store(x, 1, relaxed, dev); }\nthread B dev 1 wg 0 { store(y, 1, relaxed, sys); r = load(y, relaxed, sys); assert(r == 2); }\n' >"$work/host.litmus"
expect 1 ' times, by opencl sometimes' --run "$work/host.litmus"
grep -q 'failed asserts [1-9]' "$work/out" || { echo "no failed assert of the host is counted"; code=1; }
# PoCL runs the work-items of a group one after the other.
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { await(x, == 1, acquire, dev); r = load(x, relaxed, dev); assert(r == 1); }\nthread B dev 0 wg 0 { store(x, 1, release, dev); }\n' >"$work/waits.litmus"
expect 77 'each instance was given up' --run "$work/waits.litmus"
printf 'litmus t\nlocations x;\nthread A dev 0 wg 0 { r = load(x, relaxed, dev); }\n' >"$work/nothing.litmus"
expect 77 'neither an `exists` nor an assert' --run "$work/nothing.litmus"
[ $code -eq 0 ] && echo "gravel-hrf does as its manual says"
exit $code

#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of gravel-info.
#
# usage: info.sh <test> <gravel-info> [file]    exit: 0 passed, 1 failed, 77 skipped
set -u

test=$1 file=${3:-}
. "$(dirname "$0")/frame.sh"
info=$work/gravel-info # with more time where TEST_PATIENCE asks for it
printf '#!/bin/sh\nexec "%s" --limit %d "$@"\n' "$(readlink -f "$2")" $((30 * ${TEST_PATIENCE:-1})) >"$info"
chmod +x "$info"

# The working drivers and the broken one, which breaks like $1.
add_broken_driver()
{
    need_driver
    cp "$pocl" "$work/"
    readlink -f "$file" >"$work/broken.icd"
    export OCL_ICD_VENDORS="$work" GRAVEL_TEST_DRIVER="load-$1"
}

case $test in
environment) # what is set is shown, and what is wrong is refused
    output=$(GRAVEL_BUFFER=128k "$info" --env) || fail "exit status $?"
    expect 'GRAVEL_BUFFER  *128k  *set$'
    output=$(GRAVEL_BUFFER=128q "$info" --env 2>&1) && fail "128q was taken"
    expect 'GRAVEL_BUFFER=128q: not a number'
    output=$(GRAVEL_HEEP=1 "$info" --env 2>&1) && fail "GRAVEL_HEEP was taken"
    expect 'GRAVEL_HEEP, which is not a setting: set GRAVEL_HEAP instead'
    output=$(GRAVEL_STEP=teleport "$info" 2>&1) && fail "step teleport was taken"
    expect 'teleport'
    output=$(OCL_ICD_VENDORS="$work" "$info" 2>&1) && fail "exit status 0 without a platform"
    expect 'no OpenCL platform found'
    need_driver
    output=$("$info" --device 'no such device' 2>&1) && fail "exit status 0 for no device"
    expect 'names nothing; there is: 0:0' ;;
json) # every answer is one JSON object
    need_driver
    for options in "--json" "--env --json" "--selftest --json"; do
        # shellcheck disable=SC2086 # two options
        "$info" $options | python3 -m json.tool >/dev/null || fail "$options"
    done
    GRAVEL_STEP=teleport "$info" --json 2>/dev/null | python3 -m json.tool >/dev/null || fail "an error"
    output=$(GRAVEL_STEP=drain "$info" --device Portable --json | python3 -c '
import json, sys
device = json.load(sys.stdin)["devices"][0]
print(device["step"], device["passed"], device["can"])
print(*sorted(line.split()[1].strip(":,") for line in [device["can"], *device["may"], *device["cannot"]]))')
    expect '^drain True step drain$'
    expect '^drain pump svm usm$' ;;
self-test)
    need_driver
    output=$("$info" --selftest --device Portable) || fail "exit status $?: $output"
    expect 'PASS: step svm: 2000 hand-overs'
    expect 'exact increments, 8194 messages'
    output=$(GRAVEL_SELF_TEST=6 "$info" --json --device Portable)
    expect '"proved": "6 hand-overs, '
    output=$(GRAVEL_SELF_TEST=1 "$info" --device Portable 2>&1) && fail "one round was taken"
    expect 'GRAVEL_SELF_TEST=1: out of range 2' ;;
turns) # equal devices are there in turn; numbers mean one; what is derived is shown
    need_driver
    export POCL_DEVICES="pthread pthread"
    output=$("$info" --device Portable) || fail "exit status $?: $output"
    echo "$output" | grep -q ':1 ' || skip "this PoCL ignores POCL_DEVICES"
    expect ':0  .*(default, turn 1 of 2 for the nodes of a host)'
    expect ':1  .*(default, turn 2 of 2 for the nodes of a host)'
    expect 'settings  *aggregators: 1, queues of 32 MiB, slots of 9280 bytes, 32 node buffers of 64 kiB'
    number=$(echo "$output" | sed -n 's/^\([0-9]*:1\)  .*/\1/p')
    output=$("$info" --device "$number") || fail "exit status $?: $output"
    expect "^$number  .*(default)"
    echo "$output" | grep -q ':0  ' && fail "a number means two devices"
    output=$(GRAVEL_STEP=pump GRAVEL_HOST_CORES=0 POCL_MAX_PTHREAD_COUNT=3 "$info" --device "$number")
    expect 'slots of 2112 bytes, .* node buffers of 4096 kiB' ;;
drain) # nothing is handed over there while a kernel runs
    need_driver
    export GRAVEL_STEP=drain
    output=$("$info" --selftest --device Portable) || fail "exit status $?: $output"
    expect 'PASS: step drain: exact increments, 8194 messages'
    output=$("$info" --device Portable) || fail "exit status $?: $output"
    expect 'step  *drain$'
    expect 'can  *step drain$'
    expect 'may  *step svm, by what it says'
    export GRAVEL_HOST_CORES=0 POCL_MAX_PTHREAD_COUNT=2
    output=$("$info" --device Portable) || fail "exit status $?: $output"
    expect 'flows  *scheduler resident; 1 of 1 work-groups of a launch met 32 times'
    output=$(POCL_MAX_PTHREAD_COUNT=1 GRAVEL_SCHEDULER=resident GRAVEL_FLOW_GROUPS=3 "$info" --device Portable)
    expect 'flows  *scheduler none; self-test meet: .* ran 1 of 3 work-groups at a time' ;;
pump) # needs a compute unit besides those of a kernel that waits
    need_driver
    export GRAVEL_STEP=pump GRAVEL_HOST_CORES=0 POCL_MAX_PTHREAD_COUNT=4
    output=$("$info" --selftest --device Portable) || fail "exit status $?: $output"
    expect 'PASS: step pump: 2000 hand-overs, exact increments, 8194 messages'
    export POCL_MAX_PTHREAD_COUNT=1
    output=$("$info" --device Portable 2>&1) || skip "this PoCL ignores POCL_MAX_PTHREAD_COUNT"
    expect 'step  *none: a single compute unit' ;;
forced) # a step that the device cannot take is refused by what it lacks; all other steps are listed
    need_driver
    output=$(GRAVEL_STEP=usm "$info") || fail "exit status $?: $output"
    echo "$output" | grep -q 'can  *step usm' && skip "this PoCL has host allocations"
    expect 'step  *none: no host allocations'
    expect 'cannot  *step usm: no host allocations'
    expect 'may  *step svm, by what it says'
    GRAVEL_STEP=usm "$info" --selftest && fail "the self-test passed" ;;
crash|hang) # a driver that crashes or hangs is named and left out, all other drivers are listed
    add_broken_driver "$test"
    output=$("$info" --limit 4) || fail "exit status $?: $output"
    [ "$test" = hang ] || expect 'left out: .*/broken.icd: driver crashed (Aborted) while .*: the test driver says good-bye'
    [ "$test" = crash ] || expect 'left out: .*/broken.icd: driver gave no answer within 4 s while'
    expect '^0:0 ' ;;
cluster) # a job of one rank; and no device
    need_driver
    output=$(GRAVEL_AGGREGATORS=2 "$info" --cluster) || fail "exit status $?: $output"
    expect '^    0  .* svm    0:0 '
    expect 'no rank differs'
    output=$("$info" --cluster --json | python3 -c '
import json, sys
rank = json.load(sys.stdin)["ranks"][0]
print(*sorted(rank["limits"]), rank["handover"])
print(set(rank["numa"]) <= set("0123456789,-"))')
    expect '^address_bytes descriptors lock locked_bytes rdma_bytes {.error.: .., .why_not.: ..}$'
    expect '^True$'
    output=$(GRAVEL_BUFFER=1G "$info" --cluster --json) && fail "exit status 0"
    expect '"what": "rank 0 on .*: GRAVEL_BUFFER=1G: out of range'
    output=$(GRAVEL_TRANSPORT=auto SLURM_STEP_NUM_TASKS=2 "$info" --cluster 2>&1) && fail "exit status 0"
    expect 'launched as 2 processes (SLURM_STEP_NUM_TASKS)' ;;
measure) # every cost is a time, of two nodes too; no kernel waits on step drain
    need_driver
    for nodes in 1 2; do
        output=$(GRAVEL_TRANSPORT=self GRAVEL_LOOPBACK=$nodes "$info" --measure) || fail "exit status $?: $output"
        expect "step svm, nodes: $nodes\$"
        [ "$(echo "$output" | grep -Ec '  [0-9.e+]+ (ns|us|ms)$')" = 9 ] || fail "not nine costs: $output"
    done
    output=$(GRAVEL_STEP=drain "$info" --measure --json) || fail "exit status $?: $output"
    expect '"what": "a barrier"'
    echo "$output" | grep -q 'a request' && fail "a kernel waited" ;;
probe-crash) # a driver that crashes later keeps its line
    need_driver
    output=$(LD_PRELOAD="$module" GRAVEL_TEST_DRIVER=context "$info") || fail "exit status $?: $output"
    expect 'step  *none: driver crashed (Aborted) while opening a node'
    LD_PRELOAD="$module" GRAVEL_TEST_DRIVER=context "$info" --selftest && fail "the self-test passed" ;;
named) # a device that goes by its numbers is found though other platforms crash when they are asked
    need_driver
    output=$("$info" --device Portable) || fail "exit status $?: $output"
    number=${output%% *}
    output=$(LD_PRELOAD="$module" GRAVEL_TEST_DRIVER=listing "$info" --device "$number" --selftest) \
        || fail "exit status $?: $output"
    expect "^$number .*PASS"
    echo "$output" | grep -q 'left out' && fail "other platforms were asked" ;;
no-svm) # Debian 12's rusticl lists a device that cannot, and whose clFinish returns too early
    export RUSTICL_ENABLE=llvmpipe
    output=$(GRAVEL_STEP=svm "$info") || fail "exit status $?: $output"
    echo "$output" | grep -q llvmpipe || skip "no rusticl with llvmpipe"
    echo "$output" | grep -q 'cannot  *step svm: no fine-grain buffer SVM' || skip "this rusticl has SVM"
    expect 'step  *none: no fine-grain buffer SVM'
    for _ in 1 2 3 4 5; do # a busy machine may hide what comes too early
        output=$("$info") || fail "exit status $?: $output"
        echo "$output" | grep -q 'step  *none: self-test: llvmpipe' && break
    done
    expect 'step  *none: self-test: llvmpipe'
    expect 'cannot  *step drain: self-test: llvmpipe'
    output=$(GRAVEL_STEP=pump "$info" --device llvmpipe --selftest) && fail "step pump was taken"
    expect "FAIL: self-test: .* did not see" ;;
*) fail "no such test: $test" ;;
esac
exit 0

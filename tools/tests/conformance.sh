#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of gravel-conformance as a program: its report, whatever the driver does. What the suites find is their own.
#
# usage: conformance.sh <test> <gravel-conformance> [file]    exit: 0 passed, 1 failed, 77 skipped
set -u

test=$1 conformance=$2 file=${3:-}
. "$(dirname "$0")/frame.sh"

# break_calls <what>: of the driver, see broken_calls.c
break_calls()
{
    need_driver
    export LD_PRELOAD="$module" GRAVEL_TEST_DRIVER="$1"
}

# ends <status> <argument...>: run it; what it printed is in $output.
ends()
{
    want=$1
    shift
    output=$("$conformance" "$@" 2>&1)
    status=$?
    [ $status -eq "$want" ] || fail "exit status $status instead of $want: $output"
}

case $test in
arguments) # wrong usage runs nothing, and says what was wrong
    ends 2 --step teleport
    expect "'teleport' is not svm, usm, pump or drain"
    ends 2 --suite teleport
    expect "there is no suite 'teleport'"
    ends 2 --limit 0
    expect "'0' is not in 1..36000"
    ends 2 --tap
    ends 2 stray
    expect "'stray' is no option"
    ends 0 --help
    expect 'Exit status: 0 all passed' ;;
launched) # without a platform, the first process of a job says that they do not test one job; no other process does
    export OCL_ICD_VENDORS="$work" PMI_SIZE=2 PMI_RANK=0
    ends 2
    expect 'no OpenCL platform found'
    expect '^nothing could run'
    expect '^gravel-conformance: launched as 2 processes (PMI_SIZE), each of which tests its device alone; --tap --suite '
    "$conformance" --json 2>/dev/null | python3 -m json.tool >/dev/null || fail "not JSON"
    export PMI_RANK=1
    ends 2
    expect '^nothing could run'
    ! echo "$output" | grep launched || fail "process 1: $output"
    export PMI_SIZE=1 PMI_RANK=0
    ends 2
    ! echo "$output" | grep launched || fail "alone: $output" ;;
unknown-device)
    need_driver
    ends 2 --device 'no such device'
    expect 'names nothing; there is: 0:0'
    expect '^nothing could run' ;;
report) # a line a suite; steps that are not taken are refused
    need_driver
    export OCL_ICD_VENDORS="$pocl"
    ends 0 --suite waits --device Portable
    expect '^gravel-conformance [0-9.]*: .*, platform Portable Computing Language, driver '
    expect '^step svm$'
    expect '  self-test  *passed '
    [ "$(echo "$output" | grep -c '^  waits  *passed  *8/8 ')" -ge 3 ] || fail "$output"
    expect '^Gravel works here on step svm, .*drain'
    echo "$output" | grep -q 'step usm.*no host allocations' || skip "this PoCL has host allocations"
    expect '  self-test  *refused '
    expect '; refused: usm$' ;;
refused) # alone, a step that is refused leaves nothing to be run
    need_driver
    export OCL_ICD_VENDORS="$pocl" POCL_MAX_PTHREAD_COUNT=1
    ends 2 --suite waits --step pump
    expect '  self-test  *refused '
    expect '^nothing could run' ;;
json) # one object, whatever comes out
    need_driver
    ends 0 --json --suite waits --step svm --device Portable
    output=$(printf '%s' "$output" | python3 -c '
import json, sys
report = json.load(sys.stdin)
step = report["steps"][0]
waits = step["suites"]["waits"]
print(report["platform"], step["step"], step["status"], waits["status"], waits["passed"], waits["failures"])') ||
        fail "not JSON"
    expect '^Portable Computing Language svm passed passed 8 \[\]$'
    export OCL_ICD_VENDORS="$work"
    ends 2 --json
    printf '%s' "$output" | python3 -m json.tool >/dev/null || fail "not JSON: $output" ;;
hang) # a driver that hangs when it is loaded: each step waits it out
    need_driver
    readlink -f "$file" >"$work/broken.icd"
    export OCL_ICD_VENDORS="$work" GRAVEL_TEST_DRIVER=load-hang
    ends 1 --limit 1 --step drain
    expect 'gave no answer within 1 s while opening a node'
    expect '^Gravel does not work here' ;;
no-compiler)
    break_calls compiler
    ends 2 --device Portable
    [ "$(echo "$output" | grep -c '  self-test  *refused ')" -eq 4 ] || fail "$output"
    expect 'no compiler' ;;
open-crash) # a driver that crashes on every step: the report is whole
    break_calls context
    ends 1 --device Portable
    [ "$(echo "$output" | grep -c 'driver crashed (Aborted) while opening a node')" -ge 3 ] || fail "$output"
    expect '^Gravel does not work here on step svm, ' ;;
suite-crash) # in a suite: what had passed until then is reported, and the next suite runs
    break_calls crash
    ends 1 --device Portable --step svm --suite waits
    expect '  waits  *failed  *1/1 '
    expect 'driver crashed (Aborted) while running waits: the test driver says good-bye'
    expect '^Gravel does not work here on step svm$' ;;
suite-wrong) # wrong results: which, and what differed
    break_calls wrong
    ends 1 --device Portable --step svm --suite waits
    expect '  waits  *failed  *1/8 '
    expect 'failed: wait_int_wi: .* cases; node 0: wait_int_wi, comparison .*: 1 of 256 saw it not' ;;
interrupted) # its child ends with it, and it says so
    break_calls hang
    # not in the background of this shell, which would have it ignore SIGINT
    output=$(python3 - "$conformance" <<'END'
import os, signal, subprocess, sys, time
run = subprocess.Popen([sys.argv[1], "--device", "Portable", "--step", "svm", "--suite", "waits"],
                       stdout=subprocess.PIPE, text=True)
while run.stdout.readline().split()[:1] != ["self-test"]:
    pass
children = []
while not children:
    time.sleep(0.1)
    with open("/proc/%d/task/%d/children" % (run.pid, run.pid), encoding="ascii") as text:
        children = text.read().split()
run.send_signal(signal.SIGINT)
rest = run.communicate(timeout=20)[0]
print(rest, "status", run.returncode, "left:", [c for c in children if os.path.exists("/proc/" + c)])
END
    ) || fail "$output"
    expect 'interrupted while running waits'
    expect '^interrupted: what was not run says nothing$'
    expect 'status 1 left: \[\]' ;;
installed) # $file is the build: with what is installed, and nothing else
    need_driver
    meson install -C "$file" --no-rebuild --tags runtime --destdir "$work" >"$work/log" 2>&1 ||
        fail "meson install: $(tail -n 3 "$work/log")"
    conformance=$(find "$work" -name gravel-conformance -type f)
    LD_LIBRARY_PATH=$(dirname "$(find "$work" -name 'libgravel.so.*.*')") && export LD_LIBRARY_PATH
    cd "$work" || exit 1
    ends 0 --device Portable --step svm --suite waits
    expect '^  waits  *passed  *8/8 ' ;;
*) fail "no such test: $test" ;;
esac
exit 0

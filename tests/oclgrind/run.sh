#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of the device half alone: under oclgrind, which sees races, reads of unset memory, divergence and stray accesses;
# and on the installed device in each way it can be compiled, with the same messages from all.
#
# usage: run.sh clean PROGRAM ARGUMENT...        oclgrind says nothing, and the program says that all is as sent
#        run.sh planted DEVICE_HALF FILE...      oclgrind reports each of the wrong kernels
#        run.sh variant METHOD OPTIONS DEVICE_HALF FILE...
#                                                the right kernels on the installed device: METHOD, PoCL's way to run a
#                                                work-group, or default
# exit:  0; 1 with what went wrong; 77 if oclgrind or a device is missing
#
# SEES is what oclgrind looks for, if not all: oclgrind 21.10 stops at the instruction "freeze" in kernels that bin if it looks
# for reads of unset memory.
# Path: kernels.cl -> device_half.c -> this.
set -u

mode=$1
shift
right=group_form,if_form,wi_form,for_form,shared_form,all_forms,uniform_if
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export POCL_CACHE_DIR="$work/cache"
mkdir "$POCL_CACHE_DIR"

# Words in log.
under_oclgrind()
{
    command -v oclgrind >/dev/null || { echo "skipped: no oclgrind"; exit 77; }
    # shellcheck disable=SC2086 # several words
    oclgrind ${SEES:---data-races --uninitialized} --check-api "$@" >"$work/log" 2>&1
}

# planted <kernel> <words of the report> <program> <file>...
planted()
{
    kernel=$1 words=$2 program=$3
    shift 3
    under_oclgrind "$program" -cl-std=CL1.2 "$kernel" "$@" 8
    if grep -q "$words" "$work/log"; then
        echo "$kernel: reported ($words)"
        return
    fi
    echo "$kernel: oclgrind did not say \"$words\" but:"
    cat "$work/log"
    code=1
}

code=0
case $mode in
clean)
    under_oclgrind "$@" || code=1
    [ "$(grep -vc ': as sent$' "$work/log")" -eq 0 ] && [ -s "$work/log" ] || code=1
    cat "$work/log"
    ;;
planted)
    planted wrong_divergent 'Work-group divergence detected (barrier)' "$@"
    planted wrong_range 'Invalid write of size 4 at global memory' "$@"
    planted wrong_race 'data race at local memory' "$@"
    ;;
variant)
    method=$1 options=$2 program=$3 groups=
    shift 3
    if [ "$method" != default ]; then
        # A device compiles each kernel anew for each group size: for the other methods, where it matters most.
        right=for_form,shared_form,all_forms groups="7 64"
        export POCL_WORK_GROUP_METHOD="$method"
    fi
    # shellcheck disable=SC2086 # several sizes, or none
    "$program" "$options" $right "$@" $groups >"$work/log" 2>&1
    code=$?
    cat "$work/log"
    if grep -q 'Unknown work group generation method' "$work/log"; then
        echo "skipped: this PoCL does not know the method $method"
        code=77
    fi
    ;;
esac
exit $code

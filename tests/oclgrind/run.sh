#!/bin/sh
# SPDX-License-Identifier: MIT
# The device half alone: under oclgrind, which sees races, reads of unset memory, divergence and stray
# accesses; and on the installed device in each way it can be compiled, with the same messages from all.
#
# usage: run.sh PROGRAM FOLDER gravel.cl.h clean|planted|variant [METHOD ATOMICS SCAN]
#            PROGRAM: device_half; FOLDER: of kernels.cl
#            clean:    the right kernels make oclgrind say nothing
#            planted:  oclgrind reports each of the wrong ones
#            variant:  the right kernels on the installed device: METHOD, PoCL's way to run a work-group, or default;
#                      ATOMICS c11 or cl12; SCAN serial or parallel
# exit:  0; 1 with what went wrong; 77 if oclgrind or a device is missing
#
# Path: kernels.cl -> device_half.c -> this.
set -u

program=$1 folder=$2 header=$3 mode=$4
groups=
right=group_form,if_form,wi_form,for_form,shared_form,all_forms,uniform_if
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export POCL_CACHE_DIR="$work/cache"
mkdir "$POCL_CACHE_DIR"

# oclgrind <kernels> [group...]: its words in log
under_oclgrind()
{
    kernels=$1
    shift
    oclgrind --data-races --uninitialized --check-api "$program" "$folder" "$header" -cl-std=CL1.2 \
        "$kernels" "$@" >"$work/log" 2>&1
}

# planted <kernel> <words of the report>
planted()
{
    under_oclgrind "$1" 8
    if grep -q "$2" "$work/log"; then
        echo "$1: reported ($2)"
        return
    fi
    echo "$1: oclgrind did not say \"$2\" but:"
    cat "$work/log"
    code=1
}

code=0
case $mode in
clean | planted)
    command -v oclgrind >/dev/null || { echo "skipped: no oclgrind"; exit 77; }
    ;;
esac
case $mode in
clean)
    under_oclgrind $right || code=1
    n_said=$(grep -vc ': as sent$' "$work/log")
    [ "$n_said" -eq 0 ] || code=1
    cat "$work/log"
    ;;
planted)
    planted wrong_divergent 'Work-group divergence detected (barrier)'
    planted wrong_range 'Invalid write of size 4 at global memory'
    planted wrong_race 'data race at local memory'
    ;;
variant)
    method=$5 options="-cl-std=CL1.2"
    [ "$6" = c11 ] && options="-cl-std=CL3.0 -DGRAVELP_ATOMICS_C11 -DGRAVELP_HOST_SCOPE=memory_scope_device"
    [ "$7" = serial ] && options="$options -DGRAVELP_SERIAL_GROUP"
    if [ "$method" != default ]; then
        # A device compiles each kernel anew for each group size: for the other methods, where it matters most.
        right=for_form,shared_form,all_forms groups="7 64"
        export POCL_WORK_GROUP_METHOD="$method"
    fi
    # shellcheck disable=SC2086 # several sizes, or none
    "$program" "$folder" "$header" "$options" $right $groups >"$work/log" 2>&1
    code=$?
    cat "$work/log"
    if grep -q 'Unknown work group generation method' "$work/log"; then
        echo "skipped: this PoCL does not know the method $method"
        code=77
    fi
    ;;
*)
    echo "no mode $mode"
    exit 1
    ;;
esac
exit $code

#!/bin/sh
# SPDX-License-Identifier: MIT
# Check the Spin models exhaustively, and check that each of their mutants is caught.
#
# usage: run.sh [--brief] [model...]    names without .pml; default: all. --brief: without the search of the barrier's
#                                       three million states
# exit:  0 all models hold and every mutant is caught; 1 not so;
#        77 Spin or a C compiler is missing (skip)
#
# Path: *.pml -> run.sh. Works in a directory of its own, which it removes.
set -u

is_brief=
[ "${1:-}" = --brief ] && is_brief=yes && shift
models=$(cd "$(dirname "$0")" && pwd)
command -v spin >/dev/null || { echo "skipped: spin is not installed"; exit 77; }
compiler=${CC:-cc}
command -v "${compiler%% *}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
for model in "$@"; do
    [ -f "$models/$model.pml" ] || { echo "no such model: $model"; exit 1; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
n_failed=0

# check <holds|fails> <safety|liveness> <model> [-DNAME...]
#   Liveness is checked under weak fairness: whoever can go on for ever does at some time.
check()
{
    expected=$1 kind=$2 model=$3
    shift 3
    wanted "$model" || return 0
    case $kind in
    safety) build="-DSAFETY" search="" ;;
    liveness) build="-DNFAIR=4" search="-a -f" ;;
    esac
    optimize=-O2
    [ "$expected" = fails ] && optimize=-O0 # found at once: building takes longest
    rm -f pan pan.* ./*.trail
    spin -a "$@" "$models/$model.pml" >spin.log 2>&1 &&
        $compiler "$optimize" -w $build -DVECTORSZ=2048 -o pan pan.c >>spin.log 2>&1 &&
        ./pan -m1000000 -w22 $search >pan.log 2>&1
    outcome=$(judge)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log 2>/dev/null)
    printf '%-8s %-9s %-28s %-10s %s states\n' \
        "$model" "$kind" "$*" "$outcome" "${states:-no}"
    [ "$outcome" = "$expected" ] && return 0
    n_failed=$((n_failed + 1))
    echo "^ should have been: $expected"
    cat spin.log pan.log 2>/dev/null
}

# holds: searched to the end without an error; fails: an error was found; else no verdict.
judge()
{
    if [ ! -f pan.log ]; then
        echo broken # spin or the compiler refused the model
    elif grep -q 'errors: [1-9]' pan.log; then
        echo fails
    elif grep -qi 'not completed\|too small\|out of memory' pan.log; then
        echo incomplete
    elif grep -q 'errors: 0' pan.log; then
        echo holds
    else
        echo incomplete
    fi
}

selected=$*
wanted()
{
    [ -z "$selected" ] && return 0
    case " $selected " in *" $1 "*) return 0 ;; esac
    return 1
}

# mutants <model> <names...>
mutants()
{
    mutated=$1
    shift
    for name in "$@"; do
        check fails safety "$mutated" "-D$name"
    done
}

check holds safety quiet
mutants quiet ACK_ON_ARRIVAL NO_ORDER BLOCKING_SEND ACK_OF_ANY
check holds safety spool
check holds safety spool -DWINDOW=4 -DN_FRAMES=6 -DN_QUIETS=1
mutants spool EARLY_CREDIT EARLY_ACK OVERTAKE FORGET_PARKED
[ "$is_brief" ] || check holds safety barrier
check holds safety barrier -DFAN=2 -DLIFE=1 -DN_FIRST=1
check holds safety barrier -DCOUNTERS -DLIFE=1
check holds safety barrier -DCOUNTERS -DFAN=2 -DLIFE=1 -DN_FIRST=1
check holds liveness barrier -DN_NODES=2 -DLIVENESS
mutants barrier ONE_ROUND SAME_ONLY NO_FLUSH EARLY_RESOLVED LATE_TAKE TAKE_BESIDE LATE_ZERO
check fails safety barrier -DTAKE_ONCE -DFAN=2 -DLIFE=1 -DN_FIRST=1
check holds safety finish
mutants finish EARLY_FINISH EARLY_LOOK NO_FINISH LATE_LEAVES NO_SUMS ONE_SUM SENT_FIRST EARLY_HANDLED
check holds safety accumulate
check holds safety accumulate -DSTAYS
mutants accumulate READ_FIRST MARK_FIRST NOT_COUNTED NO_TURN DEAF_FLUSH DEAF_QUIET
check fails safety accumulate -DSTAYS -DREAD_FIRST
few="-DN_SENDERS=1 -DN_LATE=0 -DN_ROUNDS=2"
check holds safety rounds $few
check holds safety rounds -DN_GROUPS=1 -DN_SENDERS=1 -DTAGS=3
check holds safety rounds -DN_NODES=3 -DN_GROUPS=1 -DWHOLE_COPIES $few
mutants rounds ONE_SLOT CLEARED_FIRST ANSWER_UNTAGGED FRAMES_FIRST ANSWER_FIRST UNCAPPED LATE_ALONE
check fails safety rounds -DREPORT_UNTAGGED -DN_GROUPS=1
check fails safety rounds -DZERO_NUMBER -DN_GROUPS=1 -DN_SENDERS=1 -DTAGS=3
for name in ONE_SET NO_MEETING NO_BARRIER; do
    check fails safety rounds "-D$name" $few
done

[ $n_failed -eq 0 ] && exit 0
echo "$n_failed checks did not end as expected"
exit 1

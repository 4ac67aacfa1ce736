#!/bin/sh
# SPDX-License-Identifier: MIT
# A short run of one fuzzer from its seeds, the same one every time.
#
# usage: run.sh SOURCE TARGET [SECONDS [SEED]]      TARGET: decode, lines, graph or litmus
# exit:  0; 1 after a finding, whose input is printed in base 64; 77 if clang has no libFuzzer
#
# Path: corpus/, tests/data -> fuzz_TARGET.c. Works in a directory of its own, which it removes.
set -u

source=$1 target=$2 seconds=${3:-20} seed=${4:-1}
clang=${CLANG:-clang}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1

sanitizers="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
flags="-O1 -g -std=gnu11 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -Iinclude -Icl"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }' >"$work/t.c"
$clang $sanitizers "$work/t.c" -o "$work/t" 2>/dev/null ||
    { echo "skipped: $clang does not link with -fsanitize=fuzzer"; exit 77; }

mkdir "$work/new" "$work/seeds"
case $target in
decode)
    set -- -Ilib lib/base/error.c lib/memory/allocations.c lib/transport/names.c lib/resolve/decode.c lib/resolve/apply.c
    cp tests/fuzz/corpus/decode/* "$work/seeds"
    length=4096
    ;;
lines)
    set -- -Ilib lib/base/error.c lib/memory/allocations.c lib/transport/names.c lib/resolve/decode.c lib/spool/format.c
    # One run: command, n, base, types of an int and a string, signal, the text "%d %s", words.
    { printf '\001\013\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000q\000\000\000\000\000\000\000'
      printf '\000\000\000\000\000\000\000\000%%d %%s\n%%x\000\000\000\000\000\000\000'
      printf '%052d' 7; } >"$work/seeds/line"
    length=512
    ;;
graph)
    set -- -Iapps -Wl,--wrap=die_alone apps/frame/die.c apps/frame/text.c apps/graph/build.c apps/graph/read.c
    cp tests/data/diamond.* "$work/seeds"
    length=1024
    ;;
litmus)
    set -- -Ihrf/src hrf/src/checker/*.c
    cp hrf/litmus/*.litmus tests/hrf/protocols/*.litmus "$work/seeds"
    length=1024
    ;;
*)
    echo "no fuzzer $target"
    exit 1
    ;;
esac

$clang $sanitizers $flags tests/fuzz/fuzz_$target.c "$@" -o "$work/fuzz" || exit 1
if "$work/fuzz" -seed=$seed -max_total_time=$seconds -timeout=5 -rss_limit_mb=2048 \
    -max_len=$length -print_final_stats=1 -artifact_prefix="$work/found-" \
    "$work/new" "$work/seeds" >"$work/log" 2>&1; then
    n_seeds=$(ls "$work/seeds" | wc -l)
    n_runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    echo "fuzz_$target: $n_runs inputs in $seconds s from $n_seeds seeds, seed $seed, no finding"
    exit 0
fi
tail -50 "$work/log"
for found in "$work"/found-*; do
    [ -f "$found" ] && echo "input: $(base64 -w 0 "$found")"
done
exit 1

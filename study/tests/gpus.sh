#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of study/gpus at tiny sizes on a CPU device: its table; machines and ranks that are told what is wrong.
#
# usage: gpus.sh <source> <build> <test>    exit: 0 passed, 1 failed, 77 skipped
set -u

source=$1 build=$2 test=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; cat "$work/said"; exit 1; }
gpus() { "$source/study/gpus" --build "$built" --out "$work/out" "$@" >"$work/said" 2>&1; }
built=$build

# holds <expression>: true of the rows.
holds()
{
    python3 -c '
import json, sys
head, *rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows and eval(sys.argv[2], {"head": head, "rows": rows}), (head, rows)' "$work/out/gpus.jsonl" "$1" || fail "$1"
}

# A build whose programs are those of <build>, until one is replaced: replace <path> < script
copy_build()
{
    built=$work/build
    for program in tools/gravel-info bench/bench-bus apps/gups/gups; do
        mkdir -p "$built/${program%/*}"
        ln -s "$build/$program" "$built/$program"
    done
}
replace() { rm "$built/$1"; cat >"$built/$1"; chmod +x "$built/$1"; }

# A machine with these devices, all of one platform; a name that begins with CPU is one.
with_devices()
{
    python3 -c '
import json, sys
devices = [{"number": "0:%d" % i, "name": name, "platform": "P", "is_cpu": name[:3] == "CPU", "step": "pump"}
           for i, name in enumerate(sys.argv[1:])]
equal = [device["number"] for device in devices if device["name"] == sys.argv[1]]
print("#!/bin/sh\ncat <<END\n%s\nEND" % json.dumps({"devices": devices, "default": "0:0", "defaults": equal}))' "$@" |
        replace tools/gravel-info
}

# The ranks of the other tests share a CPU device.
"$build/tools/gravel-info" --json | grep -q '"is_cpu": *true' || [ "$test" = machine ] ||
    { echo "skipped: ranks take no CPU device"; exit 77; }

case $test in
table) # checked, on one rank and two, with ratios, in all three files
    gpus --quick --ranks 1,2 --apps gups,sssp || fail "exit status $?"
    holds '[(r["app"], r["ranks"]) for r in rows] == [(a, n) for n in (1, 2) for a in ("bus", "gups", "sssp")]'
    holds 'all(r["rate"] > 0 and r["of_one"] > 0 and (r["ranks"] > 1 or r["of_one"] == 1) for r in rows)'
    holds 'all(r["app"] == "bus" or (r["of_bus"] or 0) > 0 or r["ranks"] == 1 for r in rows)'
    holds 'all(r["app"] == "bus" or r["checked_by"].endswith(" -v") for r in rows)'
    [ "$(grep -c '^| \(bus\|gups\|sssp\) | [12] |' "$work/out/gpus.md")" -eq 6 ] || fail "not 6 rows of Markdown"
    grep -qF "$(cat "$work/out/gpus.md")" "$work/said" || fail "another table on the output" ;;
mer) # another input
    gpus --quick --ranks 1 --apps mer --sequences "$source/tests/data/mer/long.fa" || fail "exit status $?"
    holds '[r["app"] for r in rows] == ["bus", "mer"] and all(r["rate"] > 0 for r in rows)' ;;
machine) # too few GPUs, GPUs that differ, no GPU, no file
    copy_build
    with_devices CPU
    gpus
    [ $? -eq 77 ] || fail "not skipped"
    [ "$(cat "$work/said")" = "gpus: no GPU: ranks take CPU; --quick takes it" ] || fail "no reason"
    with_devices A100 A100
    gpus --ranks 1,4 && fail "exit status 0"
    [ "$(cat "$work/said")" = "gpus: 4 ranks, but 2 equal GPUs" ] || fail "no reason"
    with_devices A100 H100
    gpus && fail "exit status 0"
    [ "$(cat "$work/said")" = "gpus: GPUs of different kinds: A100, H100; GRAVEL_DEVICE chooses one" ] ||
        fail "no reason"
    gpus --apps mer --sequences "$work/none" && fail "exit status 0"
    grep -q "error: --sequences: mer needs a file, '$work/none' is none" "$work/said" || fail "no reason" ;;
failure) # a rank that dies is named with its command; the rest is measured
    copy_build
    replace apps/gups/gups <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK-}" = 1 ] && { echo "gups: rank 1 has no device" >&2; exit 3; }
exec "$build/apps/gups/gups" "\$@"
END
    gpus --quick --ranks 1,2 --apps gups && fail "exit status 0"
    grep -q '^gpus: FAILED: .*mpirun.* -np 2 .*gups .*: exit status [1-9].*' "$work/said" || fail "no reason"
    [ "$(grep -c FAILED "$work/said")" -eq 1 ] || fail "not one line"
    holds '[(r["app"], r["ranks"]) for r in rows] == [("bus", 1), ("gups", 1), ("bus", 2)]' ;;
*) fail "no such test: $test" ;;
esac
exit 0

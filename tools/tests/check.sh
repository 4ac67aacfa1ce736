#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check where it cannot run: one line says what to do, and nothing is left running.
#
# usage: check.sh SOURCE NAME      NAME: packages, network, interrupt or twice
# exit:  0; 1 after a line that says what was expected
#
# Works on a copy of the tools in a directory of its own, with stand-ins for commands, and removes it.
set -u

source=$1 name=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/tree/tests" "$work/tree/tools"
cp -r "$source/tools/check" "$source/tools/checking" "$source/tools/install-packages" "$work/tree/tools"
cp "$source/tests/core" "$work/tree/tests"
PATH=$work/bin:$PATH
out=$work/out # of the check that is run

# stand_in <command>: what it does is read from the input.
stand_in()
{
    { echo '#!/bin/sh'; cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# expect <exit status> <lines> <text>: of the check.
expect()
{
    [ "$status" -eq "$1" ] || { echo "exit status $status, not $1"; cat "$out"; exit 1; }
    [ "$(wc -l <"$out")" -le "$2" ] || { echo "more than $2 lines:"; cat "$out"; exit 1; }
    grep -q -- "$3" "$out" || { echo "not said: $3"; cat "$out"; exit 1; }
}

check() { (cd "$work/tree" && exec tools/check "$@") >"$out" 2>&1 </dev/null; }

# begin: a check that hangs in its first build, and has got there.
begin()
{
    for command in gcc clang clang-format pkg-config ninja python3 dpkg-query; do
        command -v $command >/dev/null || { echo "skipped: no $command"; exit 77; }
    done
    echo 'echo installed' | stand_in dpkg-query
    echo 'echo $$ >"'"$work"'/pid"; exec sleep 100' | stand_in meson
    check &
    checking=$!
    n=0
    until [ -s "$work/pid" ]; do
        n=$((n + 1))
        [ $n -lt 300 ] || { echo "the check does not build"; cat "$out"; exit 1; }
        sleep 0.1
    done
}

case $name in
packages | network) # neither root nor sudo; root, and no network
    stand_in dpkg-query </dev/null
    echo "[ $name = network ] && echo 0 || echo 1000" | stand_in id
    echo 'exit 1' | stand_in sudo
    echo 'echo "E: Failed to fetch gcc"; exit 100' | stand_in apt-get
    why="neither root nor sudo"
    [ $name = packages ] || why="Failed to fetch gcc"
    check
    status=$?
    expect 1 2 "cannot install.*$why"
    ;;
interrupt)
    begin
    kill -TERM "$(pgrep -P $checking -f checking || echo $checking)"
    wait $checking
    status=$?
    expect 143 1 "interrupted by SIGTERM: nothing is left running; run tools/check again"
    kill -0 "$(cat "$work/pid")" 2>/dev/null && { echo "meson runs on"; exit 1; }
    ;;
twice)
    begin
    first=$(cat "$work/pid")
    out=$work/second
    check
    status=$?
    kill "$first"
    expect 1 2 "another check runs in this tree"
    wait $checking
    ;;
*)
    echo "no test $name"
    exit 1
    ;;
esac
exit 0

#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples as users compile them: copied out of the tree, with what pkg-config says of an installed Gravel and
# nothing else. Each runs, and where it cannot it returns an error and says which.
#
# usage: outside.sh SOURCE BUILD EXAMPLE...     BUILD is configured and built
# exit:  0; 1 with what went wrong; 77 if pkg-config or Meson is missing
#
# Path: examples/, tests/headers/installed.sh -> this.
set -u

source=$1 build=$2
shift 2
tools="pkg-config meson"
. "$source/tests/headers/installed.sh"

mkdir "$work/user"
cd "$work/user" || exit 1
for name in "$@"; do
    cp "$source/examples/$name.c" .
    eval "step 'compiling $name' ${CC:-cc} -o $name $name.c $(config --cflags --libs)"
    step "running $name" with_library "./$name"
    grep -q "^$name: .*, all right$" "$work/log" || fail "$name does not say that all is right"
    [ "$(wc -l <"$work/log")" -eq 1 ] || fail "$name says more than a line"
    with_library env GRAVEL_STEP=sideways "./$name" >"$work/log" 2>&1 && fail "$name returns 0 after a failed call"
    grep -q "^$name: gravel_open.*sideways" "$work/log" || fail "$name does not say which call failed, and why"
done
echo "$# examples compile with pkg-config alone, and run"

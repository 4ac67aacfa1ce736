#!/bin/sh
# SPDX-License-Identifier: MIT
# The library as its users meet it: installed, found by pkg-config, and as a Meson subproject.
#
# usage: install.sh SOURCE BUILD VERSION      BUILD is configured and built
# exit:  0; 1 with what went wrong; 77 if pkg-config, Meson or ninja is missing
#
# Path: meson install -> pkg-config -> user.c; then SOURCE as subproject -> user.c.
set -u

source=$1 build=$2 version=$3
here=$(cd "$(dirname "$0")" && pwd)
for tool in pkg-config meson ninja; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "$1"
    [ -f "$work/log" ] && cat "$work/log"
    exit 1
}

# step <what> <command...>
step()
{
    what=$1
    shift
    "$@" >"$work/log" 2>&1 || fail "$what failed: $*"
}

step "installing" env DESTDIR="$work/root" meson install -C "$build" --no-rebuild
pc=$(find "$work/root" -name gravel.pc)
[ -n "$pc" ] || fail "no gravel.pc is installed"
[ -n "$(find "$work/root" -name gravel.cl.h)" ] || fail "no gravel.cl.h is installed"
leaked=$(grep -rlE "$source|$build" "$work/root" --include='*.pc' --include='*.h')
[ -z "$leaked" ] || fail "paths of this machine in $leaked"

# The prefix of the .pc file is moved to where the tree lies now.
prefix=$(sed -n 's/^prefix=//p' "$pc")
config()
{
    PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$work/root$prefix" "$@" \
        gravel
}
[ "$(config --modversion)" = "$version" ] || fail "gravel.pc is of version $(config --modversion)"
[ -f "$(config --variable=opencl_includedir)/gravel.cl.h" ] ||
    fail "opencl_includedir of gravel.pc holds no gravel.cl.h"
step "compiling against the installed library" ${CC:-cc} -std=c11 -DCL_TARGET_OPENCL_VERSION=300 \
    -o "$work/user" "$here/user.c" $(config --cflags --libs)
step "running against the installed library" env \
    LD_LIBRARY_PATH="$(config --variable=libdir):${LD_LIBRARY_PATH:-}" "$work/user" "$version"

# A project that has Gravel as a subproject builds it, and finds it by the name of the dependency.
mkdir -p "$work/outer/subprojects"
ln -s "$source" "$work/outer/subprojects/gravel"
cp "$here/user.c" "$work/outer"
cat >"$work/outer/meson.build" <<EOF
project('outer', 'c')
gravel = subproject('gravel', default_options: ['apps=false', 'tests=false', 'mpi=disabled'])
user = executable('user', 'user.c', dependencies: dependency('gravel'))
test('user', user, args: '$version')
EOF
step "setting up as a subproject" meson setup "$work/inner" "$work/outer"
step "building as a subproject" ninja -j 2 -C "$work/inner" user
step "running as a subproject" "$work/inner/user" "$version"
echo "installed and as a subproject: version $version compiles, links and answers"

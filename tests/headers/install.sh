#!/bin/sh
# SPDX-License-Identifier: MIT
# The library as its users meet it: installed, found by pkg-config, and as a Meson subproject.
#
# usage: install.sh SOURCE BUILD VERSION      BUILD is configured and built
# exit:  0; 1 with what went wrong; 77 if pkg-config, Meson or ninja is missing
#
# Path: installed.sh -> pkg-config -> user.c, the program in docs/guide/start.md; then SOURCE by a wrap of
# docs/guide/start.md -> user.c.
set -u

source=$1 build=$2 version=$3
here=$(cd "$(dirname "$0")" && pwd)
tools="pkg-config meson ninja"
. "$here/installed.sh"

[ "$(config --modversion)" = "$version" ] || fail "gravel.pc is of version $(config --modversion)"
eval "includes=$(config --variable=opencl_includedir)"
[ -f "$includes/gravel.cl.h" ] ||
    fail "opencl_includedir of gravel.pc holds no gravel.cl.h"
eval "step 'compiling against the installed library' ${CC:-cc} -std=c11 -DCL_TARGET_OPENCL_VERSION=300 \
    -o '$work/user' '$here/user.c' $(config --cflags --libs)"
step "running against the installed library" with_library "$work/user" "$version"

# The first program of the guide, by the guide's command; it runs where there is a device.
awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$source/docs/guide/start.md" >"$work/count.c"
eval "step 'compiling the program of docs/guide/start.md' ${CC:-cc} -o '$work/count' '$work/count.c' $(config --cflags --libs)"
if [ -f /etc/OpenCL/vendors/pocl.icd ]; then
    for nodes in 1 4; do
        step "running the program of docs/guide/start.md" with_library env GRAVEL_TRANSPORT=self GRAVEL_LOOPBACK=$nodes "$work/count"
        grep -q "^node 0 of $nodes, step [a-z]*: 0 counters are wrong\$" "$work/log" ||
            fail "the program of docs/guide/start.md, for $nodes nodes:"
    done
fi

# The examples are there to copy.
examples=$(find "$work/a root" -type d -name examples)
[ -f "$examples/counting.c" ] || fail "no examples are installed"
for example in "$examples"/*.c; do
    eval "step 'compiling an installed example' ${CC:-cc} -o '$work/example' '$example' $(config --cflags --libs)"
done

# A project with the wrap of docs/guide/start.md builds Gravel as a subproject, and finds its libraries by their names.
mkdir -p "$work/outer/subprojects"
ln -s "$source" "$work/outer/subprojects/gravel"
{ printf '[wrap-file]\ndirectory = gravel\n\n' && grep -A 1 '^\[provide\]$' "$source/docs/guide/start.md"; } \
    >"$work/outer/subprojects/gravel.wrap"
cp "$here/user.c" "$work/outer"
cat >"$work/outer/meson.build" <<EOF
project('outer', 'c')
executable('user', 'user.c', c_args: '-DWITH_GRAPH', dependencies: dependency('gravel-graph'))
assert(dependency('gravel').type_name() == 'internal')
EOF
step "setting up as a subproject" meson setup -Dgravel:mpi=disabled "$work/inner" "$work/outer"
for part in apps tests bench; do
    grep -q "^ *$part *: no" "$work/log" || fail "a subproject builds its $part, or does not say that it leaves them out:"
done
step "building as a subproject" ninja -j 2 -C "$work/inner" user
step "running as a subproject" "$work/inner/user" "$version"
step "setting up without tools, nor an MPI that has a name" \
    meson setup --prefix="$work/own" -Dtools=disabled -Dmpi=disabled -Dmpi_name=no_such_mpi "$work/few" "$source"
grep -q '^ *tools *: no' "$work/log" || fail "-Dtools=disabled: it does not say that it leaves the tools out:"
(cd "$work" && step "the package for Python in the shell of a build" meson devenv -C few \
    python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("gravel"))') || exit 1
ninja -C "$work/few" -t targets all 2>/dev/null | grep -qE '(tools|hrf)/gravel-' && fail "-Dtools=disabled builds tools"
# A program linked against a prefix of one's own finds the library there without LD_LIBRARY_PATH; no other has an rpath.
config --libs | grep -q rpath && fail "gravel.pc of the prefix /usr/local has an rpath"
pc=$work/few/meson-private/gravel.pc
own=$(config --variable=libdir)
mkdir -p "$own"
cp -a "$libraries"/libgravel.so* "$own"
eval "step 'linking against a prefix' ${CC:-cc} -std=c11 -DCL_TARGET_OPENCL_VERSION=300 -I'$source/include' \
    -o '$work/user' '$here/user.c' $(config --cflags --libs)"
step "running without LD_LIBRARY_PATH" env -u LD_LIBRARY_PATH "$work/user" "$version"
# With the library of OpenCL alone Gravel is set up, and names what each part that it leaves out needs.
mkdir "$work/lean"
cp "$(pkg-config --variable=pcfiledir OpenCL)/OpenCL.pc" "$work/lean"
step "setting up with OpenCL alone" env PKG_CONFIG_LIBDIR="$work/lean" meson setup "$work/alone" "$source"
grep -q '^ *tools *: no: .*jansson' "$work/log" && grep -q '^ *apps *: no: .*jansson' "$work/log" ||
    fail "set up with OpenCL alone, it does not say that tools and applications need jansson:"
env PKG_CONFIG_LIBDIR="$work/lean" meson setup "$work/asked" "$source" -Dapps=enabled >"$work/log" 2>&1 &&
    fail "-Dapps=enabled without jansson is not refused:"
grep -q 'apps cannot be enabled: it needs jansson' "$work/log" || fail "-Dapps=enabled without jansson:"
echo "installed and as a subproject: version $version compiles, links and answers"

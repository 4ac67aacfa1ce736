#!/bin/sh
# SPDX-License-Identifier: MIT
# The package as an installation has it: it finds the library by the loader and runs; where it cannot, it says why.
#
# usage: installed.sh SOURCE BUILD     BUILD is configured and built
# exit:  0; 1 with what went wrong; 77 if Meson, or a Python with numpy and PyOpenCL, is missing
#
# Path: python/meson.build, tests/headers/installed.sh -> this.
set -u

source=$1 build=$2
tools="pkg-config meson"
. "$source/tests/headers/installed.sh"
for python in python3 /usr/bin/python3 ''; do
    [ -n "$python" ] || { echo "skipped: no Python with numpy and PyOpenCL"; exit 77; }
    "$python" -c 'import numpy, pyopencl' 2>/dev/null && break
done

step "setting up with the package" meson setup "$work/build" "$source" -Dpython=enabled -Dtests=disabled \
    -Dapps=disabled -Dbench=disabled -Dtools=disabled
listed=$(meson introspect --installed "$work/build" | grep -o '"[^"]*/gravel/[^"/]*\.\(py\|typed\)": "[^"]*"')
for file in "$source"/python/gravel/*.py "$source/python/gravel/py.typed"; do
    echo "$listed" | grep -qF "\"$file\"" || fail "$(basename "$file") is not installed"
done
meson introspect --installed "$work/build" | grep -q '/_gravel_networkx[.]py"' || fail "_gravel_networkx.py is not installed"
folder=$(echo "$listed" | sed -n 's,.*: "\(.*\)/gravel/__init__.py",\1,p')
is_searched='import site, sys; sys.exit(sys.argv[1] not in site.getsitepackages())'
python3 -c "$is_searched" "$folder" || /usr/bin/python3 -c "$is_searched" "$folder" || fail "no Python looks in $folder"

mkdir "$work/python"
cp -r "$source/python/gravel" "$work/python"
export PYTHONPATH="$work/python" PYTHONDONTWRITEBYTECODE=1
unset GRAVEL_LIBRARY GRAVEL_GRAPH_LIBRARY
step "the self-check" with_library env GRAVEL_TRANSPORT=self "$python" -m gravel
grep -qx PASS "$work/log" || fail "the self-check does not pass:"
# refused <pattern> <command...>
refused()
{
    pattern=$1
    shift
    "$@" >"$work/log" 2>&1 && fail "nothing is refused: $*"
    grep -qE "$pattern" "$work/log" || fail "no '$pattern' from $*:"
}
mkdir "$work/broken"
for name in "$libraries"/libgravel.so*; do : >"$work/broken/${name##*/}"; done
refused "ImportError: .*: libgravel[.0-9so]* $work/broken/libgravel[.0-9so]*: file too short[.] GRAVEL_LIBRARY=/path" \
    env LD_LIBRARY_PATH="$work/broken" "$python" -c 'import gravel'
for pair in '/nowhere/libgravel.so cannot open' 'libm.so.6 is no such library'; do
    refused "ImportError: .*$pair" env GRAVEL_LIBRARY="${pair%% *}" "$python" -c 'import gravel'
done
sed -i 's/^API = .*, [0-9]*)/API = (7, 7)/' "$work/python/gravel/_library.py"
refused 'ImportError: .*is version .*for version 7[.]7' \
    with_library env GRAVEL_LIBRARY=libgravel.so "$python" -c 'import gravel'
echo "the package is installed in $folder, and runs"

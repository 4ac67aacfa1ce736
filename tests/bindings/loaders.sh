#!/bin/sh
# SPDX-License-Identifier: MIT
# The package where the library has a loader of OpenCL of its own, beside PyOpenCL's, and where there are no drivers.
# The second loader is a copy of the first, with another name and another variable for its folder of drivers.
#
# usage: loaders.sh SOURCE BUILD
# exit:  0; 1 with what went wrong; 77 if a Python with numpy and PyOpenCL, or its loader, is missing
#
# Path: BUILD/lib, libOpenCL.so.1 -> copies -> loaders.py.
set -u

source=$1 build=$2
for python in python3 /usr/bin/python3 ''; do
    [ -n "$python" ] || { echo "skipped: no Python with numpy and PyOpenCL"; exit 77; }
    "$python" -c 'import numpy, pyopencl' 2>/dev/null && break
done
loader=$("$python" -c 'import pyopencl
with open("/proc/self/maps") as maps:
    print(*{line.split()[-1] for line in maps if "/libOpenCL.so.1" in line})')
[ -f "$loader" ] || { echo "skipped: PyOpenCL has no libOpenCL.so.1"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/none"
# Names as long as the ones before them: nothing in the files moves.
other='s/libOpenCL\.so\.1/libOpenCX.so.1/g; s/OCL_ICD_VENDORS/OCX_ICD_VENDORS/g'
LC_ALL=C sed "$other" "$loader" >"$work/libOpenCX.so.1"
LC_ALL=C sed "$other" "$build/lib/libgravel.so" >"$work/libgravel.so"
export PYTHONPATH="$source/python" PYTHONDONTWRITEBYTECODE=1

# must <line> <exit status> <command...>
must()
{
    line=$1 wanted=$2
    shift 2
    "$@" >"$work/log" 2>&1
    status=$?
    [ $status -eq "$wanted" ] && grep -qE "^$line" "$work/log" && return
    echo "exit status $status, or no line '$line': $*"
    cat "$work/log"
    exit 1
}
# with_own_loader <folder of its drivers> <command...>
with_own_loader()
{
    drivers=$1
    shift
    env GRAVEL_LIBRARY="$work/libgravel.so" LD_LIBRARY_PATH="$work:${LD_LIBRARY_PATH:-}" OCX_ICD_VENDORS="$drivers" "$@"
}
without_drivers() { env GRAVEL_LIBRARY="$build/lib/libgravel.so" OCL_ICD_VENDORS="$work/none" "$@"; }

program="$source/tests/bindings/loaders.py"
must 'two: all right' 0 with_own_loader "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}" "$python" "$program" two
must 'other: all right' 0 with_own_loader "$work/none" "$python" "$program" other
must 'none: all right' 0 without_drivers "$python" "$program" none
must 'DeviceError: no OpenCL platform found: install a driver' 1 \
    without_drivers env GRAVEL_TRANSPORT=self "$python" -m gravel
echo "two loaders, the other's drivers, and no drivers"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes an environment of PyPI's packages, which stays in the build's folder, and runs its Python.
#
# usage: pypi.sh FOLDER PACKAGE... [-- ARGUMENT...]
# exit:  the program's; 77 without a package index or venv
#
# Path: tests/bindings/networkx.sh, tests/app/meson.build -> this -> FOLDER/bin/python
set -u

kept=$1 packages=
unset MALLOC_PERTURB_
while shift && [ $# -gt 0 ] && [ "$1" != -- ]; do
    packages="$packages $1"
done
if [ "$(cat "$kept/packages" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$kept"
    /usr/bin/python3 -m venv "$kept" >/dev/null 2>&1 || { echo "skipped: no venv"; exit 77; }
    # shellcheck disable=SC2086 # words of a command
    PYTHONPATH='' "$kept/bin/pip" -q install --no-compile $packages >"$kept/log" 2>&1 ||
        { echo "skipped: no package index: $(tail -n 1 "$kept/log")"; exit 77; }
    echo "$packages" >"$kept/packages"
fi
[ $# -eq 0 ] && exit 0
shift
exec "$kept/bin/python" "$@"

# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: MIT
# What info.sh and conformance.sh share; each sets $file, the module that breaks drivers or "", before it reads this.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
expect() { printf '%s\n' "$output" | grep -q -- "$1" || fail "no '$1' in: $output"; }
# By a link, for the loader cuts LD_PRELOAD at spaces.
module=$work/module.so
[ -z "$file" ] || ln -s "$(readlink -f "$file")" "$module"

# Of the drivers that the environment names, as tools/check does; else the system's.
pocl=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/pocl.icd
need_driver() { [ -f "$pocl" ] || skip "PoCL is not installed"; }

#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/kernel-cache names its folder, and makes it, only where PoCL's own cannot be written.
#
# usage: kernel_cache.sh <tools/kernel-cache>
# exit:  0; 1 after the case that fails
set -u

tool=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# expect <what is reported> <NAME=value>...
expect()
{
    wanted=$1
    shift
    cache=$(env -u HOME -u XDG_CACHE_HOME -u POCL_CACHE_DIR "$@" "$tool" "own cache") || exit 1
    [ "$cache" = "$wanted" ] && { [ -z "$wanted" ] || [ -d "$wanted" ]; } && return 0
    echo "with $*: '$cache', not '$wanted'"
    exit 1
}

own="$folder/own cache"
expect ""     "HOME=$folder/a home"
expect ""     "HOME=/proc/none" "XDG_CACHE_HOME=$folder/a cache"
expect ""     "HOME=/proc/none" "POCL_CACHE_DIR=$folder/kernels"
expect "$own" "HOME=/proc/none"
expect "$own" "HOME=$folder" "XDG_CACHE_HOME=/proc/none"
expect "$own" "HOME=$folder" "POCL_CACHE_DIR=/proc/none"

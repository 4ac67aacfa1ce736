#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a command on a build of Gravel with MPICH, which nobody else uses meanwhile.
#
# usage: with_mpich.sh SOURCE FOLDER COMMAND...
#        FOLDER   set up for the build if it is not, with the kernels of POCL_CACHE_DIR; COMMAND builds what it needs
# exit:  COMMAND's; 77 MPICH is not there and cannot be installed; 1 the build cannot be set up
set -u

source=$1 build=$2
shift 2
reason=$("$source/tools/install-packages" mpich libmpich-dev) || { echo "skipped: $reason"; exit 77; }

exec 9>"$build.lock"
flock 9
[ -f "$build/build.ninja" ] ||
    meson setup "$build" "$source" -Dmpi_name=mpich -Dapps=disabled -Dbench=disabled -Doptimization=1 -Db_ndebug=true ||
    exit 1
mkdir -p "$build/tests/support" && ln -sfn "$POCL_CACHE_DIR" "$build/tests/support/kernel-cache" || exit 1

export HYDRA_LAUNCHER=fork
"$@" 9>&-

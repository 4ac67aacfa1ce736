#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks every litmus program of a folder, also those that were not there when the build was configured.
#
# usage: all_of.sh GRAVEL_HRF FOLDER [OPTION...]
# exit:  gravel-hrf's; 1 if the folder has no program
#
# Path: meson test -> this -> gravel-hrf, hrf/litmus and tests/hrf/protocols.
hrf=$1 folder=$2
shift 2
[ -n "$(find "$folder" -name '*.litmus' -print -quit)" ] || { echo "no program in $folder"; exit 1; }
exec "$hrf" "$@" "$folder"/*.litmus

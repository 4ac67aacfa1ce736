#!/bin/sh
# SPDX-License-Identifier: MIT
# The labels of memory-order edges in the code are those of the table in docs/memory-order.md, and each label
# stands at two ends at least.
#
# usage: labels.sh SOURCE
# exit:  0; 1 with the labels that are on one side only
#
# Path: cl/, lib/, include/ <-> docs/memory-order.md.
set -u

source=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1

# A label is a capital and a digit, standing alone in a comment. Comments are what follows / * or * on a line.
find cl lib include -name '*.[ch]' -o -name '*.cl' |
    xargs sed -n 's,^.*/\*\(.*\)$,\1,p; s,^ *\* \(.*\)$,\1,p' |
    grep -oE '(^|[^A-Za-z0-9_-])[A-Z][0-9]($|[^A-Za-z0-9_-])' | grep -oE '[A-Z][0-9]' |
    sort | uniq -c >"$work/counted"
awk '$2 !~ /^L[0-9]$/ { print $2 }' "$work/counted" | sort >"$work/code" # L1 and L2 are caches

# A row of the table starts with its labels: | P2, C1 | ...
sed -n 's/^| *\([A-Z][0-9][A-Z0-9, ]*\) *|.*/\1/p' docs/memory-order.md |
    grep -oE '[A-Z][0-9]' | sort -u >"$work/table"

code=0
for label in $(comm -23 "$work/code" "$work/table"); do
    echo "$label is in the code but not in docs/memory-order.md:"
    grep -rnE "\b$label\b" cl lib include | head -3
    code=1
done
for label in $(comm -13 "$work/code" "$work/table"); do
    echo "$label is in docs/memory-order.md but not in the code"
    code=1
done
[ $code -eq 0 ] && echo "$(wc -l <"$work/table") labels, the same in code and table"
exit $code

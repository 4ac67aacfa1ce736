#!/bin/sh
# SPDX-License-Identifier: MIT
# The labels of memory-order edges in the code are those of the table in docs/design/memory-order.md, each at
# two places at least but for the G's: a barrier has both ends at one. The other documents name no
# other labels; where a paragraph of theirs names labels and files, each label stands in one of these.
#
# usage: labels.sh SOURCE
# exit:  0; 1 with the labels that are on one side only, or in the wrong place
#
# Path: cl/, lib/, include/, bench/queue/ <-> docs/design/memory-order.md <-> README.md, CONTRIBUTING.md, docs/*/*.md.
set -u

source=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
code=0

# complain <what is wrong>
complain()
{
    echo "$1"
    code=1
}

# A label is a capital and a digit, standing alone. L1 to L3 are caches.
labels_of()
{
    grep -oE '(^|[^A-Za-z0-9_-])[A-Z][0-9]($|[^A-Za-z0-9_-])' | grep -oE '[A-Z][0-9]' | grep -v '^L'
}

# <label> <file>, for each time a comment names one. Comments are what follows / * or * on a line.
find cl lib include bench/queue -name '*.[ch]' -o -name '*.cl' | xargs awk '
    match($0, /\/\*|^ *\* /) {
        text = substr($0, RSTART)
        while (match(text, /[^A-Za-z0-9_-][A-Z][0-9]($|[^A-Za-z0-9_-])/)) {
            print substr(text, RSTART + 1, 2), FILENAME
            text = substr(text, RSTART + 3)
        }
    }' | grep -v '^L' | sort >"$work/places"
cut -d ' ' -f 1 "$work/places" | uniq -c | awk '$1 < 2 && $2 !~ /^G/ { print $2 }' >"$work/single"
cut -d ' ' -f 1 "$work/places" | uniq >"$work/code"

# A row of the table starts with its labels: | P2, C1 | ...
sed -n 's/^| *\([A-Z][0-9][A-Z0-9, ]*\) *|.*/ \1 /p' docs/design/memory-order.md |
    grep -oE '[A-Z][0-9]' | sort -u >"$work/table"

for label in $(comm -23 "$work/code" "$work/table"); do
    complain "$label is in the code but not in docs/design/memory-order.md:"
    grep "^$label " "$work/places" | head -3
done
for label in $(comm -13 "$work/code" "$work/table"); do
    complain "$label is in docs/design/memory-order.md but not in the code"
done
for label in $(cat "$work/single"); do
    complain "$label stands at one place only: $(grep "^$label " "$work/places")"
done

# stands_in <label> <file or end of its path>...
stands_in()
{
    label=$1
    shift
    for file in "$@"; do
        grep -qE "^$label (.*/)?$(echo "$file" | sed 's/\./\\./g')\$" "$work/places" && return
    done
    return 1
}

# The documents, paragraph by paragraph; a row of a table is one.
n_paragraphs=0
for document in README.md CONTRIBUTING.md docs/*/*.md; do
    [ "$document" = docs/design/memory-order.md ] && continue
    sed 's/^|/\n|/' "$document" | awk 'BEGIN { RS = "" } { gsub(/\n/, " "); print }' >"$work/paragraphs"
    grep -E '(^|[^A-Za-z0-9_-])[A-KM-Z][0-9]($|[^A-Za-z0-9_-])' "$work/paragraphs" >"$work/labelled"
    while read -r paragraph; do
        n_paragraphs=$((n_paragraphs + 1))
        files=$(echo "$paragraph" | grep -oE '`[a-z0-9_./]+\.(c|h|cl)`' | tr -d '`')
        for label in $(echo "$paragraph" | labels_of | sort -u); do
            if ! grep -qx "$label" "$work/table"; then
                complain "$document: docs/design/memory-order.md has no label $label: $paragraph"
            elif [ -n "$files" ] && ! stands_in "$label" $files; then
                complain "$document: $label stands in none of $(echo $files)"
            fi
        done
    done <"$work/labelled"
done
[ $code -eq 0 ] &&
    echo "$(wc -l <"$work/table") labels, in step in code, table and $n_paragraphs paragraphs of other documents"
exit $code

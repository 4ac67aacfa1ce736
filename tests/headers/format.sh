#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources are laid out as .clang-format says, and comments have up to 120 columns.
#
# usage: format.sh <source root>
# exit:  0; 1 after naming each line that is not; 77 (skip) without clang-format 14, whose layout this is
set -u

cd "$1" || exit 1
# The formatter leaves comments alone.
if LC_ALL=C.UTF-8 grep -rnE --include='*.[ch]' --include='*.hpp' --include='*.cl' '^.{121,}' include cl lib; then
    echo "longer than 120 columns"
    exit 1
fi

# A guard begins with the header's folder, which no other header's does.
if find lib -name '*.h' | sort | while read -r header; do
    room=$(echo "${header#lib/}" | cut -d/ -f1 | tr '[:lower:]' '[:upper:]')
    grep -q "^#ifndef GRAVEL_${room}_" "$header" || echo "$header: its guard is another folder's"
done | grep .; then
    exit 1
fi

# A comment behind a name that does not fit pushes the name down, away from its type: it belongs below.
if ! find include cl lib -name '*.[ch]' -o -name '*.cl' | sort | xargs awk '
    FNR == 1 { type = "" }
    type != "" && /^[ \t]+\*?\*?[a-z_0-9]+(\[[^]]*\])*( = [^;]*)?;[ \t]*\/\*/ { print FILENAME ":" FNR - 1 ":" type; found = 1 }
    { type = "" }
    /^[ \t]+((const|volatile|static|unsigned|struct|union|enum|global|local|_Atomic) )*[a-z_0-9]+( \*+)?$/ &&
        !/^[ \t]+(else|do)$/ { type = $0 }
    END { exit found }'; then
    echo "a line that is only a type: put the comment on a line of its own below the name"
    exit 1
fi

formatter=$(command -v clang-format-14 || command -v clang-format) ||
    { echo "skipped: clang-format is not installed"; exit 77; }
"$formatter" --version | grep -q 'version 14\.' ||
    { echo "skipped: not version 14: $("$formatter" --version)"; exit 77; }
find include cl lib apps bench examples hrf tests tools -name '*.[ch]' -o -name '*.cl' | sort |
    xargs "$formatter" --dry-run --Werror

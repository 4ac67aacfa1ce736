#!/bin/sh
# SPDX-License-Identifier: MIT
# The packages of debian/ build from what a clone has, without a word of lintian, and their tests run on them.
#
# usage: packages.sh SOURCE
# exit:  0; 1 with what went wrong; 77 without Debian's tools or what the packages are built from
#
# Path: debian/ -> dpkg-buildpackage -> this, debian/tests.
set -u

for tool in git dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    [ -f "$work/log" ] && tail -n 60 "$work/log"
    exit 1
}

mkdir "$work/gravel"
git -C "$1" ls-files -co --exclude-standard >"$work/files" ||
    { echo "skipped: $1 is no git repository"; exit 77; }
tar -C "$1" --ignore-failed-read -T "$work/files" -cf - 2>/dev/null | tar -C "$work/gravel" -xf -
cd "$work/gravel" || exit 1
# Debian's Python and Meson, whatever else PATH has; nothing of the caller's build.
unset CC CXX PYTHONPATH MALLOC_PERTURB_ GRAVEL_LIBRARY
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
dpkg-checkbuilddeps 2>"$work/log" || { echo "skipped: $(cat "$work/log")"; exit 77; }
dpkg-buildpackage -b -us -uc >"$work/log" 2>&1 || fail "the packages do not build"

# There is no request for the package that its changelog could close.
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs "$work"/*.deb >"$work/log" 2>&1 || fail "lintian fails"
grep -q '^[EW]: ' "$work/log" && fail "lintian says:"

for package in "$work"/*.deb; do
    dpkg -x "$package" "$work/unpacked"
done
libraries=$(dirname "$(find "$work/unpacked" -name libgravel.so)")
export C_INCLUDE_PATH="$work/unpacked/usr/include" PKG_CONFIG_PATH="$libraries/pkgconfig" LIBRARY_PATH="$libraries"
export LD_LIBRARY_PATH="$libraries" PYTHONPATH="$work/unpacked/usr/lib/python3/dist-packages"
debian/tests/build >"$work/log" 2>&1 || fail "examples on the packages:"
debian/tests/python >"$work/log" 2>&1 || fail "Python on the packages:"
grep -qx PASS "$work/log" || fail "Python on the packages does not pass:"
"$work/unpacked/usr/bin/gravel-info" --version >"$work/log" 2>&1 || fail "gravel-info of the packages:"
echo "$(find "$work" -maxdepth 1 -name '*.deb' | wc -l) packages, used"

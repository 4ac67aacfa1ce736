#!/bin/sh
# SPDX-License-Identifier: MIT
# The packages of debian/ build from what a clone has, without a word of lintian. dpkg installs them in a folder, with
# the dependencies that this machine has. There C, CMake, Meson and Python find Gravel; nothing is left when they go, nor
# does a clone have files that git does not know.
#
# usage: packages.sh SOURCE
# exit:  0; 1 with what went wrong; 77 without Debian's tools, CMake, or what the packages are built from
#
# Path: debian/ -> dpkg-buildpackage -> dpkg -> this, debian/tests, tests/headers/user.c.
set -u

for tool in git dpkg-buildpackage dh lintian cmake; do
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
# step <what> <command...>: what it prints is in $work/log.
step()
{
    what=$1
    shift
    "$@" >"$work/log" 2>&1 || fail "$what fails:"
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
git init -q && git add -A || fail "git does not take the files"
step "building the packages" dpkg-buildpackage -b -us -uc
git status --porcelain >"$work/log"
grep -q '^??' "$work/log" && fail "the build leaves files that git does not know:"

# There is no request for the package that its changelog could close.
step "lintian" lintian --allow-root --suppress-tags initial-upload-closes-no-bugs "$work"/*.deb
grep -q '^[EW]: ' "$work/log" && fail "lintian says:"

# The machine's list of packages goes with the folder, so that dependencies are what they would be. Scripts of packages
# run outside the folder; py3compile and py3clean of Debian do not know of it, so these here do their work.
root="$work/installed" files="$work/installed/usr/lib/python3/dist-packages/gravel"
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers" "$work/bin"
cp /var/lib/dpkg/status "$root/var/lib/dpkg"
printf '#!/bin/sh\nexec python3 -m compileall -q "%s"\n' "$files" >"$work/bin/py3compile"
printf '#!/bin/sh\nexec rm -rf "%s/__pycache__"\n' "$files" >"$work/bin/py3clean"
chmod +x "$work/bin/py3compile" "$work/bin/py3clean"

with_dpkg()
{
    PATH="$work/bin:$PATH" dpkg --root="$root" --log="$work/dpkg.log" --force-not-root --force-script-chrootless \
        --no-triggers "$@"
}
step "installing the packages" with_dpkg --install "$work"/*.deb
[ -f "$files/__pycache__/__init__.cpython-$(python3 -c 'import sys; print("%d%d" % sys.version_info[:2])').pyc" ] ||
    fail "the package for Python is installed without being compiled:"
ln -s /usr/share/javascript "$root/usr/share" # of libjs-sphinxdoc, on which libgravel-doc depends
step "the manual of the packages" tests/guide/manual.py . "$root/usr/share/doc/libgravel-doc/html"
libraries=$(dirname "$(find "$root/usr" -name libgravel.so)")
export C_INCLUDE_PATH="$root/usr/include" PKG_CONFIG_PATH="$libraries/pkgconfig" LIBRARY_PATH="$libraries"
export LD_LIBRARY_PATH="$libraries" PYTHONPATH="${files%/gravel}" PYTHONDONTWRITEBYTECODE=1
step "examples on the packages" debian/tests/build
step "Python on the packages" debian/tests/python
grep -qx PASS "$work/log" || fail "Python on the packages does not pass:"
step "gravel-info of the packages" "$root/usr/bin/gravel-info" --version

version=$(pkg-config --modversion gravel)
mkdir "$work/user"
cp tests/headers/user.c "$work/user"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(gravel REQUIRED)
add_executable(user user.c)
target_link_libraries(user gravel::gravel)
END
cat >"$work/user/meson.build" <<'END'
project('user', 'c')
executable('user', 'user.c', dependencies: dependency('gravel'))
END
step "find_package on the packages" cmake -S "$work/user" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$root/usr"
grep -q "^gravel_DIR:PATH=$root/" "$work/cmake/CMakeCache.txt" || fail "find_package finds another installation:"
step "CMake on the packages" cmake --build "$work/cmake"
step "the dependency of Meson on the packages" meson setup "$work/meson" "$work/user"
step "Meson on the packages" meson compile -C "$work/meson"
for built in cmake meson; do
    step "a program of $built on the packages" "$work/$built/user" "$version"
done

names=$(for package in "$work"/*.deb; do dpkg-deb -f "$package" Package; done)
# shellcheck disable=SC2086 # words of a command
step "removing the packages" with_dpkg --purge $names
left=$(find "$root" -path "$root/var" -prune -o -path '*gravel*' -print)
[ -z "$left" ] || fail "left by the packages: $left"
echo "$(echo "$names" | wc -l) packages, installed and used"

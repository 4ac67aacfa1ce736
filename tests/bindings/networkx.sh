#!/bin/sh
# SPDX-License-Identifier: MIT
# The backend of NetworkX in an environment of PyPI's packages, which is kept in the build's folder: its own tests, and
# NetworkX's of the functions that it has.
#
# usage: networkx.sh SOURCE BUILD
# exit:  0; 1 with what went wrong; 77 without a package index or venv
#
# Path: pyproject.toml, tests/support/pypi.sh -> this -> test_networkx.py, networkx_tests.py -> python/gravel/networkx.py
set -u

source=$1 build=$2
kept=$build/tests/bindings/networkx
unset PYTHONPATH MALLOC_PERTURB_
"$source/tests/support/pypi.sh" "$kept" 'networkx>=3.6,<3.7' 'scipy>=1.11' 'pandas>=2' pyopencl pytest || exit
python=$kept/bin/python

# As an installation of the package has it.
mkdir -p "$kept/entry/gravel-0.dist-info"
"$python" - "$source/pyproject.toml" >"$kept/entry/gravel-0.dist-info/entry_points.txt" <<'END' || exit 1
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    for group, entries in tomllib.load(file)["project"]["entry-points"].items():
        print("[%s]" % group, *("%s = %s" % entry for entry in entries.items()), sep="\n")
END
printf 'Metadata-Version: 2.1\nName: gravel\nVersion: 0\n' >"$kept/entry/gravel-0.dist-info/METADATA"
export PYTHONPATH="$source/python:$kept/entry:$source/tests/bindings" PYTHONDONTWRITEBYTECODE=1
export GRAVEL_LIBRARY="$build/lib/libgravel.so" GRAVEL_GRAPH_LIBRARY="$build/graph/libgravel-graph.so"

"$python" -m pytest -qx -p no:cacheprovider --tb=short -c /dev/null --rootdir "$source/tests/bindings" \
    "$source/tests/bindings/test_networkx.py" || exit 1
cd "$("$python" -c 'import networkx, os; print(os.path.dirname(networkx.__path__[0]))')" || exit 1
NETWORKX_TEST_BACKEND=gravel NETWORKX_FALLBACK_TO_NX=True exec "$python" -m networkx_tests

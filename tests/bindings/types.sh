#!/bin/sh
# SPDX-License-Identifier: MIT
# The package's types are whole, and fit each other.
#
# usage: types.sh SOURCE
# exit:  0; 1 with mypy's words; 77 without mypy, or without numpy where mypy runs
#
# Path: python/gravel -> this.
set -u

command -v mypy >/dev/null || { echo "skipped: no mypy"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{ echo '[mypy]'; printf '[mypy-%s.*]\nignore_missing_imports = True\n' pyopencl mpi4py networkx; } >"$work/ini"
cat >"$work/user.py" <<'END'
import sys
from typing import Any
import gravel
import gravel.graph
import numpy.typing
node: gravel.Node = gravel.open(heap_bytes="1M", check=True)
array: gravel.Array = node.array((2, 3), "u4")
event = node.program("", "empty.cl").count(6, None, array)
caught: type[MemoryError] = gravel.HeapError
hits: list[numpy.typing.NDArray[Any]] = []
stream = gravel.Stream("u4", lambda node, source, records: hits.append(records))
with gravel.open(streams={"hits": stream}, print_to=sys.stdout.write, print="own"):
    pass
with node.mirror(array, [[0, 5]]) as copies, node.accumulator(array, "max") as most:
    event = node.program("", "empty.cl").count(6, None, copies, most)
    shared: numpy.typing.NDArray[Any] = copies.get()
with node.flow({"fib": gravel.Channel("u4", "spawn", {"fib": 2})}, depth=3) as flow, node.deques() as deques:
    taken: numpy.typing.NDArray[Any] = flow.take("fib")
    counts: dict[str, int] = {**flow.stats, **flow.channel_stats("fib"), **deques.stats(), "groups": deques.n_groups}
    deques.launch(node.program("", "empty.cl").count, array)
node.launch_server(node.server_program("").serve, 10, array)
with gravel.graph.Graph(node, [0, 1], [1, 2], directed=False) as graph:
    levels: numpy.typing.NDArray[Any] = graph.bfs(0)
    ranks: numpy.typing.NDArray[Any] = graph.pagerank(tolerance=1e-9).ranks
    n_components: int = graph.components()[0]
wrong: int = node.step
END
cd "$1/python" && mypy --strict --config-file "$work/ini" --cache-dir "$work" gravel || exit 1
MYPYPATH=. mypy --strict --config-file "$work/ini" --cache-dir "$work" "$work/user.py" >"$work/log"
grep -q 'user.py:26: error: Incompatible types' "$work/log" && grep -q '^Found 1 error' "$work/log" && exit 0
grep -E 'No module named|Cannot find implementation.*numpy' "$work/log" && exit 77
cat "$work/log"
echo "a use of the package has other errors than the one that is there"
exit 1

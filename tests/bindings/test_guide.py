# SPDX-License-Identifier: MIT
"""The programs of README, the guide and examples/ as one node, as 4 loop-back nodes and as 2 ranks.

Path: README.md, docs/guide/python.md, docs/guide/notebook.ipynb, examples/pairs.py -> this -> python/gravel.
"""
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from processes import PLACES, lines_of

SOURCE = Path(__file__).parents[2]
PROGRAM = re.compile(r"`hist\.py`[^`]*?\n+```python\n(.*?)^```$", re.M | re.S)


def histogram_lines(n_nodes, n_processes):
    """What hist.py prints, by counting here: node, keys of its bins, messages to other nodes."""
    keys = [np.random.default_rng(rank).integers(0, 1000 * n_nodes, 1 << 20, np.uint32) % n_nodes
            for rank in range(n_processes)]
    for rank in range(n_processes):
        yield "%d %d %d" % (rank, sum(int((owners == rank).sum()) for owners in keys), int((keys[rank] != rank).sum()))


@pytest.mark.parametrize("place", PLACES)
def test_program(place, tmp_path):
    path = tmp_path / "hist.py"
    path.write_text(PROGRAM.search((SOURCE / "docs/guide/python.md").read_text(encoding="utf-8")).group(1), encoding="utf-8")
    said = lines_of(place, [path])
    assert set(histogram_lines(*place)) <= set(said), said


@pytest.mark.parametrize("place", [place for place in PLACES if place[0] == place[1]])  # loop-back nodes launch nothing
def test_pairs(place):
    said = lines_of(place, [SOURCE / "examples/pairs.py"])
    assert sum(line.endswith("all right") for line in said) == place[1], said


@pytest.mark.skipif(not os.path.exists(os.environ.get("GRAVEL_GRAPH_LIBRARY", "/")), reason="a build without graphs")
def test_graphs():
    """The block of Python that calls gravel.graph."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    program = re.search("^```python\n(import gravel.*?)^```$", text, re.M | re.S).group(1)
    assert ["[", "0", "1", "1", "4294967295", "4294967295]"] in [line.split() for line in lines_of((1, 1), ["-c", program])]


def test_notebook():
    """Its cells in order, and each of them once more behind the first run."""
    notebook = json.loads((SOURCE / "docs/guide/notebook.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    again = [cell for cell in cells[:-1] for _ in range(2)] + cells[-1:]
    said = lines_of((1, 1), ["-c", "\n".join(cells + again + ["print('%d cells', node)" % len(cells)])])
    assert "4 cells <gravel.Node 0 of 4, closed>" in said


def test_self_check():
    said = "\n".join(lines_of((1, 1), ["-m", "gravel"]))
    assert re.search(r"^gravel .*\ndevice .*\nstep .*\n(.*\n)*histogram .*: 0 .* wrong\n(.*\n)*PASS$", said, re.M), said

# SPDX-License-Identifier: MIT
"""Programs and libraries that people use, on the inputs of the applications.

A module here is a rival, and has the name of the library. It has NAME, PACKAGE (of PyPI, or None), and for each problem
that it solves a function of the problem's name. That takes the input (see problems.py) and the options, loads what the rival
computes on, and gives two functions back: one that computes, and is timed, and one that makes the answer of what the first one
returned. A rival that measures itself gives a third one, which makes seconds of that. It may have version(), if it is no library
that says its own, and threads(problem), if it does not take all cores.

Path: study/rival -> this -> networkit.py, graphblas.py, sklearn.py, igraph.py, networkx.py, torch.py, jellyfish.py, nest.py
"""
from study.rivals import graphblas, igraph, jellyfish, nest, networkit, networkx, sklearn, torch

RIVALS = (networkit, graphblas, sklearn, igraph, networkx, torch, jellyfish, nest)
BY_NAME = {rival.NAME: rival for rival in RIVALS}

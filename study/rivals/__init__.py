# SPDX-License-Identifier: MIT
"""Programs and libraries that people use, on the inputs of the applications.

A module here is a rival. It has NAME, PACKAGE (of PyPI, or None), version(), threads(), and for each problem
that it solves a function of the problem's name. That takes the input (see problems.py) and the options, loads what the rival
computes on, and gives two functions back: one that computes, and is timed, and one that tells what came out. A rival that
measures itself lets the first one return seconds.

Path: study/rival -> this -> networkit.py, graphblas.py, sklearn.py, igraph.py, networkx.py, torch.py, jellyfish.py, nest.py
"""
from study.rivals import graphblas, igraph, jellyfish, nest, networkit, networkx, sklearn, torch

RIVALS = (networkit, graphblas, sklearn, igraph, networkx, torch, jellyfish, nest)
BY_NAME = {rival.NAME: rival for rival in RIVALS}

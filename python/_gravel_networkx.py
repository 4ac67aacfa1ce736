# SPDX-License-Identifier: MIT
"""What NetworkX knows of its backend "gravel" as soon as it is imported: the functions, but not the library.

A module of its own, since importing the package loads the library and PyOpenCL.

Path: import networkx -> the entry point networkx.backend_info -> this; gravel/networkx.py has the functions.
"""
_ORDER = "In the order of NetworkX."
_WEIGHTS = "Weights are numbers of 0 or more, finite."
_TREES = "Algorithm kruskal, with the edges that NetworkX chooses of equal ones."
_UNDIRECTED = "Of graphs that are neither directed nor multigraphs, without weights."

FUNCTIONS = {
    "average_clustering": _UNDIRECTED,
    "betweenness_centrality": "Without weights. Of k nodes, those that NetworkX chooses.",
    "clustering": _UNDIRECTED,
    "connected_components": _ORDER,
    "core_number": "Of undirected graphs.",
    "dijkstra_path_length": _WEIGHTS,
    "greedy_color": "Strategy largest_first, without interchange, of undirected graphs.",
    "is_connected": "",
    "is_weakly_connected": "",
    "maximum_spanning_edges": _TREES,
    "maximum_spanning_tree": _TREES,
    "minimum_spanning_edges": _TREES,
    "minimum_spanning_tree": _TREES,
    "number_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": "In double precision, without nstart, and dangling nodes as the personalization says. " + _WEIGHTS,
    "shortest_path_length": "From a source, without Bellman-Ford. " + _WEIGHTS,
    "single_source_dijkstra_path_length": _ORDER + " Weights are numbers above 0, finite.",
    "single_source_shortest_path_length": _ORDER,
    "transitivity": _UNDIRECTED,
    "triangles": "",
    "weakly_connected_components": _ORDER,
}


def get_info():
    return {"backend_name": "gravel", "project": "gravel", "package": "gravel",
            "short_summary": "Graphs on any device of OpenCL: GPUs of all vendors, and CPUs.",
            "functions": {name: {"additional_docs": said} if said else {} for name, said in FUNCTIONS.items()}}

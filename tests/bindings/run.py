# SPDX-License-Identifier: MIT
"""Programs in Python as one node, as 4 loop-back nodes and as 2 ranks: those of README and the guide, or one of here.

usage: with_pyopencl.sh SOURCE BUILD run.py SOURCE (guide | calls | records | sharing | tasks | opens)
                                         [MPIRUN ARGUMENT...]
                                         with the last argument before the number of ranks
exit:  0; 1 with what went wrong

Path: README.md, docs/guide/python.md, docs/guide/notebook.ipynb, calls.py, communicator.py, ends.py, lock.py,
      opens.py, records.py, sharing.py, tasks.py -> this -> python/gravel.
"""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = re.compile(r"`(\w+\.py)`[^`]*?\n+```python\n(.*?)^```$", re.M | re.S)
# Without buffers print() writes a line and its end apart, and ranks write to one pipe.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
LIMIT_S = 240  # of a hundred nodes on a busy machine, too


class Runs:
    """How many nodes, and how they are started."""

    def __init__(self, mpirun):
        self.ways = {"one node": (1, 1, []), "4 loop-back nodes": (4, 1, [])}
        if mpirun:
            self.ways["2 ranks"] = (2, 2, mpirun + ["2"])
        else:
            print("left out: 2 ranks, without MPI")
        self.n_failed = 0

    def run(self, way, words):
        """@return (exit status, what it printed)"""
        n_nodes, n_processes, ahead = self.ways[way]
        settings = {} if n_processes > 1 else {"GRAVEL_TRANSPORT": "self", "GRAVEL_LOOPBACK": str(n_nodes)}
        ended = subprocess.run(ahead + [sys.executable] + words, env={**ENVIRONMENT, **settings}, timeout=LIMIT_S,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return ended.returncode, ended.stdout

    def expect(self, way, words, wanted, status=0):
        """@param wanted  patterns of lines, each once, in any order of ranks"""
        got, out = self.run(way, words)
        lines = out.splitlines()
        missing = [line for line in wanted if sum(bool(re.fullmatch(line, said)) for said in lines) != 1]
        if got == status and not missing:
            return
        self.n_failed += 1
        print("%s, %s: exit status %d, missing %s:\n%s" % (os.path.basename(words[-1]), way, got, missing, out))


def histogram_lines(n_nodes, n_processes):
    """What hist.py prints, by counting here: node, keys of its bins, messages to other nodes."""
    keys = [np.random.default_rng(rank).integers(0, 1000 * n_nodes, 1 << 20, np.uint32) % n_nodes
            for rank in range(n_processes)]
    for rank in range(n_processes):
        yield "%d %d %d" % (rank, sum(int((owners == rank).sum()) for owners in keys), int((keys[rank] != rank).sum()))


def first_screen(source):
    """README's block of Python, with its kernel, for what it counts on one node."""
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        text = file.read()
    kernel, host = (re.search("^```%s\n(.*?)^```$" % language, text, re.M | re.S).group(1)
                    for language in ("c", "python"))
    return "import numpy as np\nsource, block = %r, 100\ntargets = np.arange(1000, dtype=np.uint32) %% block\n%s" \
           "print('counted', sorted(set(mine.tolist())))\n" % (kernel, host)


def notebook(source):
    """docs/guide/notebook.ipynb as a program: its cells in order, and each of them once more behind the first run."""
    with open(os.path.join(source, "docs", "guide", "notebook.ipynb"), encoding="utf-8") as file:
        cells = ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    again = [cell for cell in cells[:-1] for _ in range(2)] + cells[-1:]
    return "\n".join(cells + again + ["print('%d cells', node)" % len(cells)])


def guide(source, runs, work):
    with open(os.path.join(source, "docs", "guide", "python.md"), encoding="utf-8") as file:
        programs = dict(PROGRAM.findall(file.read()))
    if list(programs) != ["hist.py", "gather.py", "fib.py", "hits.py"]:
        sys.exit("docs/guide/python.md has the programs %s" % list(programs))
    for name, text in programs.items():
        path = os.path.join(work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for way, (n_nodes, n_processes, _) in runs.ways.items():
            runs.expect(way, [path], histogram_lines(n_nodes, n_processes) if name == "hist.py" else [])
    runs.expect("one node", ["-c", first_screen(source)], [r"counted \[10\]"])
    runs.expect("one node", ["-c", notebook(source)], [r"4 cells <gravel.Node 0 of 4, closed>"])
    runs.expect("one node", ["-m", "gravel"], ["gravel .*", "device .*", "step .*", "histogram .*: 0 .* wrong", "PASS"])


def everywhere(runs, name):
    for way, (_, n_processes, _) in runs.ways.items():
        runs.expect(way, [os.path.join(HERE, name)], ["node %d: all right" % i for i in range(n_processes)])


def by_one(runs, program, *names):
    for name in names:
        runs.expect("one node", [os.path.join(HERE, program), name], [name + ": all right"])


def by_two(runs, program, *names, arguments=()):
    for name in names if "2 ranks" in runs.ways else ():
        wanted = ["%s %d: all right" % (name, rank) for rank in range(2)]
        runs.expect("2 ranks", [os.path.join(HERE, program), name, *arguments], wanted)


def communicator(runs):
    if not importlib.util.find_spec("mpi4py"):
        print("left out: communicators, without mpi4py")
    elif "2 ranks" in runs.ways:
        by_two(runs, "ends.py", "finalise_open")
        wanted = ["rank %d: all right" % rank for rank in range(2)]
        runs.expect("2 ranks", [os.path.join(HERE, "communicator.py")], wanted)


def calls(_, runs, work):
    everywhere(runs, "calls.py")
    by_one(runs, "ends.py", "interrupt", "interrupt_child", "interrupt_open", "left_open")
    by_one(runs, "lock.py", "free")
    by_two(runs, "ends.py", "raise_alone", "interrupt_alone", "interrupt_close", "sizes_differ")
    by_two(runs, "ends.py", "interrupt_open_alone", arguments=[work])
    by_two(runs, "lock.py", "kept")
    communicator(runs)


def records(_, runs, __):
    everywhere(runs, "records.py")


def sharing(_, runs, __):
    everywhere(runs, "sharing.py")
    by_two(runs, "ends.py", "raise_in_part")


def tasks(_, runs, __):
    everywhere(runs, "tasks.py")


def opens(_, runs, __):
    runs.expect("one node", [os.path.join(HERE, "opens.py")], ["opens: all right"])


def main(source, what, *mpirun):
    runs = Runs(list(mpirun))
    with tempfile.TemporaryDirectory() as work:
        {"guide": guide, "calls": calls, "records": records, "sharing": sharing, "tasks": tasks,
         "opens": opens}[what](source, runs, work)
    print("%s: %s" % (what, "%d failed" % runs.n_failed if runs.n_failed else "all right"))
    return bool(runs.n_failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

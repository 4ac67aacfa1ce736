#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run applications on what one run each does not show, and check how each run ends.

cases.py [--ranks N] [--every K] KIND PROGRAM...

KIND: a group of refusals.py       what must be refused, by one line, whatever the number of ranks; nothing on stdout
      refused ROWS, taken ROWS     files that must be refused, by program, file, line or record, and reason; or taken
      differing                    nodes that are given different options, or files, as node-local copies may be: refused
      smallest                     the smallest problem on 1 and 3 loop-back nodes: right; or refused, if one node is all
      output                       standard output is full, or closed, or the trace is: one line with the cause, and status 1
      rounds                       PROGRAM ARGUMENT...: as many rounds on any number of ranks
      spikes                       MICROCIRCUIT...: the same spikes on each step and any number of ranks; and in files
      kmers                        MER: what cannot be written whole leaves nothing that looks whole
      jellyfish                    MER FILE K OPTION...: the k-mers are those that jellyfish counts
Each case is a line of the output; those that failed say why. --every K takes each K-th row of ROWS.
Exit status 77: nothing here starts ranks, or jellyfish is not installed.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import refusals
import rows_graph
import rows_sequence
from run_app import check_bad, check_good, job, run

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
ROWS = {
    "refused graph": rows_graph.REFUSED, "refused sequence": rows_sequence.REFUSED,
    "taken graph": rows_graph.TAKEN, "taken sequence": rows_sequence.TAKEN,
}


def basename(path):
    return os.path.basename(path)


# ---- what is refused ---------------------------------------------------------------------------------------------------


def path_of(name, folder):
    """Returns where a row's file is: in tests/data, or the long sequence, which it writes to the folder."""
    return write(os.path.join(folder, name), rows_sequence.make_long()) if name == "long.fa" else os.path.join(DATA, name)


def of_refusals(at):
    """Programs of apps/chapter5 have names of others."""
    programs = {("chapter5/" if "/chapter5/" in path else "") + basename(path): path for path in at.programs}
    common = {"OCL_ICD_VENDORS": at.folder} if at.kind in refusals.WITHOUT_DEVICE else {}  # it is empty
    for name, words, text, *settings in refusals.GROUPS[at.kind]:
        if name in refusals.OF_GRAPH and name not in programs:
            continue
        words = words if isinstance(words, list) else words.split()
        words = [path_of(word, at.folder) if before == "-f" else word for before, word in zip([None] + words, words)]

        def case(words=[programs[name]] + words, text=text, settings=settings):
            check_bad(run(words, at.ranks, {**common, **dict(*settings)}), re.escape(text), words, at.ranks)
        yield (name, *words, *settings), case


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def of_files(at):
    for program in at.programs:
        for name, data, *tail in ROWS[at.kind][::at.every]:
            def case(program=program, path=os.path.join(at.folder, name), data=data, tail=tail):
                words = [program, "-q", "-n", "1", "-f", write(path, data)] + ["-v"] * (not tail)
                words += ["-k", "5"] if path.endswith(".fa") else []
                result = run(words, at.ranks)
                if not tail:
                    return check_good(result, words, at.ranks)
                place = r"(:\d+)?" if tail[0].startswith(": ") else ""
                wanted = re.escape("%s: %s" % (basename(program), path)) + place + re.escape(tail[0])
                return check_bad(result, "^" + wanted, words, at.ranks)
            yield (basename(program), name), case


# Files of as many bytes; of more of them, so that nodes want heaps of other sizes; what only a hash shows.
PAIRS = {
    "sssp": [("x.wel", "0 1 1\n1 2 2\n", "0 1 1\n1 2 7\n"), ("y.wel", "0 1 1\n1 2 2\n", "0 1 1\n1 2 2\n2 9 1\n")],
    "mer": [("x.fa", ">a\nACGTA\n", ">a\nACGTT\n")],
}
OTHERS = "not the same at node 1 as at node 0: give all nodes the same options and files"
OTHER_HEAPS = "nodes disagree: nodes differ in .*: give all nodes the same options and files"
OTHER_OPTIONS = "options: " + OTHERS
# What wants another program, another heap, or differs in nothing but the input: [both, node 0, node 1, what is said].
OPTIONS = {
    "gups": [("--table 4 --updates 4", "--model lane", "--model gravel", OTHER_OPTIONS)],
    "sssp": [("", "-g 4", "-g 5", OTHER_HEAPS)],
    "fib": [("", "3", "4", OTHER_OPTIONS)],
    "microcircuit": [("--scale 0.01", "--seed 1", "--seed 2", OTHER_OPTIONS)],
}


def of_differing(at):
    def differ(program, each, pattern):
        words = job(*((1, [program, "-q"] + own) for own in each))
        check_bad(run(words), "^%s: %s$" % (basename(program), pattern), [program], 2)
    for program in at.programs:
        for name, *texts in PAIRS.get(basename(program), []):
            paths = [write(os.path.join(at.folder, number, name), text) for number, text in zip("01", texts)]
            said = OTHER_HEAPS if name == "y.wel" else ".*%s: %s" % (re.escape(name), OTHERS)
            yield (basename(program), name), lambda program=program, paths=paths, said=said: differ(
                program, [["-n", "1", "-f", path] for path in paths], said)
        for both, first, second, said in OPTIONS.get(basename(program), []):
            each = [(both + " " + own).split() for own in (first, second)]
            yield (basename(program), both, first, second), lambda program=program, each=each, said=said: differ(
                program, each, said)


# ---- the smallest problems ---------------------------------------------------------------------------------------------

# Program: [arguments]; and how many loop-back nodes it takes.
SMALLEST = [
    ("atm", ["--orders 0 --accounts 2 --seed %d" % seed for seed in range(1, 3)], 1),
    ("boruvka", ["-u 0 -k 1"], 1),
    ("color", ["-u 0 -k 1"], 1),
    ("fib", ["0"], 3),
    ("gups", ["--table 0 --updates 0", "--table 0 --updates 0 --accumulate",
              "--table 0 --divergence if --items 0"], 3),
    ("hashtable", ["--items 0 --buckets 1"], 3),
    ("kmeans", ["-p 1 -k 1 -d 1"], 3),
    ("mer", ["-k 31 -f %s/mer/one.fa" % DATA], 3),
    ("microcircuit", ["--scale 0.001 --seconds 0.0001"], 1),
    ("mst", ["-u 0 -k 1"], 1),
    ("pagerank", ["-u 0 -k 1"], 1),
    ("queens", ["2"], 3),
    ("sort", ["1"], 3),
    ("sssp", ["-u 0 -k 1"], 1),
    ("strassen", ["16"], 3),
]
# Programs that print: an application, and those that do so by other means.
PRINTERS = [
    ("gups", ["-n 1 --table 0 --updates 0", "-n 1 --table 0 --updates 0 --json"]),
    ("gravel-info", ["", "--json", "--env", "--version", "--help"]),
    ("gravel-hrf", ["", "--json"]),
    ("gravel-conformance", ["--help"]),
]


def of_smallest(at):
    programs = {basename(path): path for path in at.programs}
    for name, words, n, n_most in ((name, words, n, most) for name, each, most in SMALLEST for words in each for n in (1, 3)):
        def case(words=[programs.get(name), "-n", "1", "-v"] + words.split(), n=n, n_most=n_most):
            result = run(words, settings={"GRAVEL_TRANSPORT": "self", "GRAVEL_LOOPBACK": str(n)})
            if n > n_most:
                return check_bad(result, "", words)
            return check_good(result, words)
        if name in programs:
            yield (name, words, n), case


def fail_to_print(words, what):
    cause = "Bad file descriptor" if what == "closed" else "No space left on device"
    with open("/dev/full", "w") as full, tempfile.TemporaryDirectory() as folder:
        os.symlink("/dev/full", folder + "/t.0.json")
        result = run(words, settings={"GRAVEL_TRACE": folder + "/t.json" if what == "trace" else ""},
                     stdout=subprocess.DEVNULL if what == "trace" else full,
                     preexec_fn=(lambda: os.close(1)) if what == "closed" else None)
    assert result.returncode == 1, "exit status %d: %s" % (result.returncode, result.stderr)
    check_bad(result, cause + "$", words)


def of_output(at):
    programs = {basename(path): path for path in at.programs}
    litmus = [path for path in at.programs if path.endswith(".litmus")]
    rows = [(name, words.split() + (litmus if name == "gravel-hrf" else [])) for name, each in PRINTERS for words in each]
    for name, words in rows:
        for what in ("full", "closed") + (("trace",) if name == "gups" else ()):
            if name in programs:
                yield (name, *words, what), lambda words=[programs[name]] + words, what=what: fail_to_print(words, what)


# ---- other runs and other programs -------------------------------------------------------------------------------------


def of_rounds(at):
    """And as many messages: one along each edge that is relaxed. The table of the job has all that nodes have sent."""
    names, first = ("rounds", "reached_vertices", "reached_edges", "source"), {}

    def case(ranks):
        words = at.programs + ["-n", "1", "-v", "--json"]
        result = run(words, ranks, {"GRAVEL_STATS": "1"})
        check_good(result, words, ranks)
        sent = sorted(re.findall(r"node (\d+): counters:.* sent_messages=(\d+)", result.stderr))
        lines = re.findall(r"gravel node 0: (.*)", result.stderr)
        lines = lines[[line[:9] for line in lines].index("messages "):][1:ranks + 2]
        rows = [[int(word) for word in line.split()[-ranks - 1:]] for line in lines]
        assert [str(row[-1]) for row in rows[:-1]] == [n for _, n in sent], result.stderr
        assert rows[-1] == [sum(column) for column in zip(*rows[:-1])], result.stderr
        report = json.loads(result.stdout)
        same = {name: report["parameters"][name] for name in names}
        same["messages"] = sum(node["messages"] for node in report["statistics"])
        assert first.setdefault("is", same) == same and same["messages"] >= same["reached_edges"], "%s, not %s" % (same, first["is"])
    for ranks in 1, 2, 3:
        yield (ranks,), lambda ranks=ranks: case(ranks)


STEPS = {"svm": {}, "pump": {"GRAVEL_STEP": "pump", "GRAVEL_HOST_CORES": "0", "POCL_MAX_PTHREAD_COUNT": "9"},
         "drain": {"GRAVEL_STEP": "drain"}}


def simulate(program, ranks, settings, *words):
    words = [program, "-n", "1", "-v", "--scale", "0.02", "--seconds", "0.01", "--json", *words]
    result = run(words, ranks, settings)
    check_good(result, words, ranks)
    return json.loads(result.stdout)["parameters"]


def recorded(folder, ranks):
    """Yields [(neuron, step)] of each file, which both formats of a rank have alike."""
    for rank in range(ranks):
        path = os.path.join(folder, "spikes.%d" % rank)
        with open(path + ".npy", "rb") as array, open(path + ".dat") as lines:
            head, rows = array.read(128), array.read()
            spikes = list(struct.iter_unpack("<II", rows))
            assert head.startswith(b"\x93NUMPY\1\0\x76\0{") and b"(%d,)" % len(spikes) in head, head
            assert lines.read().splitlines()[3:] == ["%d\t%.3f" % (neuron + 1, (step + 1) / 10) for neuron, step in spikes]
        yield spikes


def of_spikes(at):
    """And those of a serial program: each run is checked. On svm as on a GPU: pump's self-test refuses a busy CPU that is called one."""
    first = {}

    def case(program, ranks, step):
        report = simulate(program, ranks, STEPS[step])
        same = [report["spikes"], report["checksum"]]
        assert same[0] > 0 and first.setdefault("are", same) == same, "%s, not %s" % (same, first["are"])

    def record(ranks):
        for end in ".npy", ".dat":
            report = simulate(at.programs[0], ranks, {}, "--record", os.path.join(at.folder, "spikes" + end))
        spikes = sum(recorded(at.folder, ranks), [])
        assert len(set(spikes)) == len(spikes) == report["spikes"], "%d spikes" % len(spikes)
    rows = [(at.programs[0], ranks, step) for step in STEPS for ranks in (1, 2, 3)]
    for row in rows + [(program, ranks, "svm") for program in at.programs[1:] for ranks in (1, 2)]:
        yield (basename(row[0]), *row[1:]), lambda row=row: case(*row)
    yield ("recorded",), lambda: record(2)


LIMIT = 4 << 20  # bytes of a file; what OpenCL compilers write is less
N_BASES = 200000  # a line each, of 50 bytes


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write past the limit fails, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def of_kmers(at):
    bases = write(at.folder + "/bases.fa", ">random\n" + "".join(random.Random(1).choices("ACGT", k=N_BASES)) + "\n")
    folder = os.path.join(at.folder, "output")
    os.mkdir(folder)

    def case(pattern, left, path=os.path.join(folder, "kmers"), **how):
        words = at.programs + ["-q", "-n", "1", "-f", bases, "-o", path]
        result = run(words, settings={"GRAVEL_TRANSPORT": "self"}, **how)
        if pattern:
            check_bad(result, pattern, words)
        assert pattern or result.returncode == 0, result.stderr
        assert os.listdir(folder) == left, "there is: %s" % os.listdir(folder)
    yield ("full",), lambda: case("kmers.0: cannot write: File too large", [], preexec_fn=limit)
    yield ("absent",), lambda: case("cannot write: No such file or directory", [], os.path.join(folder, "absent", "kmers"))
    yield ("whole",), lambda: case("", ["kmers.0"])


def of_jellyfish(at):
    if not shutil.which("jellyfish"):
        print("jellyfish is not installed (Debian: jellyfish)")
        sys.exit(77)
    mer, path, k, *options = at.programs
    table, output = os.path.join(at.folder, "table"), os.path.join(at.folder, "mer")

    def counts(words):
        result = run(words, at.ranks if words[0] == mer else None)
        assert result.returncode == 0, result.stderr
        return [line.split() for line in result.stdout.splitlines()]

    def case():
        counts([mer, "-q", "-n", "1", "-k", k, "-f", path, "-o", output] + options)
        rows = []
        for rank in range(at.ranks or 1):  # each k-mer is in one of the files
            with open("%s.%d" % (output, rank)) as lines:
                rows += [line.split() for line in lines]
        assert len({row[0] for row in rows}) == len(rows), "a k-mer twice"
        assert all(len(row) == 10 for row in rows), "not 10 columns"
        for row in rows:  # no more neighbours than k-mers
            assert sum(map(int, row[2:6])) <= int(row[1]) >= sum(map(int, row[6:])), row
        counts(["jellyfish", "count", "-m", k, "-s", "1M", "-C", "-o", table, path])
        mine, right = ({row[0]: int(row[1]) for row in each} for each in (rows, counts(["jellyfish", "dump", "-c", table])))
        wrong = [(kmer, mine.get(kmer), right.get(kmer)) for kmer in mine.keys() | right.keys() if mine.get(kmer) != right.get(kmer)]
        assert right and not wrong, wrong[:5]
    yield at.programs[1:], case


# ---- the run -----------------------------------------------------------------------------------------------------------

KINDS = {**dict.fromkeys(refusals.GROUPS, of_refusals), **dict.fromkeys(ROWS, of_files), "differing": of_differing,
         "smallest": of_smallest, "output": of_output, "rounds": of_rounds, "spikes": of_spikes, "kmers": of_kmers,
         "jellyfish": of_jellyfish}
AT_ONCE = {**dict.fromkeys(refusals.WITHOUT_DEVICE, 5), "smallest": 2, "output": 2}  # without a device some wait


def fault_of(case):
    """Returns what is wrong with it; None if nothing is."""
    try:
        case()
    except (AssertionError, subprocess.TimeoutExpired) as failure:
        return str(failure) or "failed"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("programs", nargs=argparse.REMAINDER)
    at = parser.parse_args()
    with tempfile.TemporaryDirectory() as at.folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE.get(at.kind, 1)) as pool:
        cases = list(KINDS[at.kind](at))
        faults = list(pool.map(lambda case: fault_of(case[1]), cases))
    for (label, _), fault in zip(cases, faults):
        print("%s: %s" % (" ".join(map(str, label)), fault or "ok"))
    print("%d of %d as they should be" % (faults.count(None), len(cases)))
    return 0 if cases and not any(faults) else 1


if __name__ == "__main__":
    sys.exit(main())

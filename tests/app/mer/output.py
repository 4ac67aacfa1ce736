#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output that cannot be written whole leaves nothing that looks whole, and no run writes what another one does.

output.py MER
"""
import fcntl
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile

LIMIT = 4 << 20  # bytes of a file; what OpenCL compilers write is less
N_BASES = 200000  # a line each, of 50 bytes


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write past the limit fails, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def run(program, path, output, before):
    return subprocess.run([program, "-q", "-n", "1", "-f", path, "-o", output], text=True, timeout=100, preexec_fn=before,
                          env=dict(os.environ, GRAVEL_TRANSPORT="self"), stdin=subprocess.DEVNULL,
                          capture_output=True)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w", suffix=".fa") as bases:
        path = bases.name
        bases.write(">random\n" + "".join(random.Random(1).choices("ACGT", k=N_BASES)) + "\n")
        bases.flush()
        output = os.path.join(folder, "kmers")
        result = run(program, path, output, limit)
        print(result.stdout, result.stderr)
        assert result.returncode != 0, "exit status 0"
        assert "%s.0: cannot write: File too large" % output in result.stderr, "no reason"
        assert os.listdir(folder) == [], "left: %s" % os.listdir(folder)
        result = run(program, path, os.path.join(folder, "absent", "kmers"), None)
        assert "cannot write: No such file or directory" in result.stderr, result.stderr
        assert result.stdout == "", "trials before: %s" % result.stdout
        with open(output + ".0.part", "w") as others:  # as a run that still writes it, and then as one that was killed
            fcntl.flock(others, fcntl.LOCK_EX)
            result = run(program, path, output, None)
            assert result.returncode == 1 and result.stdout == "", "exit status %d" % result.returncode
            assert "%s.0: cannot write: another run is writing it" % output in result.stderr, result.stderr
            assert os.listdir(folder) == ["kmers.0.part"], "there is: %s" % os.listdir(folder)
        result = run(program, path, output, None)
        assert result.returncode == 0 and result.stderr == "", "cannot write at all: " + result.stderr
        assert os.listdir(folder) == ["kmers.0"], "there is: %s" % os.listdir(folder)
        with open(output + ".1", "w"):
            result = run(program, path, output, None)
        assert result.returncode == 0 and "kmers.1 is of an earlier run on more nodes" in result.stderr, result.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output that cannot be written whole leaves nothing that looks whole.

output.py MER
"""
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
        assert run(program, path, output, None).returncode == 0, "cannot write at all"
        assert os.listdir(folder) == ["kmers.0"], "there is: %s" % os.listdir(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Graph files that every graph application must refuse, and odd ones that it must take.

REFUSED has (file name, bytes, what follows the name in the one line), TAKEN (file name, bytes).
"""
import bz2
import gzip
import random

MTX = "%%MatrixMarket matrix coordinate "
JUNK = random.Random(1).randbytes(5000)
PACKED = gzip.compress(b"0 1\n1 2\n2 3\n3 0\n0 2\n", mtime=0)


def flipped(data, index):
    return data[:index] + bytes([data[index] ^ 1]) + data[index + 1:]


REFUSED = [
    ("oneway.graph", "3 1\n2\n3\n\n", ":5: an edge is not in the rows of both its ends"),
    ("past.el", "0 4294967295\n", ":1: vertex 4294967295 is not in 0..4294967294"),
    ("upper.mtx", MTX + "pattern symmetric\n2 2 1\n1 2\n", ":3: entry 1 2 is not in the lower triangle"),
    ("cut.el.gz", PACKED[:-9], ": the compressed data end early"),
    ("damaged.el.gz", flipped(PACKED, len(PACKED) - 6), ": bad compressed data"),
    ("zeros.el.gz", PACKED + bytes(16) + b"x", ":6: the compressed data end early"),
    ("behind.el.gz", PACKED + b"3 4\n", ":6: bad compressed data: incorrect header check"),
    ("packed.el", bz2.compress(b"0 1\n"), ":1: vertex 'BZh91AY"),
    ("less.el", "0 1\n".encode("utf-16-le"), ":1: is no text: byte 2 is 0x00; plain text and gzip are read"),
    ("galois.el", bytes([1, 0, 0, 0, 0, 0, 0, 0, 4]) + bytes(7), ":1: is no text: byte 1 is 0x01"),
    ("stream.el", b"\x78\x9c\x33\x50\x30", ":1: is no text: byte 2 is 0x9c"),
    ("begun.el.gz", PACKED + b"\x1f\x8b", ":6: the compressed data end early"),
    ("other.el.gz", PACKED + b"\x1f\x8c", ":6: bad compressed data: incorrect header check"),
    ("word.txt", "1" * 200000, ":1: a word of more than 65535 bytes"),
    ("bomb.el.gz", gzip.compress(b"#" * (96 << 20), 9, mtime=0), ": expands to more than 200 times"),
    ("graph.sg", JUNK, ": unknown suffix; known, each also with .gz: .graph .mtx"),
] + [("junk" + suffix, JUNK, ":") for suffix in (".graph", ".mtx", ".el", ".wel", ".txt", ".tsv", ".el.gz")]

# Shortest paths have no sense with them.
NEGATIVE = [
    ("less.wel", "0 1 2\n1 2 -2.5\n", ":2: weight -2.5 is negative"),
    ("less.tsv", "0 1 2 7\n1 2 -1 8\n", ":2: weight -1 is negative"),
    ("less.mtx", MTX + "integer general\n2 2 1\n1 2 -4\n", ":3: weight -4 is negative"),
    ("little.wel", "0 1 5\n0 1 -1e-50\n", ":2: weight -1e-50 is negative"),
]

TAKEN = [
    ("members.el.gz", PACKED + gzip.compress(b"", mtime=0) + PACKED + bytes(512)),
    ("old.el", "# three edges\r0 1\r1 2\r2 0\r"),
    ("crlf.mtx", MTX + "pattern symmetric\r\n% x\r\n3 3 2\r\n2 1\r\n3 2\r\n"),
    ("unended.el", "0 1\n1 2\n2 0"),
    ("twice.el", "0 1\n0 1\n1 1\n1 0\n2 2\n"),
]

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
NOT_METIS = ": the file has no header line"
NOT_MTX = ":1: the first line does not start with %%MatrixMarket"
NOT_DIMACS = ": the line \"p sp n m\" is missing"


def flipped(data, index):
    return data[:index] + bytes([data[index] ^ 1]) + data[index + 1:]


REFUSED = [
    # Empty, or nothing but comments.
    ("empty.graph", "", ":1" + NOT_METIS),
    ("empty.mtx", "", NOT_MTX),
    ("empty.el", "", ":1: the file has no edges"),
    ("empty.wel", "", ":1: the file has no edges"),
    ("empty.txt", "# nothing\n\n% here\n", ":4: the file has no edges"),
    ("empty.tsv", "\n\n", ":3: the file has no edges"),
    ("empty.gr", "c nothing\n", ":2" + NOT_DIMACS),
    ("empty.el.gz", gzip.compress(b"", mtime=0), ":1: the file has no edges"),
    # A header and no body; no vertices.
    ("header.graph", "3 2\n", ":2: the file ends after 0 of 3 vertices"),
    ("header.mtx", MTX + "pattern general\n3 3 2\n", ":3: the file ends after 0 of 2 entries"),
    ("header.gr", "p sp 3 2\n", ":2: the file ends after 0 of 2 arcs"),
    ("nobody.graph", "0 0\n", ":2: the graph has no vertices"),
    ("nobody.mtx", MTX + "pattern general\n0 0 0\n", ":3: the graph has no vertices"),
    ("nobody.gr", "p sp 0 0\n", ":2: the graph has no vertices"),
    # Counts and body disagree.
    ("more.graph", "2 1\n2\n1\n1\n", ":4: more lines than the declared 2 vertices"),
    ("more.mtx", MTX + "pattern general\n2 2 1\n1 2\n2 1\n", ":4: more than the declared 1 entries"),
    ("more.gr", "p sp 2 1\na 1 2 3\na 2 1 3\n", ":3: more than the declared 1 arcs"),
    ("fewer.graph", "2 2\n2\n1\n", ":4: 2 neighbours in all, but 2 edges need 4"),
    ("oneway.graph", "3 1\n2\n3\n\n", ":5: row 1 lists 2 more often than row 2 lists 1"),
    # Vertices out of range.
    ("zero.graph", "2 1\n0\n1\n", ":2: neighbour 0 is not in 1..2"),
    ("zero.mtx", MTX + "pattern general\n2 2 1\n0 2\n", ":3: row 0 is not in 1..2"),
    ("zero.gr", "p sp 2 1\na 0 2 3\n", ":2: vertex 0 is not in 1..2"),
    ("past.graph", "2 1\n2\n3\n", ":3: neighbour 3 is not in 1..2"),
    ("past.mtx", MTX + "pattern general\n2 2 1\n1 3\n", ":3: column 3 is not in 1..2"),
    ("past.gr", "p sp 2 1\na 1 3 3\n", ":2: vertex 3 is not in 1..2"),
    ("past.el", "0 4294967295\n", ":1: vertex 4294967295 is not in 0..4294967294"),
    ("negative.el", "0 1\n1 -2\n", ":2: vertex -2 is not in 0..4294967294"),
    ("large.el", "0 9223372036854775808\n", ":1: vertex 9223372036854775808 is not in"),
    ("larger.gr", "p sp 2 1\na 1 18446744073709551618 3\n", ":2: vertex 18446744073709551618 is not in"),
    ("sparse.el", "0 4294967294\n", ":2: 4294967295 vertices are too many for 1 edges"),
    # Numbers that are none, or missing, or too many.
    ("word.el", "0 one\n", ":1: vertex 'one' is not a whole number"),
    ("half.el", "0 1\n1\n", ":2: vertex is missing"),
    ("long.el", "0 1 2\n", ":1: '2' is one word too many"),
    ("ragged.txt", "0 1\n1 2 3\n", ":2: '3' is one word too many"),
    ("nan.wel", "0 1 nan\n", ":1: weight 'nan' is not a decimal number"),
    ("heavy.wel", "0 1 1e99\n", ":1: weight 1e99 is too large for a float"),
    ("bare.wel", "0 1\n", ":1: weight is missing"),
    # Matrices that are no graphs.
    ("complex.mtx", MTX + "complex general\n1 1 0\n", ":1: complex entries cannot be edge weights"),
    ("array.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", ":1: an array is a dense matrix"),
    ("hermitian.mtx", MTX + "real hermitian\n", ":1: symmetry 'hermitian' is not"),
    ("unsigned.mtx", MTX + "pattern skew-symmetric\n", ":1: a pattern has no sign"),
    ("wide.mtx", MTX + "real general\n2 3 1\n1 1 1\n", ":2: a graph needs a square matrix, not 2 x 3"),
    ("upper.mtx", MTX + "pattern symmetric\n2 2 1\n1 2\n", ":3: entry 1 2 is not in the lower triangle"),
    # Compressed: cut, damaged, and far larger than they look.
    ("cut.el.gz", PACKED[:-9], ": the compressed data end early"),
    ("damaged.el.gz", flipped(PACKED, len(PACKED) - 6), ": bad compressed data"),
    ("behind.el.gz", PACKED + b"3 4\n", ":6: what follows the compressed data, from byte"),
    ("begun.el.gz", PACKED + PACKED[:1], ":6: the compressed data end early"),
    ("packed.el", bz2.compress(b"0 1\n"), ":1: is compressed by bzip2; plain text and gzip are read"),
    ("mark.el", b"\xef\xbb\xbf0 1\n", ":1: is text behind a byte order mark (UTF-8)"),
    ("wide.el", "\ufeff0 1\n".encode("utf-16-le"), ":1: is text of UTF-16 or UTF-32, by its byte order mark"),
    ("less.el", "0 1\n".encode("utf-16-le"), ":1: is text of UTF-16 or UTF-32, or none, by zeros among"),
    ("great.mtx", (MTX + "\n").encode("utf-16-be"), ":1: is text of UTF-16 or UTF-32, or none, by zeros among"),
    ("packed.gr.gz", gzip.compress("p sp 1 0\n".encode("utf-32-be"), mtime=0), ":1: expands to what is text of UTF-16 or UTF-32, or none"),
    ("bomb.el.gz", gzip.compress(b"#" * (96 << 20), 9, mtime=0), ": expands to more than 200 times"),
    # Not what the name says.
    ("graph.sg", JUNK, ": unknown suffix; known, each also with .gz: .graph .mtx"),
    ("graph", "0 1\n", ": unknown suffix"),
    ("list.mtx", "0 1\n", NOT_MTX),
    ("list.gr", "0 1\n", ":1: '0' before the line"),
    ("word.el", "1" * 70000, ":1: a word of more than 65535 bytes"),
] + [("junk" + suffix, JUNK, ":") for suffix in (".graph", ".mtx", ".el", ".wel", ".txt", ".tsv", ".gr", ".el.gz")]

# Shortest paths have no sense with them.
NEGATIVE = [
    ("less.wel", "0 1 2\n1 2 -2.5\n", ":2: weight -2.5 is negative"),
    ("less.tsv", "0 1 2 7\n1 2 -1 8\n", ":2: weight -1 is negative"),
    ("less.mtx", MTX + "integer general\n2 2 1\n1 2 -4\n", ":3: weight -4 is negative"),
    ("little.wel", "0 1 5\n0 1 -1e-50\n", ":2: weight -1e-50 is negative"),
    ("skew.mtx", MTX + "real skew-symmetric\n2 2 1\n2 1 1\n", ":3: a skew-symmetric matrix has negative weights"),
]

TAKEN = [
    ("members.el.gz", PACKED + gzip.compress(b"", mtime=0) + PACKED + bytes(512)),
    ("old.el", "# three edges\r0 1\r1 2\r2 0\r"),
    ("crlf.mtx", MTX + "pattern symmetric\r\n% x\r\n3 3 2\r\n2 1\r\n3 2\r\n"),
    ("unended.el", "0 1\n1 2\n2 0"),
    ("comments.gr", "c a\np sp 3 2\nc b\na 1 2 5\n\nc c\na 2 3 1\nc d\n"),
    ("twice.el", "0 1\n0 1\n1 1\n1 0\n2 2\n"),
]

# SPDX-License-Identifier: MIT
"""Graph files that every graph application must refuse, and odd ones that it must take.

REFUSED has (file name, bytes, what follows the name in the one line), TAKEN (file name, bytes).
"""
import gzip
import random

JUNK = random.Random(1).randbytes(5000)
NO_VERTEX = ":1: vertex is not a whole number of 0 to 4294967294"

REFUSED = [
    ("past.el", "0 4294967295\n", NO_VERTEX),
    ("packed.el", gzip.compress(b"0 1\n", mtime=0), NO_VERTEX),
    ("wide.el", "0 1\n".encode("utf-16-le"), NO_VERTEX),
    ("junk.el", JUNK, ":"),
    ("nul.el", b"\0" + JUNK, NO_VERTEX),
    ("word.txt", "1" * 200000, NO_VERTEX),
    ("konect.tsv", "% sym unweighted\n1 2\n", NO_VERTEX),
    ("market.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", NO_VERTEX),
    ("metis.graph", "3 2\n2\n1 3\n2\n", ":2: vertex is not a whole number of 0 to 4294967294"),
]

TAKEN = [
    ("crlf.wel", "# x\r\n\r\n0 1 4\r\n1 2 3\r\n"),
    ("unended.el", "0 1\n1 2\n2 0"),
    ("twice.el", "0 1\n0 1\n1 1\n1 0\n2 2\n"),
]

# SPDX-License-Identifier: MIT
"""Sequence files that mer must refuse, odd ones that it must take, and a long one, which the program prints.

REFUSED has (file name, bytes, what follows the name in the one line), TAKEN (file name, bytes).
"""
import bz2
import gzip
import random
import textwrap

JUNK = random.Random(1).randbytes(5000)

REFUSED = [
    ("empty.fa", "", ": holds no sequence"),
    ("blank.fa", "\n\r\n\n", ": holds no sequence"),
    ("bare.fa", "ACGT\n", ": begins with 'A', and FASTA with '>'"),
    ("junk.fa", b"\x01" + JUNK, ": begins with byte 0x01, and FASTA"),
    ("middle.fa", b">one\nACGT\n" + JUNK, ":"),
    ("nul.fa", b">one\nAC\0GT\n", ":2: byte 0x00 is no base"),
    ("digit.fa", ">one\nACGT\n>two\nAC7T\n", ":4: '7' is no base"),
    ("high.fa", b">one\nAC\xc3\xa4T\n", ":2: byte 0xc3 is no base"),
    ("mixed.fa", ">one\nACGT\n@two\nACGT\n+\nIIII\n", ":3: '@' is no base"),
    ("plus.fa", ">one\nACGT\n+\nIIII\n", ":3: '+' is no base"),
    ("old.fa", b">one\rACGTACGT\r>two\rACGTA\r\n", ":1: lines end in CR"),
    ("mark.fa", b"\xef\xbb\xbf>one\nACGT\n", ": begins with byte 0xef"),
    ("packed.fa", gzip.compress(b">one\nACGT\n", mtime=0), ": begins with byte 0x1f"),
    ("packed.fa", bz2.compress(b">one\nACGT\n"), ": begins with 'B', and FASTA with '>'"),
]

TAKEN = [
    ("lines.fa", b">one\r\nACGT\r\n\r\nNNacgt\r\n>none\r\n>two\r\nRYKM-acgtacgtacgt"),
    ("line.fa", b">one line\n" + b"ACGTTGCAAC" * 20000),
    ("last.fa", b">one\nACGTACGT\n>no bases"),
]


def make_long():
    """Returns a sequence longer than two pieces of 4096 k-mers, with unknown bases, and a part of its other strand."""
    bases = "".join(random.Random(2).choices("ACGT", k=9000))
    other = bases[1000:3500][::-1].translate(str.maketrans("ACGT", "tgca"))
    bases = bases[:4000] + "NNN" + bases[4000:6000] + "RYK" + bases[6000:]
    return ">long\n%s\n>turned\n%s\n" % (textwrap.fill(bases, 70), textwrap.fill(other, 70))


if __name__ == "__main__":
    print(make_long(), end="")

# SPDX-License-Identifier: MIT
"""Sequence files that mer must refuse, and odd ones that it must take.

REFUSED has (file name, bytes, what follows the name in the one line), TAKEN (file name, bytes).
"""
import bz2
import gzip
import lzma
import random

JUNK = random.Random(1).randbytes(5000)
PACKED = gzip.compress(b">one\nACGTACGT\n>two\nACGT\n", mtime=0)

REFUSED = [
    ("empty.fa", "", ": holds no sequence"),
    ("blank.fa", "\n\r\n\n", ": holds no sequence"),
    ("empty.fa.gz", gzip.compress(b"", mtime=0), ": holds no sequence"),
    ("bare.fa", "ACGT\n", ": begins with 'A': neither FASTA ('>') nor FASTQ ('@')"),
    ("junk.fa", b"\x01" + JUNK, ": is no text: byte 1 is 0x01"),
    ("nul-ahead.fa", b"\0>one\nACGT\n", ": is no text: byte 1 is 0x00"),
    ("middle.fa", b">one\nACGT\n" + JUNK, ":"),
    ("nul.fa", b">one\nAC\0GT\n", ":2: byte 0x00 is no base"),
    ("digit.fa", ">one\nACGT\n>two\nAC7T\n", ":4: '7' is no base"),
    ("high.fa", b">one\nAC\xc3\xa4T\n", ":2: byte 0xc3 is no base"),
    ("mixed.fa", ">one\nACGT\n@two\nACGT\n+\nIIII\n", ":3: '@', where '>' begins a record"),
    ("plus.fa", ">one\nACGT\n+\nIIII\n", ":3: a quality, in a FASTA file"),
    ("short.fq", "@r\nACGT\n+\nIII\n", ":5: 4 bases, and a quality of 3"),
    ("long.fq", "@r\nACGT\n+\nIIII\nI\n", ":5: 'I', where '@' begins a record"),
    ("longer.fq", "@r\nACGT\n+\nIIIII\n", ":4: 4 bases, and a quality of 5"),
    ("none.fq", "@r\nACGT\n@s\nACGT\n+\nIIII\n", ":3: a record without a quality, in a FASTQ file"),
    ("unended.fq", "@r\nACGT\n+\n", ":4: the file ends before the quality of its last record"),
    ("quality.fq", b"@r\nACGT\n+\nII\x7fI\n", ":4: byte 0x7f is no quality"),
    ("plus.fq", "@r\nACGT\n+", ":3: the file ends before the quality of its last record"),
    ("mark.fa", b"\xef\xbb\xbf>one\nACGT\n", ": is no text: byte 1 is 0xef"),
    ("wide.fa", ">one\nACGT\n".encode("utf-16"), ": is no text: byte 1 is 0xff"),
    ("wide.fq", "@r\nACGT\n+\nIIII\n".encode("utf-16-le"), ": is no text: byte 2 is 0x00"),
    ("packed.fa", bz2.compress(b">one\nACGT\n"), ": begins with 'B': neither FASTA ('>') nor FASTQ ('@')"),
    ("packed.fa", lzma.compress(b">one\nACGT\n"), ": is no text: byte 1 is 0xfd; plain text and gzip are read"),
    ("packed.fq", b"\x28\xb5\x2f\xfd\x24\x05", ": is no text: byte 2 is 0xb5"),
    ("twice.fa.gz", gzip.compress(PACKED, mtime=0), ": expands to no text: byte 1 is 0x1f"),
    ("behind.fa.gz", PACKED + b">three\nACGT\n", ":5: bad compressed data: incorrect header check"),
    ("begun.fa.gz", PACKED + PACKED[:1], ":5: the compressed data end early"),
    ("cut.fa.gz", PACKED[:-9], ": the compressed data end early"),
    ("damaged.fa.gz", PACKED[:-6] + b"\0\0" + PACKED[-4:], ": bad compressed data"),
]

TAKEN = [
    ("lines.fa", b">one\r\nACGT\r\n\r\nNNacgt\r\n>none\r\n>two\r\nRYKM-acgtacgtacgt"),
    ("line.fa", b">one line\n" + b"ACGTTGCAAC" * 20000),
    ("old.fa", b">one\rACGTACGT\r>two\rACGTA\r"),
    ("members.fa.gz", PACKED + PACKED + bytes(512)),
    ("last.fa", b">one\nACGTACGT\n>no bases"),
]

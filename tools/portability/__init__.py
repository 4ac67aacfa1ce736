# SPDX-License-Identifier: MIT
"""The parts of tools/matrix, in the order they are used:

catalogue.py  which implementations there are, on which steps, and what is expected of each
place.py      where commands run: here, or in a chroot
debian.py     makes a chroot, debian13.py one with Gravel built in it; intel.py fetches Intel's CPU runtime
parts.py      what runs of flow, serve, steal and hrf
measure.py    runs self-test, conformance, ledger, parts and benchmarks, and judges
table.py      prints
"""

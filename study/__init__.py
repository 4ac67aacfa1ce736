# SPDX-License-Identifier: MIT
"""The tables and figures of Orr 2016, chapters 3 and 5, measured again: the parts of study/figures.

catalogue.py lists the figures, a module each, in the order of the dissertation. A figure measures rows (place.py runs
programs, rounds.py lets rivals take turns), which data.py keeps in a file; from that file, here or on another machine,
come its table (page.py) and its plot (draw.py).
"""

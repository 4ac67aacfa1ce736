# SPDX-License-Identifier: MIT
"""Table 3-2: lines of GUPS in each model of GPU networking."""
from study import lines

NAME = "table-3-2"
TITLE = "Table 3-2: lines of code of GUPS in each model"
AS_PUBLISHED = {"coprocessor": 342, "lane": 193, "coalesced": 318, "gravel": 193}
PUBLISHED = "coprocessor 342, coalesced APIs 318, message per lane and Gravel 193"


def measure(_place):
    return [{"model": model, "gups": own, "besides": besides, "lines": own + besides, "command": "study/lines.py"}
            for model, (own, besides) in lines.of_models().items()]


def ratio(counts, model):
    return counts[model] / counts["gravel"]


def table(rows):
    counts = {row["model"]: row["lines"] for row in rows}
    heads = ["model", "application", "besides", "lines", "/ Gravel", "published: lines", "/ Gravel"]
    return heads, [[row["model"], str(row["gups"]), str(row["besides"]), str(row["lines"]),
                    ratio(counts, row["model"]), str(AS_PUBLISHED[row["model"]]),
                    ratio(AS_PUBLISHED, row["model"])] for row in rows]

# SPDX-License-Identifier: MIT
"""Table 5-4: share of messages that are for other nodes, and mean size of a message on the network."""
from study import figure_5_8, runs
from study.workloads import WORKLOADS

NAME = "table-5-4"
TITLE = "Table 5-4: remote messages, and the mean size of a network message"
PUBLISHED = "on 8 nodes; the two columns on the right"
AS_PUBLISHED = {"GUPS": (87.5, 65440), "PR-1": (37.7, 64611), "PR-2": (16.5, 15700), "SSSP-1": (30.0, 1563),
                "SSSP-2": (16.2, 57916), "color-1": (36.7, 27258), "color-2": (16.5, 9463), "kmeans": (87.5, 5656),
                "mer": (87.5, 64822)}


def measure(place):
    return place.each(WORKLOADS, lambda workload: [runs.once(place, figure_5_8.run, workload, max(place.ranks))])


def table(rows):
    heads = ["", "ranks", "remote %", "mean bytes", "published: remote %", "mean bytes"]
    return heads, [[row["workload"], str(row["ranks"]), "%.1f" % (100 * (row["remote_share"] or 0)),
                    "%.0f" % (row["mean_bytes"] or 0), "%.1f" % AS_PUBLISHED[row["workload"]][0],
                    str(AS_PUBLISHED[row["workload"]][1])] for row in rows]


def draw(rows, draw):
    names = [row["workload"] for row in rows]
    return draw.bars(names, {"measured, %d ranks" % rows[0]["ranks"]: [row["mean_bytes"] for row in rows],
                             "published, 8 nodes": [AS_PUBLISHED[name][1] for name in names]},
                     "mean bytes of a network message", log_y=True)

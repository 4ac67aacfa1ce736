# SPDX-License-Identifier: MIT
"""Plots: one look for all figures, PNG and SVG. Imported only where matplotlib is."""
import os

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 - after the choice of a backend

matplotlib.rcParams.update({"font.size": 8, "axes.titlesize": 9, "axes.grid": True, "grid.alpha": 0.3,
                            "svg.fonttype": "none", "svg.hashsalt": "gravel", "lines.markersize": 4,
                            "legend.fontsize": 7, "axes.axisbelow": True})


def save(figure, head, stem):
    figure.suptitle("%s\n%s, step %s" % (head["title"], head["device"], head["step"]), fontsize=8)
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig("%s.%s" % (stem, kind), dpi=110, metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)
    return ["%s.%s" % (os.path.basename(stem), kind) for kind in ("png", "svg")]


def save_chart(figure, path, source):
    """A chart of docs/results; source: of what data, in its metadata."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Source": source})
    plt.close(figure)


def lines(series, xlabel, ylabel, log_y=True):
    """series: {name: [(x, y)]}; x in powers of two."""
    figure, axes = plt.subplots(figsize=(5.2, 3.2))
    for name, points in series.items():
        axes.plot(*zip(*sorted(points)), marker="o", label=name)
    ticks = sorted({x for points in series.values() for x, _ in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, labels=[in_short(x) for x in ticks])
    axes.minorticks_off()
    if log_y:
        axes.set_yscale("log")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend()
    return figure


def scaling(series, xlabel, ylabel):
    """Lines, and the one on which rates would grow with x."""
    figure = lines(series, xlabel, ylabel, log_y=False)
    counts = sorted({x for points in series.values() for x, _ in points})
    figure.axes[0].plot(counts, [n / counts[0] for n in counts], color="black", linestyle=":", label="linear")
    figure.axes[0].legend(ncol=2)
    return figure


def bars(groups, series, ylabel, log_y=False, size=(7.2, 3.2), reference=None):
    """series: {name: [a value a group, or None]}; reference: a line across, such as 1."""
    figure, axes = plt.subplots(figsize=size)
    width = 0.84 / len(series)
    for i, (name, values) in enumerate(series.items()):
        places = [g + (i + 0.5) * width - 0.42 for g in range(len(groups))]
        axes.bar(places, [value or 0 for value in values], width, label=name)
    if reference is not None:
        axes.axhline(reference, color="grey", linestyle=":")
    axes.set_xticks(range(len(groups)), labels=groups)
    axes.grid(axis="x", visible=False)
    if log_y:
        axes.set_yscale("log")
    axes.set_ylabel(ylabel)
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, top * (3 if log_y else 1.2))  # room for the legend
    axes.legend(ncol=3)
    return figure


def in_short(count):
    for unit, name in ((1 << 20, "M"), (1 << 10, "k")):
        if count >= unit and count % unit == 0:
            return "%d%s" % (count // unit, name)
    return str(count)

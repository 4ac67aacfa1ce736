# SPDX-License-Identifier: MIT
"""What figures 5-3 and 5-5 share: bench-queue where device and host share memory, bench-pump beside it where not.

Ratios to rivals are medians of those inside a round.
"""
OURS = ("work-group", "pump")
NEEDS_DEVICE = ("work-group", "work-item")
PUMP_BYTES = (8, 16, 32)


def measure(place, sizes, groups, variants):
    n_runs = 3 if place.quick else 5
    if place.shares_memory():
        return bench(place, "bench-queue", sizes, groups, n_runs, variants)
    rows = bench(place, "bench-pump", [size for size in sizes if size in PUMP_BYTES],
                 [group for group in groups if group >= 16], n_runs)
    others = [name for name in variants if name not in NEEDS_DEVICE]
    return rows + (bench(place, "bench-queue", sizes, groups, n_runs, others) if others else [])


def bench(place, program, sizes, groups, n_runs, variants=()):
    argv = [place.program("bench/" + program), "--json", "--runs", str(n_runs),
            "--bytes", ",".join(str(size) for size in sizes), "--group", ",".join(str(group) for group in groups)]
    results, command = place.run(argv + (["--variant", ",".join(variants)] if variants else []), limit_s=500)
    ratios = {(r["against"], r["message_bytes"], r["work_group"] if "work_group" in r else 256): r["ratio"]
              for r in results if r["name"] == program + "-ratio"}
    return [{**row, "ours_over_it": ratios.get((row["variant"], row["message_bytes"], row["work_group"])),
             "command": command} for row in results if row["name"] == program]


def series(rows, x):
    """{variant: [(x, GB/s)]}"""
    lines = {}
    for row in rows:
        lines.setdefault(row["variant"], []).append((row[x], row["rate"] * row["message_bytes"] / 1e9))
    return lines

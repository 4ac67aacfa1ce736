# SPDX-License-Identifier: MIT
"""Figure 3-9: SIMT-direct against indirect aggregation, by number of destinations."""
NAME = "figure-3-9"
TITLE = "Figure 3-9: SIMT-direct and indirect aggregation against destinations"
PUBLISHED = "SIMT-direct ahead up to 8 nodes, indirect aggregation beyond"
FEW_CORES = {"POCL_MAX_PTHREAD_COUNT": "3", "GRAVEL_HOST_CORES": "0"}  # step pump needs two compute units


def measure(place):
    destinations = "2,8,64" if place.quick else "2,4,8,16,32,64"
    argv = [place.program("bench/bench-aggregation"), "--json", "--runs", "3" if place.quick else "5",
            "--destinations", destinations]
    settings = FEW_CORES if place.is_cpu() and len(place.cores) < 4 else {}
    results, command = place.run(argv, settings, limit_s=500)
    return [{**row, "command": command} for row in results if row["name"] == "bench-aggregation"]


def table(rows):
    rates = {(row["destinations"], row["variant"]): row["rate"] for row in rows}
    counts = list(dict.fromkeys(row["destinations"] for row in rows))
    heads = ["destinations", "host, M messages/s", "device", "SIMT-direct", "host / SIMT-direct",
             "device / SIMT-direct"]
    return heads, [[str(n)] + [rates[n, name] / 1e6 for name in ("host", "device", "simt-direct")] +
                   [rates[n, name] / rates[n, "simt-direct"] for name in ("host", "device")] for n in counts]


def draw(rows, draw):
    names = {"host": "indirect, binned by the host", "device": "indirect, binned by the device",
             "simt-direct": "SIMT-direct"}
    series = {name: [(row["destinations"], row["rate"] / 1e6) for row in rows if row["variant"] == variant]
              for variant, name in names.items()}
    return draw.lines(series, "destinations", "million messages a second", log_y=False)

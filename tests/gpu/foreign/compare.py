"""How far the simulated times of launches.csv are from measured ones: compare.py TIMES.csv SIMULATED.csv [COUNTERS.csv] [--csv TABLE.csv]"""

import argparse
import csv
import statistics


def rows(path):
    with open(path, newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def same_results(measured, simulated):
    """Whether both sides computed the same, but for the order of sums and the last bits of functions."""
    one, other = float(measured["sum"]), float(simulated["sum"])
    return abs(one - other) <= 1e-4 * max(float(measured["sum_of_sizes"]), 1e-30)


def told(title, ratios):
    errors = [abs(ratio - 1) for ratio in ratios]
    within = lambda most: 100 * sum(error <= most for error in errors) / len(errors)
    print(f"{title:24} {len(ratios):3} launches: median error {100 * statistics.median(errors):5.1f} %, mean {100 * statistics.fmean(errors):5.1f} %, "
          f"median ratio {statistics.median(ratios):5.2f}, from {min(ratios):5.2f} to {max(ratios):5.2f}; "
          f"{within(0.1):3.0f} % within 10 %, {within(0.2):3.0f} % within 20 %, {within(0.5):3.0f} % within 50 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times")
    parser.add_argument("simulated")
    parser.add_argument("counters", nargs="?")
    parser.add_argument("--csv", help="writes the ratios to a table")
    options = parser.parse_args()
    times, simulated = rows(options.times), rows(options.simulated)
    counters = rows(options.counters) if options.counters else {}
    table = []
    for name, there in simulated.items():
        here = times.get(name)
        if here is None:
            print(f"{name}: not measured")
            continue
        if not same_results(here, there):
            print(f"{name}: the results differ: {here['sum']} measured, {there['sum']} simulated")
        row = {"name": name, "bound": there["bound"], "measured_us": float(here["cold_us"]), "simulated_us": float(there["cold_us"])}
        row["ratio"] = row["simulated_us"] / row["measured_us"]
        if there["warm_us"]:
            row["warm_ratio"] = float(there["warm_us"]) / float(here["warm_us"])
        if name in counters:
            counted = float(counters[name]["smsp__inst_executed.sum"])
            row["instructions_ratio"] = float(there["warp_instructions"]) / counted
        table.append(row)
    for name in times:
        if name not in simulated and name != "empty":
            print(f"{name}: not simulated")
    if not table:
        raise SystemExit("no launch is in both tables")

    print(f"{'launch':32} {'bound':>10} {'measured':>10} {'simulated':>10} {'ratio':>6} {'warm':>6} {'instr.':>6}")
    shown = lambda row, column: f"{row[column]:6.2f}" if column in row else "     -"
    for row in sorted(table, key=lambda row: row["ratio"]):
        print(f"{row['name']:32} {row['bound']:>10} {row['measured_us']:10.2f} {row['simulated_us']:10.2f} "
              f"{shown(row, 'ratio')} {shown(row, 'warm_ratio')} {shown(row, 'instructions_ratio')}")
    print()
    for title, column in (("cold", "ratio"), ("warm", "warm_ratio"), ("warp instructions", "instructions_ratio")):
        ratios = [row[column] for row in table if column in row]
        if ratios:
            told(title, ratios)
    for bound in sorted({row["bound"] for row in table}):
        told(f"cold, bound by {bound}", [row["ratio"] for row in table if row["bound"] == bound])
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            columns = ["name", "bound", "measured_us", "simulated_us", "ratio", "warm_ratio", "instructions_ratio"]
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            for row in table:
                writer.writerow({name: f"{value:.4f}" if isinstance(value, float) else value for name, value in row.items()})


if __name__ == "__main__":
    main()

"""Makes a table of what Nsight Compute printed: counters.py NCU.csv COUNTERS.csv METRIC,METRIC,... [--only EXPRESSION]"""

import argparse
import csv

from table import launches

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("printed")
parser.add_argument("table")
parser.add_argument("metrics")
parser.add_argument("--only")
options = parser.parse_args()
with open(options.printed, newline="") as file:
    rows = list(csv.DictReader(line for line in file if line.startswith('"')))
# Below the header is a row of units.
rows = [row for row in rows if row["Kernel Name"]]
expected = launches(options.only)
if [row["Kernel Name"].split("(")[0] for row in rows] != [launch.entry for launch in expected]:
    raise SystemExit("the kernels that were profiled are not those of the table")
metrics = options.metrics.split(",")
with open(options.table, "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["name", *metrics])
    for launch, row in zip(expected, rows):
        table.writerow([launch.name, *(row[metric].replace(",", "") for metric in metrics)])

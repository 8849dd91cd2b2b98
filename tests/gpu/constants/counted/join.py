"""Writes the counters of a program's launches behind the rows that it printed: join.py ROWS NCU METRIC,METRIC,..."""

import csv
import sys

rows, printed, metrics = sys.argv[1:]
with open(rows, newline="") as file:
    head, *own = csv.reader(file)
with open(printed, newline="") as file:
    launches = list(csv.DictReader(line for line in file if line.startswith('"')))
# Below the header is a row of units.
launches = [launch for launch in launches if launch["Kernel Name"]]
if len(launches) != len(own):
    raise SystemExit(f"{len(own)} rows, but {len(launches)} launches were profiled")
table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow([*head, *metrics.split(",")])
for row, launch in zip(own, launches):
    table.writerow([*row, *(launch[metric].replace(",", "") for metric in metrics.split(","))])

"""Adds up what the example `corpus` says of each origin: by-origin.py VERDICTS.csv BY_ORIGIN.csv

The origin is the first folder of a file's path. `decoded` and `launched` are kernels; a launch that goes wrong with made-up arguments was
one all the same. `refusals` has the reasons, the most frequent one first, with how many kernels have it.
"""

import collections
import csv
import sys

NOT_DECODED = ("not parsed", "not decoded", "unsupported")
NOT_LAUNCHED = (*NOT_DECODED, "refused")
ENDED = ("ended",)

with open(sys.argv[1], newline="") as file:
    verdicts = list(csv.DictReader(file))
origins = sorted({verdict["file"].split("/")[0] for verdict in verdicts})
with open(sys.argv[2], "w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["origin", "files", "parsed", "kernels", "decoded", "launched", "ended", "decoded_percent", "launched_percent", "refusals"])
    for origin in [*origins, "all"]:
        mine = [verdict for verdict in verdicts if origin in ("all", verdict["file"].split("/")[0])]
        files = {verdict["file"] for verdict in mine}
        parsed = files - {verdict["file"] for verdict in mine if verdict["outcome"] == "not parsed"}
        kernels = [verdict for verdict in mine if verdict["kernel"]]
        decoded = [verdict for verdict in kernels if verdict["outcome"] not in NOT_DECODED]
        launched = [verdict for verdict in kernels if verdict["outcome"] not in NOT_LAUNCHED]
        ended = [verdict for verdict in kernels if verdict["outcome"] in ENDED]
        reasons = collections.Counter(
            reason for verdict in mine if verdict["outcome"] in NOT_LAUNCHED for reason in verdict["reasons"].split("; ")
        )
        told = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common(25))
        percent = lambda some, every: f"{100 * len(some) / max(len(every), 1):.2f}"
        table.writerow([origin, len(files), len(parsed), len(kernels), len(decoded), len(launched), len(ended),
                        percent(decoded, kernels), percent(launched, decoded), told])

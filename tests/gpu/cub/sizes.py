"""Sizes drawn at random, a line each: 40 of 1000 to 2^30, as many in each doubling on average. `sizes.py SEED` draws others."""

import math
import random
import sys

COUNT = 40
LEAST, MOST = 1000, 1 << 30

if not all(own.isdecimal() for own in sys.argv[1:]) or len(sys.argv) > 2:
    sys.exit(f"usage: {sys.argv[0]} [SEED], a whole number, 1 unless given")
generator = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
for _ in range(COUNT):
    print(round(math.exp(generator.uniform(math.log(LEAST), math.log(MOST)))))

"""Widths of matrices drawn at random from 2048 to 16384, a line each: 20 of all, 20 odd multiples of 32, and 20 other multiples of 8. Of the latter two
kinds are the widths at which transpositions are slowest beside a copy. No two are the same. `widths.py SEED` draws others."""

import random
import sys

LEAST, MOST = 2048, 16384

if not all(own.isdecimal() for own in sys.argv[1:]) or len(sys.argv) > 2:
    sys.exit(f"usage: {sys.argv[0]} [SEED], a whole number, 1 unless given")
generator = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
of_all = generator.sample(range(LEAST, MOST + 1), 20)
odd_multiples = generator.sample([width for width in range(LEAST + 32, MOST, 64) if width not in of_all], 20)
drawn = {*of_all, *odd_multiples}
multiples_of_8 = generator.sample([width for width in range(LEAST + 8, MOST, 8) if width % 32 and width not in drawn], 20)
print(*of_all, *odd_multiples, *multiples_of_8, sep="\n")

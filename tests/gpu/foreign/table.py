"""The launches of launches.csv, and the data that both sides run them on."""

import csv
import os
import re

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"u8": numpy.uint8, "s32": numpy.int32, "u32": numpy.uint32, "f32": numpy.float32, "f64": numpy.float64}


class Buffer:
    """`in:f32:1024:uniform`: what a launch does with it, the type and number of its elements, and what it holds before."""

    def __init__(self, text, seed):
        self.use, kind, count, self.fill = text.split(":", 3)
        if self.use not in ("in", "out", "inout"):
            raise ValueError(f"`{text}` is neither in nor out nor inout")
        self.type, self.count, self.seed = numpy.dtype(TYPES[kind]), int(count), seed

    @property
    def bytes(self):
        return self.count * self.type.itemsize

    @property
    def written(self):
        return self.use != "in"

    def data(self):
        """The elements, the same wherever they are made."""
        kind, *numbers = self.fill.split(":")
        numbers = [int(number) for number in numbers]
        if kind == "zero":
            return numpy.zeros(self.count, self.type)
        if kind == "ramp":
            return (numpy.arange(self.count, dtype=numpy.uint64) * numbers[0]).astype(self.type)
        if kind == "starts":
            return (numpy.arange(self.count) * numbers[0]).astype(self.type)
        bits = hashed(self.count, self.seed)
        if kind == "any":
            return bits.astype(self.type)
        if kind == "uniform":
            return ((bits >> numpy.uint32(8)).astype(numpy.float32) * numpy.float32(2.0**-24)).astype(self.type)
        if kind == "below":
            return below(bits, numbers[0]).astype(self.type)
        if kind == "skewed":
            other = below(hashed(self.count, self.seed + 1), numbers[0])
            return (below(bits, numbers[0]) * other // numpy.uint64(numbers[0])).astype(self.type)
        if kind == "ragged":
            starts = numpy.cumsum(below(bits, 2 * numbers[0]))
            return numpy.concatenate([numpy.zeros(1, starts.dtype), starts[:-1]]).astype(self.type)
        if kind == "near":
            every, width = numbers
            place = numpy.arange(self.count, dtype=numpy.int64) % every
            return ((place + below(bits, 2 * width).astype(numpy.int64) - width) % every).astype(self.type)
        raise ValueError(f"there is no fill `{self.fill}`")


def hashed(count, seed):
    """Words that look random."""
    x = numpy.arange(count, dtype=numpy.uint32)
    x += numpy.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x ^= x >> numpy.uint32(shift)
        x *= numpy.uint32(factor)
    x ^= x >> numpy.uint32(16)
    return x


def below(bits, limit):
    return bits.astype(numpy.uint64) * numpy.uint64(limit) >> numpy.uint64(32)


class Launch:
    def __init__(self, row, index):
        self.name, self.file, self.entry = row["name"], row["file"], row["entry"]
        self.grid = tuple(int(extent) for extent in row["grid"].split())
        self.block = tuple(int(extent) for extent in row["block"].split())
        self.shared = int(row["dynamic_shared_bytes"])
        self.arguments = []
        for place, text in enumerate(row["arguments"].split()):
            if text.count(":") == 1:
                kind, value = text.split(":")
                self.arguments.append((kind, TYPES[kind](float(value) if kind[0] == "f" else int(value))))
            else:
                self.arguments.append(Buffer(text, 100 * index + place))


def launches(only=None):
    """Those whose name the expression matches, or all."""
    with open(os.path.join(HERE, "launches.csv"), newline="") as table:
        every = [Launch(row, index) for index, row in enumerate(csv.DictReader(table))]
    return [launch for launch in every if re.search(only or "", launch.name)]


def checksum(arrays):
    """Sum of all results, each weighted by its place, and the sum of their sizes, by which two sides can be told to have computed the same."""
    total = sizes = 0.0
    for array in arrays:
        weighted = array.astype(numpy.float64) * (1 + numpy.arange(array.size) % 1021)
        total += float(weighted.sum())
        sizes += float(numpy.abs(weighted).sum())
    return total, sizes

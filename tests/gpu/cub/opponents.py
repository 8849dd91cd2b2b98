"""What exported kernels are timed against: CUB's functions and copies by the driver, behind the functions of cub.cu."""

import ctypes
from ctypes import byref, c_char_p, c_double, c_float, c_int, c_size_t, c_uint32, c_ulonglong, c_void_p


class Library:
    """The functions of cub.cu; what they return is an error unless it is 0."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        pointer = ctypes.POINTER
        signatures = {
            "begin": [pointer(c_void_p), c_char_p, c_int],
            "allocate": [pointer(c_void_p), c_size_t],
            "release": [c_void_p],
            "fill_words": [c_void_p, c_size_t, c_uint32, c_uint32],
            "fill_floats": [c_void_p, c_size_t, c_uint32],
            "differing": [c_void_p, c_void_p, c_size_t, pointer(c_ulonglong)],
            "differing_from_transposed": [c_void_p, c_void_p, c_size_t, pointer(c_ulonglong)],
            "sum_in_double": [c_void_p, c_int, pointer(c_double)],
            "read_float": [c_void_p, pointer(c_float)],
            "cub_sum": [c_void_p, pointer(c_size_t), c_void_p, c_void_p, c_int],
            "cub_exclusive_sum": [c_void_p, pointer(c_size_t), c_void_p, c_void_p, c_int],
            "cub_histogram": [c_void_p, pointer(c_size_t), c_void_p, c_void_p, c_int],
            "copy": [c_void_p, pointer(c_size_t), c_void_p, c_void_p, c_int],
            "before_sample": [],
            "after_sample": [pointer(c_double)],
        }
        for name, types in signatures.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = types, c_int
        self.library.error_text.argtypes, self.library.error_text.restype = [c_int], c_char_p
        self.library.versions.argtypes, self.library.versions.restype = [pointer(c_int)] * 2, None

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {self.library.error_text(status).decode()} ({status})")

    def made_with(self):
        """The compiler and the CUB that it was made with, in words."""
        compiler, cub = (c_int * 3)(), (c_int * 3)()
        self.library.versions(compiler, cub)
        return ", ".join(f"{name} {'.'.join(map(str, own))}" for name, own in [("nvcc", compiler), ("CUB", cub)])

    def allocate(self, size):
        memory = c_void_p()
        self.call("allocate", byref(memory), size)
        return memory.value

    def count(self, name, one, other, size):
        """How many words differ, by one of the functions that compare."""
        found = c_ulonglong()
        self.call(name, one, other, size, byref(found))
        return found.value

    def sample_us(self, launch):
        """The time of what `launch` queues."""
        self.call("before_sample")
        launch()
        time_us = c_double()
        self.call("after_sample", byref(time_us))
        return time_us.value


class Opponent:
    """A function of cub.cu on an input, its temporary memory allocated before."""

    def __init__(self, library, function, source, elements, result_bytes):
        self.library, self.function, self.source, self.elements = library, function, source, elements
        self.result = library.allocate(result_bytes)
        self.bytes = c_size_t(0)
        library.call(function, None, byref(self.bytes), source, self.result, elements)
        self.temporary = library.allocate(max(self.bytes.value, 1))

    def launch(self):
        self.library.call(self.function, self.temporary, byref(self.bytes), self.source, self.result, self.elements)

    def free(self):
        for memory in [self.result, self.temporary]:
            self.library.call("release", memory)

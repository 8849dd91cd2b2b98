"""Values of Python as arguments of the program, and what is said of those that are none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Union

PathText = Union[str, "os.PathLike[str]"]
#: One value of a parameter. A text may be several, as the program takes them: "1,2,4".
Scalar = Union[int, float, str]
#: Values of a parameter: one, several, or a range such as {"from": 1, "to": 8, "step": 1}.
Values = Union[Scalar, Iterable[Scalar], Mapping[str, int]]

_RANGES = ({"from", "to", "step"}, {"from", "to", "times"})


def path(name: str, value: object, one: str = "one path") -> str:
    """A path, which stays on its line: the program prints paths, a line each."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} takes {one}, not {_said(value)}")
    written = _whole(name, os.fsdecode(value))
    if "\n" in written or "\r" in written:
        raise ValueError(f"{name}: a path with a line break is refused: {written!r}")
    return written


def text(name: str, value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} takes a text, not {_said(value)}")
    return _whole(name, value)


def count(name: str, value: object) -> str:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} takes a whole number, not {_said(value)}")
    return str(int(value))


def number(name: str, value: object) -> str:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} takes a number, not {_said(value)}")
    return str(int(value)) if isinstance(value, Integral) else str(float(value))


def duration(name: str, value: object) -> str:
    """A duration as the program takes it: a text such as "10m", or seconds."""
    return _whole(name, value) if isinstance(value, str) else count(name, value)


def names(name: str, value: object) -> list[str]:
    """A name, or several."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, Iterable) or isinstance(several, (bytes, Mapping)):
        raise TypeError(f"{name} takes a name or a list of names, not {_said(value)}")
    return [text(name, one) for one in several]


def parameters(name: str, value: object) -> list[str]:
    """Parameters with their values, each as ``PARAMETER=VALUES``."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise TypeError(f'{name} takes a dictionary, such as {{"branches": [1, 2, 4]}}, not {_said(value)}')
    return [f"{text(name, key)}={_values(f'{name}[{key!r}]', values)}" for key, values in value.items()]


def _values(name: str, values: object) -> str:
    if isinstance(values, Mapping):
        if set(values) not in _RANGES:
            raise TypeError(f'{name} takes a range of "from", "to", and "step" or "times", not {_said(values)}')
        # The program's own order, whatever that of the dictionary.
        ends = (f"{key} = {count(f'{name}[{key!r}]', values[key])}" for key in sorted(values, key=_place))
        return f"{{ {', '.join(ends)} }}"
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        return ",".join(_scalar(name, value) for value in values)
    return _scalar(name, values)


def _place(key: object) -> int:
    return ("from", "to", "step", "times").index(str(key))


def _scalar(name: str, value: object) -> str:
    if isinstance(value, str):
        return _whole(name, value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} takes numbers and texts, a list of them, or a range, not {_said(value)}")
    return number(name, value)


def _whole(name: str, written: str) -> str:
    """A text that a program can be given: an argument ends at a null character."""
    if "\0" in written:
        raise ValueError(f"{name}: a null character is refused: {written!r}")
    return written


def _said(value: object) -> str:
    """A value in an error: what it is, and itself."""
    return f"{type(value).__name__} {value!r}"

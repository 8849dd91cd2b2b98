#!/usr/bin/env python3
"""Writes the licences of everything in the program that is of others: THIRD-PARTY-LICENSES.txt.

    tests/release/third_party.py TARGET [FILE]

TARGET is a target triple; without FILE the text is printed. Each package that the program for TARGET is linked with has its name,
version, licence expression and the licence files of its sources; equal files are printed once. Fails if a package has neither a
licence file nor a licence whose text another package has, so that no notice is left out.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE_NAMES = ("license", "licence", "copying", "notice", "unlicense", "copyright")
# What is in the program beside packages.
OWN = {
    "DejaVu Sans, a subset, in charts": "src/chart/font/LICENSE",
    "uPlot, in HTML pages": "src/report/assets/uplot/LICENSE",
}


def linked(target: str) -> list[dict]:
    """The packages that the program is linked with, sorted by name."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    (root,) = (package["id"] for package in packages.values() if package["name"] == "apbench")
    waiting, seen = [root], {root}
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    others = [packages[own] for own in seen if packages[own]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts_of(package: dict) -> list[str]:
    """The licence files beside a package's manifest."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(FILE_NAMES))
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def main() -> None:
    packages = linked(sys.argv[1])
    parts = {name: [(ROOT / path).read_text(encoding="utf-8").strip()] for name, path in OWN.items()}
    for package in packages:
        parts[f"{package['name']} {package['version']}, {package['license']}"] = texts_of(package)
    expressions = {package["license"] for package in packages if texts_of(package)}
    bare = [package for package in packages if not texts_of(package) and package["license"] not in expressions]
    if bare:
        sys.exit(f"no licence text: {', '.join(package['name'] for package in bare)}")
    users: dict[str, list[str]] = {}
    for name, texts in parts.items():
        for text in texts or ["(The sources have no licence file; the text of this licence stands elsewhere in this file.)"]:
            users.setdefault(text, []).append(name)
    text = "apbench contains the following.\n"
    for licence, names in users.items():
        text += "\n" + "=" * 100 + "\n" + "\n".join(names) + "\n" + "-" * 100 + "\n" + licence + "\n"
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


main()

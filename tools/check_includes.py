#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on an include against the order of the modules.

The order is the table "module | may use" of docs/architecture.md. Checked:
- include/clearance/<module> and src/<module> include only modules the table allows them;
- public headers include nothing but the standard library and clearance/ (eigen.h: and Eigen, ompl.h:
  and OMPL);
- a private header (src/<module>/x.h) is included by its own module alone, by one it is shared with
  (SHARED), and by tests;
- cli, bench and examples include public headers and their own files only.

Usage: check_includes.py [ROOT]
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Headers of the C and C++ standard libraries have neither a folder nor, but for these, a suffix.
STANDARD = re.compile(r"^[a-z_0-9]+$")
# Public headers that exist to connect with another library, and the includes they are for.
CONNECTORS = {"clearance/geometry/eigen.h": re.compile(r"^Eigen/"),
              "clearance/plan/ompl.h": re.compile(r"^ompl/")}
# Modules whose private headers another may include: nodes of trees are no promise to users, but
# what the queries descend; chains are made of the same URDF documents as robots; the reader of JSON
# documents is in the lowest module that reads files, what our binary files have in common in base.
SHARED = {"base": {"bvh", "grasp", "plan"}, "geometry": {"check", "grasp"},
          "mesh": {"chain", "contour", "simplify", "check", "grasp", "plan"},
          "bvh": {"query", "chain", "contour", "check", "plan"}, "query": {"contour", "grasp"},
          "robot": {"chain"}}
# Folders of programs: they use the library as an outsider would.
PROGRAMS = ("cli", "bench", "examples", "study")


def module_table(architecture: str) -> dict[str, set[str]]:
    """Which modules each module may use (directly or not), from the table in the document."""
    table: dict[str, set[str]] = {}
    rows = iter(architecture.splitlines())
    for row in rows:
        if re.match(r"^\|\s*module\s*\|\s*may use\s*\|", row):
            break
    else:
        raise ValueError('docs/architecture.md has no table "module | may use"')
    next(rows)
    for row in rows:
        if not row.startswith("|"):
            break
        module, uses, *_ = [cell.strip() for cell in row.strip("|").split("|")]
        module = module.strip("`")
        table[module] = {name for name in re.findall(r"`([a-z_]+)`", uses)}
        unknown = table[module] - table.keys()
        if unknown:
            raise ValueError(f"{module} may use {', '.join(sorted(unknown))}, "
                             "which is not above it in the table")
    return table


def includes(path: pathlib.Path):
    """Line number, '<' or '\"', and target of each include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def sources(folder: pathlib.Path):
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp", ".cl"))


def check(root: pathlib.Path) -> list[str]:
    table = module_table((root / "docs/architecture.md").read_text(encoding="utf-8"))
    private = {p.relative_to(root / "src").as_posix() for p in sources(root / "src")}
    problems = []

    def report(path: pathlib.Path, number: int, words: str):
        problems.append(f"{path.relative_to(root).as_posix()}:{number}: {words}")

    def private_module(path: pathlib.Path, target: str) -> str | None:
        """The module whose private header this is, if it is one."""
        if target in private:
            return target.split("/")[0]
        beside = path.parent / target
        if beside.is_file() and (root / "src") in beside.resolve().parents:
            return beside.resolve().relative_to(root / "src").parts[0]
        return None

    folders = [(root / "include/clearance", True), (root / "src", False)]
    for folder, public in folders:
        for path in sources(folder):
            module = path.relative_to(folder).parts[0]
            if module not in table:
                report(path, 1, f"module {module} is not in the table of docs/architecture.md")
                continue
            allowed = table[module] | {module}
            for number, bracket, target in includes(path):
                owner = private_module(path, target) if bracket == '"' else None
                if target.startswith("clearance/"):
                    used = target.split("/")[1]
                    if not (root / "include" / target).is_file():
                        report(path, number, f"{target} does not exist")
                    elif used not in allowed:
                        report(path, number, f"{module} may not use {used} ({target})")
                elif public:
                    if owner or bracket == '"':
                        report(path, number, f"a public header includes a private one ({target})")
                    elif not STANDARD.match(target):
                        name = path.relative_to(root / "include").as_posix()
                        if not (name in CONNECTORS and CONNECTORS[name].match(target)):
                            report(path, number,
                                   f"a public header includes a third-party one ({target})")
                elif owner and owner != module and module not in SHARED.get(owner, set()):
                    report(path, number, f"{target} is private to {owner}")

    for program in PROGRAMS:
        for path in sources(root / program):
            for number, bracket, target in includes(path):
                beside = (path.parent / target).is_file() or (root / program / target).is_file()
                if bracket == '"' and not beside and target in private:
                    report(path, number, f"{target} is private to {target.split('/')[0]}")
    return problems


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    problems = check(root.resolve())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

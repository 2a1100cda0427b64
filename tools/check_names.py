#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""No type is defined twice in one namespace.

Two types of one name in two files compile and link without a word, as long as no file includes both.
Their constructors, destructors and inline functions then share a name too, and where the compiler does
not inline them the linker keeps one of each for both: wrong answers, and only in some builds. Types of
unnamed namespaces are a file's own and do not count.

Usage: check_names.py [ROOT]   prints what is defined twice; the exit status is 1 when anything is.
"""

import pathlib
import re
import sys

FOLDERS = ("include", "src", "cli", "study", "scenes")
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
END = re.compile(r"^\}  // namespace")
# At the start of a line: types inside others are indented, and have the name of those before theirs.
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum)(?: alignas\([^)]*\))? (\w+)(?: final)?(?: : [^;{]*)? ?\{")


def types_of(text: str) -> list[tuple[int, str]]:
    """The types a file defines, by their full names, with their lines; none of unnamed namespaces."""
    found = []
    spaces: list[str | None] = []
    for number, line in enumerate(text.splitlines(), 1):
        if space := NAMESPACE.match(line):
            spaces.append(space[1])
        elif END.match(line):
            if spaces:
                spaces.pop()
        elif (kind := TYPE.match(line)) and None not in spaces:
            found.append((number, "::".join([*(s for s in spaces if s), kind[1]])))
    return found


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    places: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for line, name in types_of(path.read_text(encoding="utf-8")):
                    places.setdefault(name, []).append(f"{path.relative_to(root)}:{line}")
    if not places:
        print(f"{root}: no types found")
        return 1
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name} is defined twice: {', '.join(where)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())

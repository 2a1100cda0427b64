#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy over many files in a fraction of the time.

Most of what clang-tidy does to a file is looking at the standard library behind it, every time
anew. Files compiled alike are therefore looked at several at once, as includes of one made-up file.
A group that does not compile together (two files have a helper of the same name) is divided until
its parts do. A file that passed is not looked at again until it, a header of ours that it includes,
its flags or the list of checks change: what passed is remembered by its text in the user's cache
(CLEARANCE_TIDY_CACHE, or clearance/tidy in XDG_CACHE_HOME), for every checkout on the machine.

Usage: tidy.py BUILD JOBS FILE...   (BUILD has a compile_commands.json)
Prints what clang-tidy says; the exit status is 1 when that is anything.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# More would save little and make a stumbling group expensive.
GROUP = 8
# Including a .cpp file is what this is about.
LINE = '#include "{}"  // NOLINT(bugprone-suspicious-include)\n'
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
# Where a header of ours is found by its name in an #include, after the folder of the file itself.
FOLDERS = [ROOT / name for name in ("include", "src", "study", "build/dev/generated")]


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def text_of(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8")


def flags_of(entry: dict) -> tuple[str, ...]:
    """The compiler's arguments without compiler, launcher, input and output."""
    words = shlex.split(entry["command"])
    while words and not words[0].startswith("-"):
        words.pop(0)
    flags = []
    skip = False
    for word in words:
        if skip or word in ("-c", entry["file"]):
            skip = False
        elif word in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        else:
            flags.append(word)
    return tuple(flags)


class Tidy:
    def __init__(self, build: pathlib.Path):
        self.folder = build / "tidy"
        self.folder.mkdir(parents=True, exist_ok=True)
        commands = json.loads(text_of(build / "compile_commands.json"))
        self.entries = {str(pathlib.Path(e["file"]).resolve()): e for e in commands}
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.passed = pathlib.Path(os.environ.get("CLEARANCE_TIDY_CACHE") or f"{cache}/clearance/tidy")
        self.passed.mkdir(parents=True, exist_ok=True)
        version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
        self.checks = digest(text_of(ROOT / ".clang-tidy"), text_of(pathlib.Path(__file__)), version)
        self.texts: dict[pathlib.Path, tuple[str, list[pathlib.Path]]] = {}

    def read(self, path: pathlib.Path) -> tuple[str, list[pathlib.Path]]:
        """The digest of a file of ours, and the files of ours that it includes."""
        if path not in self.texts:
            text = text_of(path)
            found = []
            for name in INCLUDE.findall(text):
                places = (folder / name for folder in (path.parent, *FOLDERS))
                found += [p.resolve() for p in places if p.is_file()][:1]
            # The commit a build is of changes nothing that clang-tidy looks at.
            self.texts[path] = ("" if path.name == "build_info.h" else digest(text), found)
        return self.texts[path]

    def stamp(self, file: str) -> pathlib.Path:
        seen: dict[pathlib.Path, str] = {}
        waiting = [pathlib.Path(file)]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen[path], includes = self.read(path)
                waiting += includes
        flags = [flag.replace(str(ROOT), "") for flag in self.flags(file)]
        texts = sorted(f"{path.relative_to(ROOT)} {text}" for path, text in seen.items())
        return self.passed / digest(self.checks, *flags, *texts)

    def flags(self, file: str) -> tuple[str, ...]:
        return flags_of(self.entries[file]) if file in self.entries else ()

    def together(self, files: list[str]) -> str:
        """The file that stands for these, and a database that says how it is compiled."""
        if len(files) == 1:
            return files[0]
        unit = self.folder / digest(*files)[:16] / "files.cpp"
        unit.parent.mkdir(exist_ok=True)
        unit.write_text("".join(LINE.format(f) for f in files), encoding="utf-8")
        # The compilers' own warnings are the build's affair; here -Wshadow would see one file's
        # names from another.
        command = shlex.join(["c++", *self.flags(files[0]), "-w", "-c", str(unit)])
        entry = {"directory": self.entries[files[0]]["directory"], "command": command, "file": str(unit)}
        (unit.parent / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
        return str(unit)

    def compiles(self, unit: str, files: list[str]) -> bool:
        command = ["clang++", "-fsyntax-only", "-w", "-ferror-limit=1", *self.flags(files[0]), unit]
        return subprocess.run(command, capture_output=True, cwd=self.entries[files[0]]["directory"],
                              check=False).returncode == 0

    def look_at(self, files: list[str]) -> str:
        unit = self.together(files)
        if len(files) > 1 and not self.compiles(unit, files):
            half = len(files) // 2
            return self.look_at(files[:half]) + self.look_at(files[half:])
        database = self.folder.parent if len(files) == 1 else pathlib.Path(unit).parent
        run = subprocess.run(["clang-tidy", "--quiet", "-p", str(database),
                              "--config-file", str(ROOT / ".clang-tidy"), unit],
                             capture_output=True, text=True, check=False)
        if run.returncode == 0:
            for file in files:
                self.stamp(file).touch()
        return run.stdout


def main() -> int:
    build, jobs, *names = sys.argv[1:]
    tidy = Tidy(pathlib.Path(build).resolve())
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        file = str((ROOT / name).resolve())
        if not tidy.stamp(file).exists():
            alike.setdefault(tidy.flags(file), []).append(file)
    groups = []
    for flags, files in alike.items():
        # A file the build does not know has no one to go with.
        size = GROUP if flags else 1
        groups += [files[i:i + size] for i in range(0, len(files), size)]
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        words = "".join(pool.map(tidy.look_at, groups))
    # A remark about a header comes once for every group that includes it.
    print("\n".join(dict.fromkeys(words.splitlines())))
    return 1 if words.strip() else 0


if __name__ == "__main__":
    sys.exit(main())

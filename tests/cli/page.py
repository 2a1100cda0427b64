# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of docs/ whose commands are run: what a page shows is what happens. A test of a page ends with

    if __name__ == "__main__":
        main(PAGE, prepared)

and then takes `--write FOLDER`, which puts what the commands print into the page.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from cli_test import PROGRAM, ROOT

# Long runs of a page are cut short here: the time they take is not what is tested.
SHORTER = ("--seconds 60", "--seconds 0.2")


def blocks(page):
    """Commands of the page with what follows them: (command, lines of output)."""
    found = []
    lines = page.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        if not line.startswith("    $ "):
            continue
        shown = []
        for at, following in enumerate(lines[i + 1:], i + 2):
            # An empty line belongs to the block when the block goes on behind it.
            goes_on = following == "" and at < len(lines) and lines[at].startswith("    ")
            if not goes_on and not following.startswith("    ") or following.startswith("    $ "):
                break
            shown.append(following[4:])
        found.append((line[6:], shown))
    return found


def printed_by(command, folder):
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    return subprocess.run(["bash", "-c", command.replace(*SHORTER)], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False, timeout=300)


def with_program(folder):
    """The folder has the program, as `clearance`."""
    (folder / "clearance").symlink_to(pathlib.Path(PROGRAM).resolve())


def with_examples(folder):
    """The folder has the program and the files of examples/."""
    for file in (ROOT / "examples").iterdir():
        if file.suffix in (".json", ".jsonl", ".urdf", ".csv"):
            shutil.copy(file, folder)
    with_program(folder)


def write(page, folder):
    def as_block(lines):
        return "".join(f"    {line}".rstrip() + "\n" for line in lines)

    text = page.read_text(encoding="utf-8")
    for command, shown in blocks(page):
        done = printed_by(command, folder)
        print(command, done.returncode, done.stderr)
        line = f"    $ {command}\n"
        text = text.replace(line + as_block(shown), line + as_block(done.stdout.splitlines()))
    page.write_text(text, encoding="utf-8")


def main(page, prepared):
    if "--write" in sys.argv:
        target = pathlib.Path(sys.argv[-1])
        prepared(target)
        write(page, target)
    else:
        unittest.main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/probe.md shows is what happens: each of its commands is run beside the files of
examples/, and prints what the page says. Latencies are not compared.

    probe_page_test.py --write FOLDER     puts what the commands print into the page
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from cli_test import PROGRAM, ROOT, InFolder

PAGE = ROOT / "docs" / "probe.md"
# Long runs of the page are cut short here: the time they take is not what is tested.
SHORTER = ("--seconds 60", "--seconds 0.2")


def blocks(text):
    """Commands of the page with what follows them: (command, lines of output)."""
    found = []
    lines = text.splitlines()
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


def as_block(lines):
    return "".join(f"    {line}".rstrip() + "\n" for line in lines)


def printed_by(command, folder):
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    return subprocess.run(["bash", "-c", command.replace(*SHORTER)], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False, timeout=300)


def prepared(folder):
    for file in (ROOT / "examples").iterdir():
        if file.suffix in (".json", ".jsonl", ".urdf", ".csv"):
            shutil.copy(file, folder)
    (folder / "clearance").symlink_to(pathlib.Path(PROGRAM).resolve())


def masked(lines):
    """Without what depends on the machine, or on which of several equally close points is found."""
    result = []
    for line in lines:
        line = re.sub(r'"latency_us":.*', "", line)
        line = re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda m: f"{float(m.group()):.4g}", line)
        line = re.sub(r", \d+ threads?$", "", line)
        line = re.sub(r"\d* *\([-0-9., e]+\) m|triangle \d+|at eta.*", "_", line)
        result.append(line)
    return result


class Page(InFolder):
    def test_commands_print_what_the_page_shows(self):
        prepared(self.folder)
        found = blocks(PAGE.read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(found), 6)
        for command, shown in found:
            done = printed_by(command, self.folder)
            self.assertIn(done.returncode, (0, 1), (command, done.stderr))
            self.assertEqual(masked(done.stdout.splitlines()), masked(shown), command)
        for name in ("fitted.json", "distances.csv", "distances.svg", "map.ply", "map.legend.svg",
                     "map.png"):
            self.assertTrue((self.folder / name).exists(), name)


def write_page(folder):
    text = PAGE.read_text(encoding="utf-8")
    for command, shown in blocks(text):
        done = printed_by(command, folder)
        print(command, done.returncode, done.stderr)
        line = f"    $ {command}\n"
        text = text.replace(line + as_block(shown), line + as_block(done.stdout.splitlines()))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv:
        target = pathlib.Path(sys.argv[-1])
        prepared(target)
        write_page(target)
    else:
        unittest.main()

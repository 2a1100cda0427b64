#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/robot.md shows is what happens: parts of the files, and what the example prints.

    robot_page_test.py PROGRAM     the example place_arm
"""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "robot.md").read_text(encoding="utf-8")
PROGRAM = ""


def blocks(page):
    """The blocks of code of the page, without their indentation."""
    block = []
    for line in page.splitlines() + ["end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif block and line:
            yield "\n".join(block).rstrip()
            block = []
        elif block:
            block.append("")


class RobotPage(unittest.TestCase):
    def test_shows_what_the_example_prints(self):
        done = subprocess.run([PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True)
        self.assertIn(done.stdout.rstrip(), list(blocks(PAGE)))

    def test_quotes_the_files_of_the_example(self):
        for name, start in [("arm.urdf", "<joint"), ("arm.srdf", "<disable_collisions")]:
            text = (ROOT / "examples" / name).read_text(encoding="utf-8")
            quoted = [block for block in blocks(PAGE) if block.startswith(start)]
            self.assertTrue(quoted, name)
            for block in quoted:
                for line in block.splitlines():
                    self.assertIn(line.strip(), text)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()

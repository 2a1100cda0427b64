#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/cover.md shows is what the example prints.

    cover_page_test.py PROGRAM     the example cover_pipe
"""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ""


class CoverPage(unittest.TestCase):
    def test_shows_what_the_example_prints(self):
        page = (ROOT / "docs" / "cover.md").read_text(encoding="utf-8")
        done = subprocess.run([PROGRAM], capture_output=True, text=True, check=True)
        shown = "".join(f"    {line}\n" for line in done.stdout.splitlines())
        self.assertIn(shown, page)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()

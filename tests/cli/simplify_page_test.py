#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/simplify.md shows is what happens: each of its commands is run beside the files of
examples/, and prints what the page says. Numbers are not compared, since each change to the search
for spheres moves them; write the page anew after one.

    simplify_page_test.py --write FOLDER     puts what the commands print into the page
"""

import re

from cli_test import ROOT, InFolder
from page import blocks, main, printed_by, with_examples

PAGE = ROOT / "docs" / "simplify.md"


def masked(lines):
    """Words without numbers and without the room left for them."""
    return [re.sub(r" +", " ", re.sub(r"\d[\d.,]*( [mu]?m³?)?", "#", line)) for line in lines]


class Page(InFolder):
    def test_commands_print_what_the_page_shows(self):
        with_examples(self.folder)
        found = blocks(PAGE)
        self.assertGreaterEqual(len(found), 6)
        for command, shown in found:
            done = printed_by(command, self.folder)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            self.assertEqual(masked(done.stdout.splitlines()), masked(shown), command)
        for name in ("pipe.json", "pipe.png", "arm_spheres.urdf", "arm_spheres.yaml",
                     "arm_shapes.urdf"):
            self.assertTrue((self.folder / name).exists(), name)


if __name__ == "__main__":
    main(PAGE, with_examples)

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/probe.md shows is what happens: each of its commands is run beside the files of
examples/, and prints what the page says. Latencies are not compared.

    probe_page_test.py --write FOLDER     puts what the commands print into the page
"""

import re

from cli_test import ROOT, InFolder
from page import blocks, main, printed_by, with_examples

PAGE = ROOT / "docs" / "probe.md"


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
        with_examples(self.folder)
        found = blocks(PAGE)
        self.assertGreaterEqual(len(found), 6)
        for command, shown in found:
            done = printed_by(command, self.folder)
            self.assertIn(done.returncode, (0, 1), (command, done.stderr))
            self.assertEqual(masked(done.stdout.splitlines()), masked(shown), command)
        for name in ("fitted.json", "distances.csv", "distances.svg", "map.ply", "map.legend.svg",
                     "map.png"):
            self.assertTrue((self.folder / name).exists(), name)


if __name__ == "__main__":
    main(PAGE, with_examples)

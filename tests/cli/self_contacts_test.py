#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""Meshes that run through themselves, from outside."""

import unittest

from cli_test import InFolder, run

# Two tetrahedra, one through the other, in one mesh.
CROSSED = """OFF
8 8 0
0 0 0
0.1 0 0
0 0.1 0
0 0 0.1
0.02 0.02 -0.05
0.12 0.02 -0.05
0.02 0.12 -0.05
0.02 0.02 0.05
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
3 4 6 5
3 4 5 7
3 4 7 6
3 5 6 7
"""


class RunsThroughItself(InFolder):
    def test_simplify_and_inspect_say_so(self):
        part = self.write("crossed.off", CROSSED)
        done = run("simplify", part, "--error", "20mm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("runs through itself", done.stdout)
        self.assertIn("the solid is not defined there", done.stdout)
        finding = self.result_of("inspect", part, "--self")["files"][0]["health"]["findings"][0]
        self.assertEqual(finding["severity"], "warning")
        self.assertIn("runs through itself", finding["sentence"])
        self.assertEqual(run("inspect", part, "--self", "--strict").returncode, 1)
        self.assertNotIn("through itself", run("inspect", part).stdout)
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 400)
        self.assertIn("does not run through itself", run("inspect", pipe, "--self").stdout)
        self.assertNotIn("through itself", run("simplify", pipe, "--error", "20mm").stdout)


if __name__ == "__main__":
    unittest.main()

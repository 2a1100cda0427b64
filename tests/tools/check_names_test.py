#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""tools/check_names.py finds types that are defined twice in one namespace, and no others."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_names.py"
ONE = "namespace clearance::detail {\nstruct Pair {\n  int a;\n};\n}  // namespace clearance::detail\n"


class CheckNames(unittest.TestCase):
    def run_on(self, second: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("a.h", ONE), ("b.h", second)):
                path = pathlib.Path(folder) / "src" / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=False)

    def test_two_of_one_name_are_found(self):
        done = self.run_on(ONE.replace("struct Pair {", "class Pair final : public Base {"))
        self.assertEqual((done.returncode, done.stdout),
                         (1, "clearance::detail::Pair is defined twice: src/a.h:2, src/b.h:2\n"))

    def test_other_namespaces_and_unnamed_ones_do_not_count(self):
        for second in (ONE.replace("clearance::detail", "clearance::cli"),
                       "namespace clearance::detail {\nnamespace {\nstruct Pair {\n};\n}  // namespace\n"
                       "}  // namespace clearance::detail\n",
                       ONE.replace("struct Pair {", "struct Pair;\nstruct Other {")):
            done = self.run_on(second)
            self.assertEqual((done.returncode, done.stdout), (0, ""), second)


if __name__ == "__main__":
    unittest.main()

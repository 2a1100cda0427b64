#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""check_includes.py finds each kind of wrong include, and passes a right tree."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import check_includes  # noqa: E402

TABLE = """
| module | may use |
|---|---|
| `base` | the standard library |
| `mesh` | `base` |
| `bvh` | `base` |
"""


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("docs/architecture.md", TABLE)
        self.write("include/clearance/base/result.h", "#include <vector>\n")
        self.write("include/clearance/mesh/mesh.h", "#include <clearance/base/result.h>\n")
        self.write("src/mesh/detail.h", "#include <clearance/mesh/mesh.h>\n")
        self.write("src/mesh/mesh.cpp", '#include "mesh/detail.h"\n#include <pugixml.hpp>\n')
        self.write("src/bvh/bvh.cpp", "#include <clearance/base/result.h>\n")
        self.write("cli/main.cpp", '#include <clearance/mesh/mesh.h>\n#include "verb.h"\n')
        self.write("cli/verb.h", "")

    def write(self, name: str, text: str):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect_problem(self, words: str):
        problems = check_includes.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_passes_a_right_tree(self):
        self.assertEqual(check_includes.check(self.root), [])

    def test_finds_an_include_of_a_sibling(self):
        self.write("src/bvh/bvh.cpp", "\n#include <clearance/mesh/mesh.h>\n")
        self.expect_problem("src/bvh/bvh.cpp:2: bvh may not use mesh")

    def test_finds_an_include_upwards_in_a_public_header(self):
        self.write("include/clearance/base/result.h", "#include <clearance/mesh/mesh.h>\n")
        self.expect_problem("base may not use mesh")

    def test_finds_a_third_party_include_in_a_public_header(self):
        self.write("include/clearance/mesh/mesh.h", "#include <Eigen/Core>\n")
        self.expect_problem("third-party one (Eigen/Core)")

    def test_allows_eigen_in_the_header_made_for_it(self):
        self.write("docs/architecture.md", TABLE + "| `geometry` | `base` |\n")
        self.write("include/clearance/geometry/eigen.h", "#include <Eigen/Core>\n")
        self.assertEqual(check_includes.check(self.root), [])

    def test_finds_a_private_header_in_a_public_one(self):
        self.write("include/clearance/mesh/mesh.h", '#include "mesh/detail.h"\n')
        self.expect_problem("includes a private one")

    def test_finds_a_private_header_of_another_module(self):
        self.write("src/bvh/bvh.cpp", '#include "mesh/detail.h"\n')
        self.expect_problem("mesh/detail.h is private to mesh")

    def test_allows_the_queries_the_nodes_of_trees(self):
        self.write("docs/architecture.md", TABLE + "| `query` | `base`, `mesh`, `bvh` |\n")
        self.write("src/bvh/tree.h", "")
        self.write("src/query/query.cpp", '#include "bvh/tree.h"\n')
        self.assertEqual(check_includes.check(self.root), [])

    def test_finds_a_private_header_by_a_relative_path(self):
        self.write("src/bvh/bvh.cpp", '#include "../mesh/detail.h"\n')
        self.expect_problem("is private to mesh")

    def test_finds_a_private_header_in_a_program(self):
        self.write("cli/main.cpp", '#include "mesh/detail.h"\n')
        self.expect_problem("is private to mesh")

    def test_finds_a_module_missing_from_the_table(self):
        self.write("src/extra/extra.cpp", "")
        self.expect_problem("module extra is not in the table")

    def test_refuses_a_table_that_uses_a_lower_row(self):
        self.write("docs/architecture.md", TABLE.replace("the standard library", "`mesh`"))
        with self.assertRaises(ValueError):
            check_includes.check(self.root)


if __name__ == "__main__":
    unittest.main()

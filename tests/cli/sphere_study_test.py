#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance reproduce sphere-simplification --quick from outside, with the robot that needs no
files: JSON against its schema, CSV, charts, pictures, bad input."""

import csv
import unittest

from cli_test import InFolder, run, validated


class SphereStudy(InFolder):
    def test_every_figure_and_table_is_measured(self):
        table = self.folder / "figures.csv"
        pictures = self.folder / "pictures"
        done = run("reproduce", "sphere-simplification", "--quick", "--json", "--csv", table,
                   "--out", pictures)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = validated(done.stdout)
        self.check_external_spheres(result["external"])
        self.check_curves(result["counts"])
        self.check_models(result["models"])
        self.check_program(result["program"])
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(result["models"]) + len(result["counts"]) +
                         len(result["program"]["rows"]))
        for name in ("figure3-external", "figure6-error", "figure7-coverage", "figure8-excess",
                     "table1-time"):
            picture = (pictures / f"{name}.svg").read_text(encoding="utf-8")
            self.assertTrue(picture.startswith("<svg"), name)
        for name in ("figure4-pipe", "figure5-robot", "section", "torch"):
            self.assertTrue((pictures / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name)

    def check_external_spheres(self, rows):
        """The bore is filled as soon as the external spheres do not fit into it."""
        for row in rows:
            wall_or_rod = (0.25, 0.40) if row["diameter_m"] < 0.040 else (0.70, 0.80)
            self.assertGreater(row["not_reached"], wall_or_rod[0], row)
            self.assertLess(row["not_reached"], wall_or_rod[1], row)

    def check_curves(self, counts):
        for method in ("packing", "paper"):
            rows = [row for row in counts if row["method"] == method]
            self.assertGreater(len(rows), 20, method)
            for before, after in zip(rows, rows[1:]):
                self.assertLess(before["spheres"], after["spheres"])
                self.assertLessEqual(before["covered"], after["covered"] + 1e-12)
                self.assertLessEqual(before["outside"], after["outside"] + 1e-12)
            # Of the whole pipe in the beginning, and what was asked for in the end. Now and then it
            # rises in between: when points are found that nobody looked at.
            self.assertGreater(rows[0]["error_m"], 0.1)
            self.assertLess(rows[-1]["error_m"], 0.006)
            # Spheres before they are grown are within the wall, or within the rod it is filled to.
            self.assertLess(rows[-1]["covered"], 1)
            self.assertLess(rows[-1]["outside"], 0.01 if method == "packing" else 1.6)
        for row in counts:
            if row["method"] == "cover":
                self.assertGreater(row["covered"], 0.999)

    def check_models(self, models):
        pipe = {row["method"]: row for row in models if row["subject"] == "pipe"}
        self.assertEqual(set(pipe), {"packing", "paper", "cover"})
        for row in pipe.values():
            self.assertTrue(row["covered"], row)
            self.assertLess(row["error_m"], 0.00601)
        self.assertLess(pipe["cover"]["spheres"], pipe["packing"]["spheres"])
        self.assertIn("arm of ours, collision shapes", [row["subject"] for row in models])

    def check_program(self, program):
        rows = {row["name"]: row for row in program["rows"]}
        exact = rows["original CAD"]
        self.assertEqual(program["checks"], 758)
        self.assertGreater(exact["collisions"], 50)
        self.assertEqual(exact["paper"]["collisions"], 2032)
        for row in rows.values():
            self.assertEqual(exact["collisions"] + row["false_positives"] - row["false_negatives"],
                             row["collisions"], row)
            if row["covers"]:
                self.assertEqual(row["false_negatives"], 0, row)
        # Packed spheres before they are grown leave gaps that the torch goes through.
        self.assertGreater(rows["packing"]["false_negatives"], 0)
        self.assertEqual(rows["packing, grown"]["false_negatives"], 0)

    def test_parts_are_measured_alone(self):
        pictures = self.folder / "pictures"
        done = run("reproduce", "sphere-simplification", "--quick", "--only", "robot", "--json",
                   "--out", pictures)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = validated(done.stdout)
        self.assertEqual([row["subject"] for row in result["models"]],
                         ["arm of ours, collision shapes"])
        self.assertEqual((result["external"], result["counts"]), ([], []))
        self.assertNotIn("program", result)
        self.assertEqual({file.name for file in pictures.iterdir()},
                         {"figure5-robot.png", "figures.csv"})

    def test_bad_input_is_named(self):
        for arguments, words in ((["part.stl"], "no use for files"),
                                 (["--data", "nowhere"], "no such folder"),
                                 (["--only", "pipe,pipes"], "pipes"),
                                 (["--steps", "5"], "no use for --steps")):
            done = run("reproduce", "sphere-simplification", "--quick", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()

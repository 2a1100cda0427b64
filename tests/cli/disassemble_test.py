#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance plan --disassemble from outside: order and precedence of a stack, plan files that
clearance verify accepts, stuck parts, files, bad input, and real assemblies."""

import csv
import json
import struct
import unittest

from clash_test import WithCubes
from cli_test import DATA, run, validated


class Disassemble(WithCubes):
    def box(self, name, low, high):
        path = self.cube(name, (0, 0, 0))
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("v "):
                corner = [float(number) for number in line.split()[1:]]
                line = "v " + " ".join(str(l + (h - l) * c)
                                       for l, h, c in zip(low, high, corner))
            lines.append(line)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def stack(self):
        """Two walls on a floor, a block between them that touches all three, and a lid on it."""
        return [self.box("floor", (-2, -2, -1), (2, 2, 0)), self.box("left", (-2, -2, 0), (-1, 2, 2)),
                self.box("right", (1, -2, 0), (2, 2, 2)), self.box("block", (-1, -1, 0), (1, 1, 1)),
                self.box("lid", (-1, -1, 1), (1, 1, 1.5))]

    def test_order_paths_and_files_of_a_stack(self):
        done = run("plan", "--disassemble", *self.stack(), "--json", "-o", "out.json", "--csv",
                   "out.csv", "--glb", "out.glb", "--picture", "out.png", "--order", "out.svg",
                   "--plans", "plans", "--no-turning", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = validated(done.stdout)
        self.assertTrue(result["complete"])
        self.assertEqual(json.loads((self.folder / "out.json").read_text(encoding="utf-8")), result)
        fates = {part["name"]: part["fate"] for part in result["parts"]}
        self.assertEqual(fates["floor"], "stays")
        self.assertEqual([fate for fate in fates.values()].count("removed"), 4)
        steps = {step["parts"][0]: step for step in result["steps"]}
        self.assertEqual(len(steps), 4)
        self.assertTrue(all(step["relief"] > 0 for step in steps.values()))
        # Every path is proven again by separate code.
        for step in result["steps"]:
            verified = run("verify", step["plan"], cwd=self.folder)
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["part"] for row in rows}, set(fates))
        glb = (self.folder / "out.glb").read_bytes()
        length = struct.unpack("<I", glb[12:16])[0]
        document = json.loads(glb[20:20 + length])
        self.assertEqual(len(document["animations"][0]["channels"]), 8)
        self.assertEqual((self.folder / "out.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn("block", (self.folder / "out.svg").read_text(encoding="utf-8"))

    def test_same_result_for_any_number_of_threads(self):
        parts = self.stack()
        one = run("plan", "--disassemble", *parts, "--json", "--no-turning", "--threads", "1")
        two = run("plan", "--disassemble", *parts, "--json", "--no-turning", "--threads", "2")
        self.assertEqual(one.stdout, two.stdout)

    def test_part_that_is_caught_is_proven_stuck(self):
        sides = [self.box(name, low, high) for name, low, high in (
            ("bottom", (-2, -2, -2), (2, 2, -1)), ("top", (-2, -2, 1.1), (2, 2, 2)),
            ("west", (-2, -2, -1.5), (-1, 2, 1.5)), ("east", (1, -2, -1.5), (2, 2, 1.5)),
            ("south", (-1.5, -2, -1.5), (1.5, -1, 1.5)), ("north", (-1.5, 1, -1.5), (1.5, 2, 1.5)))]
        inner = self.cube("inner", (-0.5, -0.5, -0.5))
        done = run("plan", "--disassemble", *sides, inner, "--json", "--no-turning")
        self.assertEqual(done.returncode, 1, done.stderr)
        stuck = {part["part"]: part for part in validated(done.stdout)["stuck"]}
        # The walls run into each other: a mistake in the parts, and said so.
        self.assertTrue(stuck["west"]["overlaps"])
        self.assertGreater(stuck["west"]["depth"]["upper"], 0.1)
        self.assertTrue(stuck["inner"]["all_translations"]["proven"])
        self.assertEqual(stuck["inner"]["directions"]["tried"],
                         stuck["inner"]["directions"]["blocked"])

    def test_bad_input_is_refused(self):
        one = self.cube("one", (0, 0, 0))
        for arguments in ((one,), (one, "missing.stl"), (one, one, "--base", "on"),
                          (one, one, "--touching", "deep")):
            with self.subTest(arguments=arguments):
                done = run("plan", "--disassemble", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr)

    @unittest.skipIf(DATA is None, "no data folder")
    def test_engine_comes_apart(self):
        done = run("plan", "--disassemble", *sorted((DATA / "assemblies/occt_engine").glob("*.stl")),
                   "--unit", "mm", "--json", "--no-turning")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(validated(done.stdout)["steps"]), 4)


if __name__ == "__main__":
    unittest.main()

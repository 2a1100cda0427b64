#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance fold of robots from outside: a snake in a pipe, starts that touch, bad input."""

import csv
import json
import unittest

from cli_test import DATA, ROOT, InFolder, run, validated

SNAKE = ROOT / "examples" / "snake.json"


def short_snake(modules):
    """The snake of the examples with fewer modules."""
    document = json.loads(SNAKE.read_text(encoding="utf-8"))
    document["chain"][0]["repeat"] = modules // 2
    return json.dumps(document)


class Robots(InFolder):
    def setUp(self):
        super().setUp()
        self.snake = self.folder / "snake.json"
        self.snake.write_text(short_snake(16), encoding="utf-8")
        # The snake is along x; the pipe is along z, 200 mm long: turned about y it is along x.
        self.pipe = self.generated("pipe", "pipe.stl")
        self.in_pipe = ["--obstacle", self.pipe, "--obstacle-pose",
                        "0.08 0 0 0 0.7071067811865476 0 0.7071067811865476"]

    def test_snake_writhes_in_a_pipe_and_never_touches_it(self):
        table = self.folder / "walk.csv"
        done = run("fold", self.snake, *self.in_pipe, "--steps", 2000, "--csv", table, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = validated(done.stdout)
        self.assertEqual((result["links"], result["turning_joints"]), (16, 15))
        self.assertEqual((result["steps"], result["obstacle_triangles"]), (2000, 1942))
        self.assertGreater(result["accepted"], 100)
        self.assertGreater(result["forbidden"], 100)
        self.assertGreater(result["room"], 0.0)
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((rows[0]["step"], rows[-1]["step"]), ("0", "2000"))
        for row in rows:
            self.assertGreater(float(row["room_m"]), 0.0)
            for name, value in row.items():
                if name.startswith("joint_"):
                    self.assertLessEqual(abs(float(value)), 0.4364)

    def test_joints_that_slide_move_too(self):
        # A cart on a rail of 1 m, with a post that turns on it; a wall stops it half way.
        document = {"format": "clearance-chain-1", "neighbours": 2, "chain": [
            {"name": "rail", "boxes": [{"size": [1, 0.02, 0.02]}]},
            {"name": "cart", "boxes": [{"size": [0.1, 0.1, 0.04]}],
             "joint": {"name": "drive", "type": "prismatic", "axis": [1, 0, 0], "lower": -0.45,
                       "upper": 0.45, "value": -0.2, "origin": {"xyz": [0, 0, 0.05]}}},
            {"name": "post", "capsules": [{"from": [0, 0, 0], "to": [0.1, 0, 0.2],
                                           "radius": 0.02}],
             "joint": {"name": "spin", "axis": [0, 0, 1], "origin": {"xyz": [0, 0, 0.1]}}}]}
        cart = self.folder / "cart.json"
        cart.write_text(json.dumps(document), encoding="utf-8")
        table = self.folder / "cart.csv"
        wall = ["--obstacle", self.generated("bin", "bin.stl"), "--obstacle-pose", "0.45 0 0.06"]
        done = run("fold", cart, *wall, "--steps", 3000, "--every", 10, "--max-slide", 0.05,
                   "--max-angle-deg", 60, "--csv", table, "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        result = validated(done.stdout)
        self.assertEqual((result["turning_joints"], result["sliding_joints"]), (1, 1))
        self.assertGreater(result["forbidden"], 50)
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        places = [float(row["drive"]) for row in rows]
        self.assertEqual(places[0], -0.2)
        self.assertLess(min(places), -0.4)
        self.assertGreaterEqual(min(places), -0.45)
        # The post, 0.1 long and 0.02 thick, may not reach the bin; without it the cart goes on.
        self.assertGreater(max(places), -0.1)
        self.assertLess(max(places), 0.2)
        self.assertTrue(all(float(row["room_m"]) > 0.0 for row in rows))
        done = run("fold", cart, "--steps", 3000, "--every", 10, "--max-slide", 0.05, "--csv",
                   table)
        self.assertIn("1 joint that turns, 1 that slides", done.stdout)
        with open(table, encoding="utf-8", newline="") as file:
            self.assertGreater(max(float(row["drive"]) for row in csv.DictReader(file)), 0.4)

    def test_same_command_gives_the_same_table(self):
        tables = [self.folder / name for name in ("a.csv", "b.csv", "c.csv")]
        for table, seed in zip(tables, (5, 5, 6)):
            done = run("fold", self.snake, *self.in_pipe, "--steps", 300, "--seed", seed, "--csv",
                       table)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("300 steps", done.stdout)
        texts = [table.read_bytes() for table in tables]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_out_keeps_table_chart_picture_and_checkpoint(self):
        out = self.folder / "walk"
        done = run("fold", self.snake, *self.in_pipe, "--steps", 400, "--audit", 100, "--out", out,
                   "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = validated(done.stdout)
        self.assertEqual((result["ended"], result["every"], result["audits"]), ("done", 4, 4))
        names = ["fold.csv", "fold.checkpoint", "fold.svg", "fold.png"]
        self.assertEqual(result["written"], [str(out / name) for name in names])
        self.assertEqual(len((out / "fold.csv").read_text(encoding="utf-8").splitlines()), 102)
        self.assertIn("to the obstacles", (out / "fold.svg").read_text(encoding="utf-8"))
        # A picture of one colour would be a few hundred bytes.
        picture = (out / "fold.png").read_bytes()
        self.assertTrue(picture.startswith(b"\x89PNG"))
        self.assertGreater(len(picture), 5000)
        self.assertEqual(result["world_from_obstacles"][0]["translation"], [0.08, 0, 0])
        done = run("fold", self.snake, "--plot", self.folder / "a.svg")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--plot draws the table", done.stderr)

    def test_resumed_walk_is_the_same_as_one_that_never_stopped(self):
        walk = ["fold", self.snake, *self.in_pipe, "--moves", 2]
        whole = self.folder / "whole.csv"
        self.assertEqual(run(*walk, "--every", 7, "--steps", 600, "--csv", whole).returncode, 0)
        parts = self.folder / "parts.csv"
        checkpoint = self.folder / "walk.checkpoint"
        keep = ["--csv", parts, "--checkpoint", checkpoint]
        # 250 is no multiple of 7: the row of its end is not part of the walk that goes on.
        self.assertEqual(run(*walk, "--every", 7, "--steps", 250, *keep).returncode, 0)
        self.assertIn("\n250,", parts.read_text(encoding="utf-8"))
        # The interval is taken from the checkpoint.
        done = run(*walk, "--steps", 600, *keep, "--resume", checkpoint, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(validated(done.stdout)["steps"], 600)
        self.assertEqual(parts.read_bytes(), whole.read_bytes())
        for change, words in [(["--seed", 9], "another seed"),
                              (["--pose", "0.001 0 0"], "another pose of the robot"),
                              (["--max-angle-deg", 4], "another largest angle"),
                              (["--every", 8], "another interval")]:
            done = run(*walk, "--steps", 600, *keep, "--resume", checkpoint, *change)
            self.assertEqual(done.returncode, 2, change)
            self.assertIn(words, done.stderr)
        other = ["--obstacle", self.pipe, "--obstacle-pose",
                 "0.081 0 0 0 0.7071067811865476 0 0.7071067811865476"]
        done = run("fold", self.snake, *other, "--moves", 2, "--steps", 600, *keep,
                   "--resume", checkpoint)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another set of obstacles", done.stderr)
        done = run(*walk, "--steps", 300, *keep, "--resume", checkpoint)
        self.assertEqual(done.returncode, 2)
        self.assertIn("beyond --steps", done.stderr)

    def test_start_in_the_wall_is_named(self):
        done = run("fold", self.snake, *self.in_pipe, "--pose", "0 0.02 0", "--json")
        self.assertEqual(done.returncode, 1)
        result = validated(done.stdout)
        self.assertFalse(result["start_free"])
        self.assertIn(["pitch_0", str(self.pipe)], result["touching"])
        done = run("fold", self.snake, *self.in_pipe, "--pose", "0 0.02 0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("pitch_0 touches", done.stdout)
        self.assertIn("the start is not free", done.stderr)

    def test_bad_input_is_refused_with_the_reason(self):
        bad = self.folder / "bad.json"
        bad.write_text('{"format": "clearance-chain-1", "chain": [{}, {"joint": {"axis": '
                       '[0, 0, 0]}}]}', encoding="utf-8")
        for arguments, words in [
            ([bad], "bad.json: chain/1/joint: the axis has no length"),
            ([self.folder / "none.json"], "none.json"),
            ([self.snake, "--obstacle", self.folder / "none.stl"], "none.stl"),
            ([self.snake, "--obstacle", self.pipe, "--obstacle-pose", "1 2"], "--obstacle-pose 1"),
            ([self.snake, "--obstacle-pose", "1 2 3"], "for each --obstacle or for none"),
            ([self.snake, "--pose", "nan 0 0"], "--pose"),
            ([self.snake, "--max-slide", 0], "--max-slide"),
            ([self.snake, "--tip", "head"], "only a URDF"),
            ([self.snake, "--trajectory", "a.pdb"], "--trajectory is for proteins only"),
            ([self.snake, "--temperature", "2"], "--temperature is for proteins only"),
            (["helix-bundle:20", "--obstacle", self.pipe], "--obstacle is for robots only"),
            (["helix-bundle:20", "--neighbours", "2"], "--neighbours is for robots only"),
            (["helix-bundle:20", "--max-slide", "0.1"], "--max-slide is for robots only"),
            (["helix-bundle:20", "--chain", "A"], "--chain is for files of proteins only"),
            (["helix-bundle:20", "--omega"], "--omega is for files of proteins only"),
        ]:
            done = run("fold", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(words, done.stderr)

    def test_arms_of_urdf_files_move(self):
        arm = DATA / "robots/abb_irb4400_support/urdf/irb4400l_30_243.urdf"
        if not arm.exists():
            self.skipTest("no data folder beside the source tree")
        # The wrist touches the forearm in the zero position; neighbours of neighbours may.
        self.assertEqual(run("fold", arm).returncode, 1)
        done = run("fold", arm, "--neighbours", 2, "--steps", 200, "--max-angle-deg", 20, "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        result = validated(done.stdout)
        self.assertEqual((result["turning_joints"], result["steps"]), (6, 200))
        self.assertGreater(result["accepted"], 50)
        self.assertIn("The chain runs from 'base_link' to", result["notes"][0])


if __name__ == "__main__":
    unittest.main()

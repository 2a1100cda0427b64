#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance check from outside: the generated welding cell with its planted collisions, exit
status, JSON against its schemas, CSV, charts, pictures, tool angles, bad input."""

import csv
import json
import os
import signal
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree

import jsonschema

from cli_test import PROGRAM, ROOT, InFolder, run, validated


def schema_of(name: str) -> jsonschema.Draft202012Validator:
    text = (ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


class WithCell(InFolder):
    def setUp(self):
        super().setUp()
        self.weld = self.folder / "weld"
        done = run("check", "--example", self.weld)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.cell = self.weld / "cell.json"
        self.program = self.weld / "program.json"

    def changed(self, path, change):
        """The file with its document changed."""
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def without_planted(self):
        self.changed(self.cell, lambda cell: cell.update(
            bodies=[b for b in cell["bodies"] if b["name"] not in ("post", "gas line")]))


class Check(WithCell):
    def test_finds_what_is_planted_between_way_points(self):
        done = run("check", self.cell, self.program, "--json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        result = validated(done.stdout)
        self.assertFalse(result["free"])
        self.assertEqual({interval["b"] for interval in result["intervals"]}, {"post", "gas line"})
        ends = [0.0] + [move["to"] for move in result["moves"]]
        names = [move["name"] for move in result["moves"]]
        for interval in result["intervals"]:
            # No way-point is inside: samples there see nothing.
            self.assertFalse([end for end in ends if interval["from"] <= end <= interval["to"]])
            self.assertLessEqual(interval["from"], interval["worst_time"])
            self.assertLessEqual(interval["worst_time"], interval["to"])
            self.assertTrue(interval["touches"])
            self.assertLessEqual(interval["depth"]["lower"], interval["depth"]["upper"])
            expected = "swing to the right" if interval["b"] == "post" else "above seam 1"
            self.assertEqual(names[interval["move"]], expected)
        for sample in result["samples"]:
            self.assertLessEqual(sample["lower"], sample["distance"])
        self.assertEqual(result["samples"][0]["from"], 0.0)
        self.assertEqual(result["samples"][-1]["to"], result["duration"])

    def test_proves_the_rest_free(self):
        self.without_planted()
        done = run("check", self.cell, self.program, "--json", "--threads", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = validated(done.stdout)
        self.assertTrue(result["free"])
        self.assertGreater(result["lower"], 0.001)
        self.assertLessEqual(result["lower"], result["least"]["distance"])
        lines = [move for move in result["moves"] if move["kind"] == "line"]
        self.assertTrue(all(0 < line["deviation"] <= 1e-4 for line in lines))
        words = run("check", self.cell, self.program)
        self.assertEqual(words.returncode, 0)
        self.assertIn("free: proven for the whole motion", words.stdout)
        # A clearance that is not there.
        near = run("check", self.cell, self.program, "--clearance", "15mm", "--no-depth")
        self.assertEqual(near.returncode, 1)
        self.assertIn("below 15 mm", near.stdout)

    def test_the_answer_does_not_depend_on_threads(self):
        one = run("check", self.cell, self.program, "--json", "--threads", 1, "--no-depth")
        three = run("check", self.cell, self.program, "--json", "--threads", 3, "--no-depth")
        self.assertEqual(one.stdout, three.stdout)

    def test_spheres_miss_nothing_and_spheres_first_say_what_meshes_say(self):
        self.changed(self.cell, lambda cell: cell.update(models={"use": "spheres", "error": 25}))
        results = {}
        for models in ("meshes", "spheres-first", "spheres"):
            done = run("check", self.cell, self.program, "--json", "--no-depth", "--models", models)
            self.assertEqual(done.returncode, 1, done.stderr)
            results[models] = validated(done.stdout)
        self.assertEqual(results["meshes"]["intervals"], results["spheres-first"]["intervals"])
        for interval in results["meshes"]["intervals"]:
            self.assertTrue([other for other in results["spheres"]["intervals"]
                             if (other["a"], other["b"]) == (interval["a"], interval["b"])
                             and other["from"] <= interval["from"]
                             and other["to"] >= interval["to"]])
        self.assertTrue(all(body["spheres"] > 0 for body in results["spheres"]["bodies"]))
        words = run("check", self.cell, self.program, "--no-depth")
        self.assertIn("some may be false alarms", words.stdout)

    def test_writes_table_chart_and_pictures(self):
        table, chart, folder = (self.folder / name for name in ("c.csv", "c.svg", "pictures"))
        done = run("check", self.cell, self.program, "--csv", table, "--plot", chart,
                   "--pictures", folder, "--samples", 50, "--json")
        result = validated(done.stdout)
        with table.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual(len(rows), len(result["samples"]))
        self.assertAlmostEqual(float(rows[3]["clearance_m"]), result["samples"][3]["distance"])
        self.assertIn("svg", xml.etree.ElementTree.parse(chart).getroot().tag)
        pictures = sorted(folder.iterdir())
        self.assertEqual(len(pictures), len(result["intervals"]))
        for interval in result["intervals"]:
            with open(interval["picture"], "rb") as picture:
                head = picture.read(24)
            self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", head[16:24]), (1280, 560))

    def test_lists_pairs_and_why_they_are_left_out(self):
        self.changed(self.cell, lambda cell: cell.update(
            allowed=[["nozzle", "work-piece"]], matrix={"samples": 100}))
        result = validated(run("check", self.cell, "--pairs", "--json").stdout)
        reasons = {frozenset(pair["bodies"]): pair["reason"]
                   for pair in result["pairs"]["left_out"]}
        self.assertEqual(reasons[frozenset(("nozzle", "work-piece"))], "allowed")
        self.assertEqual(reasons[frozenset(("torch", "nozzle"))], "rigid")
        self.assertEqual(reasons[frozenset(("base", "shoulder"))], "adjacent")
        self.assertNotIn(frozenset(("torch", "post")), reasons)
        # Never found in samples, and tested all the same.
        for pair in result["pairs"]["never_found"]:
            self.assertIn(pair, result["pairs"]["tested"])
        words = run("check", self.cell, "--pairs")
        self.assertIn("they do not move against each other", words.stdout)

    def test_example_follows_its_schemas(self):
        for name, path in (("cell", self.cell), ("program", self.program)):
            schema_of(name).validate(json.loads(path.read_text(encoding="utf-8")))
        wrong = json.loads(self.cell.read_text(encoding="utf-8"))
        wrong["bodies"][0]["shapes"][0]["box"] = [1, 1, 1]
        self.assertFalse(schema_of("cell").is_valid(wrong))
        wrong = json.loads(self.program.read_text(encoding="utf-8"))
        wrong["moves"][0]["speed"] = 3
        self.assertFalse(schema_of("program").is_valid(wrong))

    def test_stops_when_told_to(self):
        # Many samples and a fine tolerance: minutes of work.
        with subprocess.Popen([PROGRAM, "check", self.cell, self.program, "--samples", "1000000",
                               "--plot", self.folder / "c.svg"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
        self.assertFalse(os.path.exists(self.folder / "c.svg"))


class ToolAngles(WithCell):
    POINT = "0.95 0 0.478  0 0 1  0.5 0.866 0"

    def test_map_of_free_angles(self):
        table, chart = self.folder / "a.csv", self.folder / "a.svg"
        done = run("check", self.cell, "--tool-angles", self.POINT, "--work", "-90:90:30",
                   "--travel", "0,30", "--rotation", "0:270:90", "--csv", table, "--plot", chart,
                   "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = validated(done.stdout)
        self.assertEqual(len(result["angles"]), 7 * 2 * 4)
        states = {angle["status"] for angle in result["angles"]}
        self.assertIn("free", states)
        # Lying in the plane of the pipes the torch runs into them, or is out of reach.
        flat = [angle for angle in result["angles"] if abs(angle["work"]) > 1.5]
        self.assertTrue(all(angle["status"] != "free" for angle in flat))
        for angle in result["angles"]:
            self.assertEqual(angle["contact"] is not None, angle["status"] == "blocked")
        with table.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual([row["status"] for row in rows],
                         [angle["status"] for angle in result["angles"]])
        self.assertIn("svg", xml.etree.ElementTree.parse(chart).getroot().tag)

    def test_no_free_angle_is_status_1(self):
        done = run("check", self.cell, "--tool-angles", "9 9 9  0 0 1  1 0 0", "--work", "0",
                   "--travel", "0", "--rotation", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 of 1 angle", done.stdout)

    def test_wrong_numbers_are_named(self):
        for arguments, words in (
                (["--tool-angles", "1 2 3"], "has 3 numbers, not nine"),
                (["--tool-angles", "1 2 x 0 0 1 1 0 0"], "'x' is not a number"),
                (["--tool-angles", "0 0 0 0 0 1 0 0 1"], "runs along the direction"),
                (["--tool-angles", self.POINT, "--work", "10:0:5"], "--work"),
                (["--tool-angles", self.POINT, "--travel", "a"], "'a' is not an angle"),
                ([self.program, "--tool-angles", self.POINT], "takes no program")):
            done = run("check", self.cell, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)


class BadInput(WithCell):
    def refused(self, *words):
        done = run("check", self.cell, self.program, "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_way_points_outside_limits(self):
        self.changed(self.program, lambda p: p["way_points"].update(left=[200, 0, 0, 0, 0, 0]))
        self.refused("program.json", "way_points/left", "joint_1", "limits")

    def test_unknown_joints_and_units(self):
        self.changed(self.program, lambda p: p["way_points"].update(left={"joint_9": 0}))
        self.refused("way_points/left/joint_9", "no joint 'joint_9'")
        self.changed(self.program, lambda p: p["units"].update(angle="grad"))
        self.refused("units/angle")

    def test_lines_out_of_reach(self):
        self.changed(self.program, lambda p: p["moves"][1].update(line={"xyz": [3000, 0, 0]}))
        self.refused("program.json", "moves/1 'above seam 1'", "can be followed for")

    def test_missing_robot_and_mesh(self):
        self.changed(self.cell, lambda c: c["bodies"][4]["shapes"][0].update(mesh="gone.stl"))
        self.refused("cell.json", "bodies/4/shapes/0/mesh", "gone.stl")
        self.changed(self.cell, lambda c: c["robot"].update(urdf="gone.urdf"))
        self.refused("cell.json", "robot/urdf", "gone.urdf")

    def test_robots_with_loops_and_unknown_joints(self):
        urdf = self.weld / "welder.urdf"
        text = urdf.read_text(encoding="utf-8")
        urdf.write_text(text.replace('<child link="shoulder"/>', '<child link="base"/>'),
                        encoding="utf-8")
        self.refused("welder.urdf")
        urdf.write_text(text.replace('name="joint_1" type="revolute"',
                                     'name="joint_1" type="floating"'), encoding="utf-8")
        self.refused("welder.urdf", "joint_1")

    def test_wrong_usage(self):
        self.assertEqual(run("check").returncode, 2)
        self.assertEqual(run("check", self.cell).returncode, 2)
        self.assertEqual(run("check", self.cell, self.program, "--models", "cubes").returncode, 2)
        self.assertEqual(run("check", self.folder / "no.json", self.program).returncode, 2)
        self.assertEqual(run("check", self.program, self.cell).returncode, 2)


if __name__ == "__main__":
    unittest.main()

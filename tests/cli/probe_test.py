#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance probe from outside: distances derived by hand, robots with joints, paths, maps, bad
input. Streams have a file of their own, probe_stream_test.py."""

import csv
import json
import math
import re
import struct
import unittest
import xml.etree.ElementTree

from cli_test import DATA, ROOT, InFolder, run, validated

# A square of 200 mm at z = 0, two triangles.
SQUARE = """OFF
4 2 0
-0.1 -0.1 0
0.1 -0.1 0
0.1 0.1 0
-0.1 0.1 0
3 0 1 2
3 0 2 3
"""
# A straight tube of radius 5 mm along x, 60 mm long, two segments; and a thin one above it.
TUBE = {"clearance": "contour", "version": 1, "units": "mm",
        "series": [{"name": "tube", "line": [[-30, 0, 0], [0, 0, 0], [30, 0, 0]], "radius": 5},
                   {"name": "wire", "line": [[-30, 0, 20], [30, 0, 20]], "radius": 1}]}
# An arm of one link that turns about y at the origin and points along x, a sphere at its end.
ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="forearm">
    <collision><origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.01" length="0.2"/></geometry></collision>
  </link>
  <joint name="elbow" type="revolute">
    <parent link="base"/><child link="forearm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


class ProbeCase(InFolder):
    def setUp(self):
        super().setUp()
        self.mesh = self.write("square.off", SQUARE)
        self.tube = self.write("tube.json", json.dumps(TUBE))

    def probed(self, *arguments, status=0):
        done = run("probe", *arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr)
        return validated(done.stdout)


class Probe(ProbeCase):
    def test_distance_of_a_tube_above_a_square_is_derived_by_hand(self):
        result = self.probed(self.tube, self.mesh, "--pose", "0 0 0.025")
        self.assertEqual(result["robot"]["segments"], 3)
        self.assertEqual(result["mesh"]["triangles"], 2)
        self.assertEqual(result["method"], "tree")
        closest = result["configurations"][0]["closest"]
        self.assertAlmostEqual(closest["distance"], 0.020, places=12)
        self.assertAlmostEqual(closest["on_contour"][2], 0.020, places=12)
        self.assertAlmostEqual(closest["on_mesh"][2], 0.0, places=12)
        self.assertEqual((closest["series"], closest["link"]), ("tube", None))
        self.assertIn(closest["segment"], (0, 1))  # both are as close
        self.assertAlmostEqual(closest["rho"], 1.0, places=9)
        self.assertEqual(result["summary"],
                         {"configurations": 1, "contacts": 0, "too_close": 0,
                          "closest_configuration": 0, "least_distance": closest["distance"]})

    def test_exit_status_tells_free_from_contact_and_too_close(self):
        for pose, options, status in [
            ("0 0 0.025", [], 0),
            ("0 0 0.025", ["--clearance", "19mm"], 0),
            ("0 0 0.025", ["--clearance", "21mm"], 1),
            ("0 0 0.025", ["--clearance", "0.02"], 1),  # exactly as close as that
            ("0 0 0.005", [], 1),   # touches along a line
            ("0 0 0", [], 1),       # the square cuts the tube
            ("0 0 0.025", ["--range", "1mm", "--clearance", "21mm"], 1),
        ]:
            done = run("probe", self.tube, self.mesh, "--pose", pose, *options)
            self.assertEqual(done.returncode, status, (pose, options, done.stdout, done.stderr))
        self.assertIn("0, contact", run("probe", self.tube, self.mesh).stdout)

    def test_a_triangle_inside_the_robot_is_contact(self):
        speck = self.write("speck.off", "OFF\n3 1 0\n0 0 0\n0.001 0 0\n0 0.001 0\n3 0 1 2\n")
        self.assertEqual(self.probed(self.tube, speck, status=1)["summary"]["least_distance"], 0)

    def test_all_methods_give_the_same_answer(self):
        answers = []
        methods = ["tree", "scalar", "simd", "bisection", "kernel-on-cpu"]
        if validated(run("probe", "--list-devices", "--json").stdout)["devices"]:
            methods += ["opencl", "opencl-culled"]
        for method in methods:
            for threads in (1, 2):
                result = self.probed(self.tube, self.mesh, "--pose", "0.07 0.02 0.03", "--each",
                                     "--method", method, "--threads", threads)
                self.assertEqual(result["method"], method)
                row = result["configurations"][0]
                answers.append((row["closest"], row["each"]))
        for answer in answers[1:]:
            self.assertEqual(answer, answers[0])

    def test_each_segment_has_its_own_distance(self):
        row = self.probed(self.tube, self.mesh, "--pose", "0 0 0.025", "--each")[
            "configurations"][0]
        for hit, expected in zip(row["each"], (0.020, 0.020, 0.044)):
            self.assertAlmostEqual(hit["distance"], expected, places=12)
        text = run("probe", self.tube, self.mesh, "--pose", "0 0 0.025", "--each").stdout
        self.assertRegex(text, r"2  wire +44 mm")

    def test_range_ends_the_search(self):
        result = self.probed(self.tube, self.mesh, "--pose", "0 0 0.025", "--range", "10mm")
        self.assertIsNone(result["configurations"][0]["closest"])
        self.assertIsNone(result["summary"]["least_distance"])
        self.assertIn("more than 10 mm",
                      run("probe", self.tube, self.mesh, "--pose", "0 0 0.025", "--range",
                          "10mm").stdout)

    def test_poses_of_a_file_and_angles(self):
        poses = self.write("poses.txt", "0 0 25\n0 0 45 0 0 0 1  # higher\n")
        result = self.probed(self.tube, self.mesh, "--poses", poses, "--pose-unit", "mm")
        distances = [row["closest"]["distance"] for row in result["configurations"]]
        for distance, expected in zip(distances, (0.020, 0.040)):
            self.assertAlmostEqual(distance, expected, places=12)
        # Upright: the end disc looks down.
        result = self.probed(self.tube, self.mesh, "--pose-rpy-deg", "0 0 0.05 0 90 0")
        self.assertAlmostEqual(result["summary"]["least_distance"], 0.020, places=12)

    def test_unit_of_the_mesh(self):
        mesh = self.write("mm.off", SQUARE.replace("0.1", "100"))
        result = self.probed(self.tube, mesh, "--unit", "mm", "--pose", "0 0 0.025")
        self.assertAlmostEqual(result["summary"]["least_distance"], 0.020, places=12)

    def test_help_names_every_option_once(self):
        done = run("probe", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:", done.stdout)
        names = re.findall(r"^      (--[a-z-]+)", done.stdout, re.MULTILINE)
        self.assertEqual(len(names), len(set(names)))
        for name in ("--pose", "--joints", "--map", "--stream", "--rate", "--udp", "--method"):
            self.assertIn(name, names)

    def test_devices_are_listed_whether_there_are_any_or_not(self):
        done = run("probe", "--list-devices", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        validated(done.stdout)
        self.assertEqual(run("probe", "--list-devices").returncode, 0)


class Robots(ProbeCase):
    def setUp(self):
        super().setUp()
        self.arm = self.write("arm.urdf", ARM)

    def test_joints_move_the_segments_fitted_to_a_urdf(self):
        flat = self.probed(self.arm, self.mesh, "--pose", "0 0 0.3")
        # A cylinder in a segment: the polyhedron around it is at most 1/cos(pi/32) wider.
        self.assertAlmostEqual(flat["summary"]["least_distance"], 0.29, delta=2e-4)
        self.assertEqual(flat["configurations"][0]["joints"], {"elbow": 0.0})
        self.assertEqual(flat["robot"]["fitted"][0]["link"], "forearm")
        self.assertEqual(flat["configurations"][0]["closest"]["link"], "forearm")
        # Turned down by 30 degrees the end is 0.2 sin 30 + 0.01 cos 30 lower.
        for joints in (f"elbow={math.pi / 6}", f"{math.pi / 6}"):
            down = self.probed(self.arm, self.mesh, "--pose", "-0.1 0 0.3", "--joints", joints)
            expected = 0.3 - 0.1 - 0.01 * math.cos(math.pi / 6)
            self.assertAlmostEqual(down["summary"]["least_distance"], expected, delta=2e-4)

    def test_fitted_segments_are_saved_and_read_again(self):
        folder = self.folder / "fits"
        folder.mkdir()
        saved = folder / "arm.json"
        first = self.probed(self.arm, self.mesh, "--pose", "0 0 0.3", "--joints", "elbow=0.5",
                            "--save-contours", saved)
        again = self.probed(saved, self.mesh, "--pose", "0 0 0.3", "--joints", "elbow=0.5")
        self.assertEqual(again["configurations"][0]["closest"],
                         first["configurations"][0]["closest"])

    def test_path_of_joints_becomes_table_and_plot(self):
        path = self.write("swing.csv", "time,elbow,x,y,z\n" + "".join(
            f"{i / 10},{i / 10},0,0,0.3\n" for i in range(10)))
        table, plot = self.folder / "out.csv", self.folder / "out.svg"
        result = self.probed(self.arm, self.mesh, "--path", path, "--csv", table, "--plot", plot,
                             "--clearance", "0.18", status=1)
        rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
        self.assertEqual(len(rows), 10)
        for row, answer in zip(rows, result["configurations"]):
            self.assertEqual(float(row["distance"]), answer["closest"]["distance"])
            self.assertEqual(float(row["elbow"]), answer["joints"]["elbow"])
            self.assertEqual(float(row["time"]), answer["time"])
            self.assertEqual(row["too_close"] == "1", answer["too_close"])
        distances = [float(row["distance"]) for row in rows]
        self.assertEqual(distances, sorted(distances, reverse=True))
        self.assertEqual(result["summary"]["closest_configuration"], 9)
        drawing = xml.etree.ElementTree.parse(plot)
        text = "".join(drawing.getroot().itertext())
        self.assertIn("time [s]", text)
        self.assertIn("clearance", text)

    def test_path_of_json_lines(self):
        path = self.write("swing.jsonl", '# two of them\n{"joints": [0.5], "pose": [0, 0, 0.3]}\n\n'
                          '{"joints": {"elbow": -0.5}, "pose": [0, 0, 0.3], "time": 2}\n')
        result = self.probed(self.arm, self.mesh, "--path", path)
        self.assertEqual([row["joints"]["elbow"] for row in result["configurations"]], [0.5, -0.5])
        self.assertEqual([row["time"] for row in result["configurations"]], [None, 2])

    def test_real_arm_gets_segments(self):
        arm = DATA / "robots/abb_irb4400_support/urdf/irb4400l_30_243.urdf"
        if not arm.exists():
            self.skipTest("no data folder beside the source tree")
        result = self.probed(arm, self.mesh, "--pose", "0 0 1", "--segments", 20)
        self.assertLessEqual(result["robot"]["segments"], 20)
        self.assertEqual(len(result["robot"]["joints"]), 6)
        self.assertGreater(result["summary"]["least_distance"], 0.1)


class Maps(ProbeCase):
    def test_ply_holds_distance_and_colour_of_each_vertex(self):
        target = self.folder / "map.ply"
        done = run("probe", self.tube, self.mesh, "--pose", "0.07 0 0.025", "--map", target,
                   "--map-detail", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("map.legend.svg", done.stderr)
        header, body = target.read_bytes().split(b"end_header\n", 1)
        self.assertIn(b"property double distance", header)
        vertices = [struct.unpack_from("<ddd3Bd", body, 35 * i) for i in range(4)]
        for x, y, z, red, _, blue, distance in vertices:
            # The nearest point of the tube's axis, its end at x = 0.1; the radius off.
            axis = min(max(x, 0.04), 0.1)
            expected = math.hypot(x - axis, y, z - 0.025)
            if axis == x:
                self.assertAlmostEqual(distance, expected - 0.005, places=9)
            # Those at +x are nearer: warm; the farthest are cold.
            self.assertEqual(x > 0, red > blue, vertices)
        legend = (self.folder / "map.legend.svg").read_text(encoding="utf-8")
        self.assertIn("distance [mm]", legend)

    def test_large_triangles_are_cut_for_the_map(self):
        counts = []
        for detail in ("0", "20mm", "10mm"):
            target = self.folder / "map.ply"
            done = run("probe", self.tube, self.mesh, "--pose", "0 0 0.025", "--map", target,
                       "--map-detail", detail)
            self.assertEqual(done.returncode, 0, done.stderr)
            header, body = target.read_bytes().split(b"end_header\n", 1)
            counts.append(int(re.search(rb"element vertex (\d+)", header).group(1)))
            # The corners of the square come first, whatever is cut.
            self.assertEqual(struct.unpack_from("<ddd", body, 0), (-0.1, -0.1, 0))
        self.assertGreater(counts[1], counts[0] + 100)
        self.assertGreater(counts[2], 3 * (counts[1] - counts[0]))

    def test_glb_and_picture_are_written(self):
        target, picture = self.folder / "map.glb", self.folder / "map.png"
        done = run("probe", self.tube, self.mesh, "--pose", "0 0 0.025", "--map", target,
                   "--picture", picture, "--range", "50mm", "--cut-away", "--eye", "0 -1 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(target.read_bytes()[:4], b"glTF")
        size = struct.unpack_from("<I", target.read_bytes(), 12)[0]
        scene = json.loads(target.read_bytes()[20:20 + size])
        self.assertEqual([mesh["name"] for mesh in scene["meshes"]], ["mesh", "robot"])
        self.assertIn("COLOR_0", scene["meshes"][0]["primitives"][0]["attributes"])
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        width = struct.unpack_from(">I", picture.read_bytes(), 16)[0]
        self.assertGreater(width, 800)  # the picture and its legend

    def test_other_formats_are_refused(self):
        done = run("probe", self.tube, self.mesh, "--pose", "0 0 1", "--map",
                   self.folder / "map.stl")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be written with colours", done.stderr)


class BadInput(ProbeCase):
    def test_is_refused_with_file_place_and_reason(self):
        arm = self.write("arm.urdf", ARM)
        one = self.write("one.json", json.dumps(
            {"clearance": "contour", "version": 1,
             "series": [{"nodes": [{"position": [0, 0, 0], "tangent": [0, 0, 1], "radius": 1}]}]}))
        empty = self.write("empty.off", "OFF\n0 0 0\n")
        vtk = self.write("scan.vtk", "# vtk DataFile Version 3.0\n")
        csv_file = self.write("path.csv", "time,elbow\n0,0.5\n1,oops\n")
        column = self.write("column.csv", "elbwo\n0.5\n")
        lines = self.write("path.jsonl", '{"joints": [0.1]}\n{"joints": [NaN]}\n')
        far = self.write("far.jsonl", '{"joints": [3]}\n')
        for arguments, words in [
            ([self.tube], "ROBOT and MESH are needed"),
            ([self.folder / "none.json", self.mesh], "none.json"),
            ([self.tube, self.folder / "none.stl"], "none.stl"),
            ([self.mesh, self.mesh], "square.off: a robot is a .json file of contours or a .urdf"),
            ([one, self.mesh], "one.json"),
            ([self.tube, empty], "empty.off"),
            ([self.tube, vtk], "scan.vtk: the format '.vtk' is not known"),
            ([self.tube, self.mesh, "--pose", "1 2"], "--pose: 2 numbers instead of 3 or 7"),
            ([self.tube, self.mesh, "--pose", "nan 0 0"], "--pose"),
            ([self.tube, self.mesh, "--pose", "0 0 1", "--poses", "p.txt"], "exclude each other"),
            ([self.tube, self.mesh, "--joints", "1"], "--joints: '" + str(self.tube)),
            ([self.tube, self.mesh, "--segments", "5"], "are for fitting a .urdf"),
            ([self.tube, self.mesh, "--package", self.folder], "--package is for a .urdf"),
            ([self.tube, self.mesh, "--method", "trie"], "did you mean 'tree'?"),
            ([self.tube, self.mesh, "--clearance", "2 furlongs"], "--clearance"),
            ([self.tube, self.mesh, "--rate", "10"], "are for --stream"),
            ([arm, self.mesh, "--joints", "elbwo=1"], "did you mean 'elbow'?"),
            ([arm, self.mesh, "--joints", "1 2"], "2 numbers, but the robot has 1 joint (its "
             "joints, in this order: elbow)"),
            ([arm, self.mesh, "--joints", "elbow=2"], "--joints"),
            ([arm, self.mesh, "--joints", "elbow=x"], "'x' is not a number"),
            ([arm, self.mesh, "--path", csv_file], "path.csv: line 3: 'oops' is not a number"),
            ([arm, self.mesh, "--path", column], "column.csv: line 1: the robot has no joint"),
            ([arm, self.mesh, "--path", lines], "path.jsonl: line 2: joints: expected a number, "
             "not 'NaN'"),
            ([arm, self.mesh, "--path", far], "far.jsonl: line 1"),
            ([self.tube, self.mesh, "--eye", "0 0 0", "--picture", self.folder / "a.png"], "--eye"),
        ]:
            done = run("probe", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
            self.assertIn(words, done.stderr)
        self.assertEqual(run("probe", arm, self.mesh, "--pose", "0 0 1", "--joints", "elbow=2",
                             "--ignore-limits").returncode, 0)


if __name__ == "__main__":
    unittest.main()

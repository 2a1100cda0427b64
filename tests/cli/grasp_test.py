#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance grasp from outside: the qualities against Qhull, every file it writes, grippers and
wire-frames from files, pictures, exit status, bad input, real parts and a real gripper."""

import csv
import json
import math
import signal
import struct
import subprocess
import time
import unittest
import zlib

import jsonschema
import numpy
from scipy.spatial import ConvexHull

from cli_test import DATA, PROGRAM, ROOT, InFolder, run
from simplify_test import OPEN_BOX

FRAME = ROOT / "examples" / "conrod_wire_frame.json"
GRIPPER = ROOT / "examples" / "gripper.json"
# A bar of 20 x 20 x 100 mm about the origin, along z.
BAR = "OFF\n8 12 0\n" + "".join(
    f"{x} {y} {z}\n" for z in (-0.05, 0.05) for y in (-0.01, 0.01) for x in (-0.01, 0.01)) + """\
3 0 2 1
3 1 2 3
3 4 5 6
3 5 7 6
3 0 1 4
3 1 5 4
3 2 6 3
3 3 6 7
3 0 4 2
3 2 4 6
3 1 3 5
3 3 7 5
"""


def schema_of(name):
    text = (ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def wrenches(grasp, result):
    """The points of docs/grasp.md, computed anew: edges of pyramids, and twists of soft fingers."""
    options = result["options"]
    center = numpy.array(result["mass_center"])
    radius = result["largest_radius"]
    approach = numpy.array(grasp["approach"])
    points = []
    for contact in grasp["contacts"]:
        normal = numpy.array(contact["inward"])
        arm = (numpy.array(contact["point"]) - center) / radius
        u = approach - approach.dot(normal) * normal
        u /= numpy.linalg.norm(u)
        v = numpy.cross(normal, u)
        edges = options["cone_edges"]
        for angle in (2.0 * math.pi * i / edges for i in range(edges)):
            force = normal + options["friction"] * (math.cos(angle) * u + math.sin(angle) * v)
            force /= math.hypot(1.0, options["friction"])
            points.append((contact["finger"], [*force, *numpy.cross(arm, force)]))
        if options["torsion"] > 0.0:
            for sign in (-1.0, 1.0):
                torque = numpy.cross(arm, normal) + sign * options["torsion"] / radius * normal
                points.append((contact["finger"], [*normal, *torque]))
    return points


def ball_in_hull(points):
    return min(-ConvexHull(numpy.array(points), qhull_options="Qt Qx").equations[:, 6])


def reference(grasp, result):
    """The radius of the largest ball about the origin, by Qhull."""
    points = wrenches(grasp, result)
    if result["options"]["limit"] == "sum":
        return ball_in_hull([w for _, w in points])
    # Each finger up to 1: sums of one point of each finger, or none.
    zero = numpy.zeros(6)
    fingers = [[zero] + [numpy.array(w) for f, w in points if f == finger] for finger in (0, 1)]
    return ball_in_hull([a + b for a in fingers[0] for b in fingers[1]])


def pixels(path):
    """Those of a PNG file of 8 bits and three colours: rows of bytes."""
    data, found, at = path.read_bytes(), b"", 8
    width = struct.unpack(">I", data[16:20])[0]
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        found += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    found, size = zlib.decompress(found), 1 + 3 * width
    rows = [bytes(size + 2)]
    for start in range(0, len(found), size):
        how, row = found[start], bytearray(found[start + 1:start + size])
        for i, value in enumerate(row):
            # Left, above, and left of above; nothing is zero.
            a, b, c = row[i - 3] if i > 2 else 0, rows[-1][i], rows[-1][i - 3] if i > 2 else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2] if how == 4 else 0
            row[i] = (value + (0, a, b, (a + b) // 2, paeth)[how]) % 256
        rows.append(bytes(row))
    return rows[1:]


class GraspCase(InFolder):
    def grasped(self, *arguments, status=0):
        return self.result_of("grasp", *arguments, status=status)

    def refused(self, *arguments):
        return self.refusal_of("grasp", *arguments)

    def bar(self):
        return self.write("bar.off", BAR)

    def bar_frame(self):
        return self.write("frame.json", json.dumps({
            "clearance": "wire-frame", "version": 1, "units": {"length": "mm"},
            "segments": [[[0, 0, -30], [0, 0, 30]]]}))

    def conrod(self):
        return self.generated("conrod", "conrod.stl", "--triangles", 3000)


class Quality(GraspCase):
    def compare(self, *options):
        part = self.conrod()
        result = self.grasped(part, "--wire-frame", FRAME, "--step", "8mm", "--best", 6, *options)
        self.assertGreater(len(result["best"]), 3)
        for grasp in result["best"]:
            self.assertAlmostEqual(grasp["stability"], reference(grasp, result), delta=1e-9)

    def test_equals_qhull(self):
        self.compare("--friction", 1.0)

    def test_equals_qhull_with_soft_fingers(self):
        self.compare("--friction", 1.0, "--edges", 5, "--torsion", "4mm")

    def test_equals_qhull_for_each_finger(self):
        self.compare("--friction", 1.0, "--edges", 4, "--limit", "each")

    def test_equals_qhull_on_an_analytic_grasp(self):
        # A bar pinched at its middle: contacts at x = +-10 mm and y = +-6 mm.
        result = self.grasped(self.bar(), "--wire-frame", self.bar_frame(), "--step", "5mm",
                              "--softness", "1mm", "--best", 1000)
        square = [g for g in result["best"]
                  if abs(g["width"] - 0.02) < 1e-12 and abs(g["approach"][2]) < 1e-12]
        self.assertGreater(len(square), 3)
        for grasp in square[:4]:
            self.assertAlmostEqual(grasp["stability"], reference(grasp, result), delta=1e-9)


class Results(GraspCase):
    def test_counts_go_down_and_the_best_come_first(self):
        result = self.grasped(self.conrod(), "--wire-frame", FRAME, "--friction", 1)
        n = result["counts"]
        self.assertGreaterEqual(n["sampled"], 20000)
        self.assertTrue(n["sampled"] > n["free"] >= n["feasible"] > n["stable"] > n["robust"] > 0)
        self.assertIsNone(result["why_none"])
        self.assertEqual(len(result["best"]), 10)
        qualities = [g["quality"] for g in result["best"]]
        self.assertEqual(qualities, sorted(qualities, reverse=True))
        # On the shank, near the centre of mass: as in the paper.
        for grasp in result["best"]:
            self.assertLess(abs(grasp["part_from_gripper"]["xyz"][0] -
                                result["mass_center"][0]), 0.06)

    def test_words_tell_the_same_as_json(self):
        part, frame = self.bar(), self.bar_frame()
        arguments = (part, "--wire-frame", frame, "--step", "5mm", "--softness", "1mm")
        text = run("grasp", *arguments).stdout
        n = self.grasped(*arguments)["counts"]
        for name in ("free", "feasible", "stable", "robust"):
            share = f"{100.0 * n[name] / n['sampled']:.1f} %"
            self.assertRegex(text, rf"{name} +{n[name]:,} +{share}")
        self.assertIn("1 segment, 60 mm, from", text)

    def test_every_file_it_writes_holds_the_same(self):
        files = [self.folder / f"bar.{e}" for e in ("cgr", "json", "csv")]
        frame = self.folder / "again.json"
        picture = self.folder / "bar.png"
        outs = [a for f in files for a in ("--out", f)]
        result = self.grasped(self.bar(), "--wire-frame", self.bar_frame(), "--step", "5mm", *outs,
                              "--write-wire-frame", frame, "--picture", picture)
        self.assertEqual(result["written"], [str(f) for f in (*files, frame, picture)])
        grasps = json.loads(files[1].read_text())
        schema_of("grasps").validate(grasps)
        self.assertEqual(grasps["counts"], result["counts"])
        self.assertEqual(len(grasps["grasps"]), result["counts"]["stable"])
        self.assertEqual(grasps["grasps"][0]["contacts"], result["best"][0]["contacts"])
        with files[2].open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), result["counts"]["stable"])
        self.assertEqual(float(rows[0]["quality"]), result["best"][0]["quality"])
        self.assertEqual(float(rows[3]["qw"]),
                         grasps["grasps"][3]["part_from_gripper"]["quaternion"][3])
        data = files[0].read_bytes()
        self.assertEqual(data[:8], b"CLEARGRP")
        self.assertEqual(struct.unpack_from("<Q", data, 24)[0], len(data))
        self.assertEqual(struct.unpack_from("<Q", data, 32)[0], result["counts"]["stable"])
        schema_of("wire-frame").validate(json.loads(frame.read_text()))
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_pictures_of_very_many_grasps_show_all_of_both_views(self):
        # A picture has no room for the lines of all of these: the second view was left out.
        picture = self.folder / "bar.png"
        result = self.grasped(self.bar(), "--wire-frame", self.bar_frame(), "--step", "2mm", "--friction", 1,
                              "--best", 0, "--picture", picture)
        self.assertGreater(result["counts"]["robust"], 10_000)
        rows = pixels(picture)
        width, background = len(rows[0]) // 3, rows[0][:3]
        used = [x for x in range(width) if any(row[3 * x:3 * x + 3] != background for row in rows)]
        # The part is in the left half, grasps on both sides of the middle; red, the best, in both.
        middle = (used[0] + used[-1]) // 2
        reds = [x for row in rows for x in range(width)
                if row[3 * x] > 180 and row[3 * x + 1] < 90 and row[3 * x + 2] < 90]
        self.assertTrue(any(x < middle for x in reds))
        self.assertTrue(any(x > middle for x in reds))

    def test_the_wire_frame_it_writes_gives_the_same_grasps(self):
        part = self.conrod()
        frame = self.folder / "frame.json"
        options = ("--step", "8mm", "--friction", 1)
        derived = self.grasped(part, *options, "--write-wire-frame", frame)
        self.assertEqual(derived["wire_frame"]["source"], "skeleton")
        given = self.grasped(part, *options, "--wire-frame", frame)
        self.assertEqual(given["wire_frame"]["source"], "file")
        for name in ("counts", "best"):
            self.assertEqual(given[name], derived[name])

    def test_a_gripper_from_a_file_is_that_of_its_sizes(self):
        schema_of("gripper").validate(json.loads(GRIPPER.read_text()))
        schema_of("wire-frame").validate(json.loads(FRAME.read_text()))
        part, frame = self.bar(), self.bar_frame()
        options = ("--wire-frame", frame, "--step", "6mm")
        from_file = self.grasped(part, "--gripper", GRIPPER, *options)
        by_default = self.grasped(part, *options)
        self.assertEqual(from_file["gripper"]["name"], "two-finger gripper")
        self.assertEqual(from_file["counts"], by_default["counts"])

    def test_threads_change_nothing(self):
        part, frame = self.bar(), self.bar_frame()
        files = []
        for threads in (1, 3):
            out = self.folder / f"{threads}.cgr"
            self.grasped(part, "--wire-frame", frame, "--step", "5mm", "--threads", threads,
                         "--out", out)
            files.append(out.read_bytes())
        self.assertEqual(files[0], files[1])


class NoGrasp(GraspCase):
    def none(self, *arguments):
        done = run("grasp", *arguments)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        result = self.grasped(*arguments, status=1)
        self.assertIn(f"no grasp: {result['why_none']}", done.stdout)
        self.assertEqual(result["best"], [])
        return result["why_none"]

    def test_an_opening_smaller_than_the_part(self):
        words = self.none(self.bar(), "--wire-frame", self.bar_frame(), "--opening", "15mm")
        self.assertIn("it opens 15 mm, and the part is 20 x 20 x 100 mm", words)

    def test_friction_too_low_to_be_robust(self):
        words = self.none(self.bar(), "--wire-frame", self.bar_frame(), "--step", "8mm",
                          "--friction", 0.02)
        self.assertIn("friction", words)


class BadInput(GraspCase):
    def test_is_named(self):
        bar, frame = self.bar(), self.bar_frame()
        self.assertIn("opening", self.refused(bar, "--opening", 0))
        self.assertIn("--opening", self.refused(bar, "--opening", "-5mm"))
        self.assertIn("friction: 0.000000 is not above 0", self.refused(bar, "--friction", 0))
        self.assertIn("step: 0.300000 m is larger than the part",
                      self.refused(bar, "--step", "300mm"))
        self.assertIn("step", self.refused(bar, "--step", 0))
        self.assertIn("--edges", self.refused(bar, "--edges", 2))
        self.assertIn("neither sum nor each", self.refused(bar, "--limit", "both"))
        self.assertIn(".cgr, .json or .csv", self.refused(bar, "--out", "grasps.txt"))
        self.assertIn("as .png", self.refused(bar, "--picture", "grasps.svg"))
        self.assertIn("its own sizes", self.refused(bar, "--gripper", GRIPPER, "--opening", "9mm"))
        self.assertIn("no_such.stl", self.refused("no_such.stl"))
        self.assertIn("no_such.json", self.refused(bar, "--gripper", "no_such.json"))
        self.assertIn("no_such.json", self.refused(bar, "--wire-frame", "no_such.json"))
        self.assertIn("does not say", self.refused(bar, "--wire-frame", GRIPPER))
        self.assertIn("does not say", self.refused(bar, "--gripper", frame))

    def test_a_wire_frame_outside_the_part(self):
        frame = self.write("far.json", json.dumps({
            "clearance": "wire-frame", "version": 1, "segments": [[[5, 0, 0], [6, 0, 0]]]}))
        words = self.refused(self.bar(), "--wire-frame", frame)
        self.assertIn("far.json: wire-frame: is wholly outside the part", words)

    def test_an_open_mesh(self):
        words = self.refused(self.write("open.off", OPEN_BOX))
        self.assertIn("open.off: part: is no solid", words)

    def test_interrupting_leaves_no_file(self):
        part = self.conrod()
        out = self.folder / "out.cgr"
        process = subprocess.Popen([PROGRAM, "grasp", part, "--step", "0.4mm", "--out", out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["conrod.stl"])


@unittest.skipUnless(DATA.is_dir(), "no data folder")
class RealParts(GraspCase):
    def test_a_real_con_rod_with_a_real_gripper(self):
        gripper = self.write("2f85.json", json.dumps({
            "clearance": "gripper", "version": 1, "name": "2F-85",
            "urdf": {"file": str(DATA / "robots/robotiq_85/robotiq.urdf"), "mesh_scale": 0.01,
                     "palm": ["robotiq_base", "left_outer_knuckle", "left_inner_knuckle",
                              "right_outer_knuckle", "right_inner_knuckle"],
                     "left": ["right_outer_finger", "right_inner_finger"],
                     "right": ["left_outer_finger", "left_inner_finger"]},
            "frame": {"xyz": [0, 0, 0.150]}, "finger_width": 0.022, "tip": 0.009}))
        schema_of("gripper").validate(json.loads(gripper.read_text()))
        # Its unit is not said; as centimetres it is 46 mm long, and the gripper holds it.
        result = self.grasped(DATA / "parts/conrod/linkrods_coarse.stl", "--unit", "cm",
                              "--gripper", gripper, "--step", "3mm", "--friction", 0.8)
        self.assertGreater(result["counts"]["robust"], 0)
        self.assertEqual(result["gripper"]["name"], "2F-85")
        self.assertAlmostEqual(result["gripper"]["opening"], 0.0785, delta=0.002)

    def test_a_real_pipe_along_its_bore(self):
        result = self.grasped(DATA / "parts/ariac/pipe_1.stl", "--step", "5mm", "--friction", 0.8)
        # Along the principal axes, which miss its bent middle, there are 791.
        self.assertGreater(result["counts"]["robust"], 2_000)

    def test_a_screw_by_its_shank(self):
        result = self.grasped(DATA / "parts/screw/screw.stl", "--unit", "mm", "--opening", "30mm",
                              "--finger-width", "6mm", "--step", "2mm", "--softness", "1mm",
                              "--friction", 0.8)
        self.assertGreater(result["counts"]["robust"], 0)


if __name__ == "__main__":
    unittest.main()

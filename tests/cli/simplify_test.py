#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance simplify from outside: parts and robots, every file it writes, limits, bad input."""

import csv
import json
import math
import signal
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree

import yaml

from cli_test import DATA, PROGRAM, ROOT, InFolder, run, validated

ARM = ROOT / "examples" / "arm.urdf"
# A cube of 100 mm whose top is missing.
OPEN_BOX = """OFF
8 10 0
0 0 0
0.1 0 0
0.1 0.1 0
0 0.1 0
0 0 0.1
0.1 0 0.1
0.1 0.1 0.1
0 0.1 0.1
3 0 2 1
3 0 3 2
3 0 1 5
3 0 5 4
3 1 2 6
3 1 6 5
3 2 3 7
3 2 7 6
3 3 0 4
3 3 4 7
"""


def holds(spheres, point):
    return any(math.dist(s["center"], point) <= s["radius"] * (1 + 1e-12) for s in spheres)


class SimplifyCase(InFolder):
    def simplified(self, *arguments, status=0):
        return self.result_of("simplify", *arguments, status=status)

    def refused(self, *arguments):
        return self.refusal_of("simplify", *arguments)


class Parts(SimplifyCase):
    def test_a_filled_pipe_is_covered_within_the_error(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 400)
        result = self.simplified(pipe, "--error", "4mm", "--external", "100mm")
        self.assertTrue(result["covered"] and result["limits_met"])
        self.assertLessEqual(result["error"], 0.004)
        body = result["bodies"][0]
        self.assertEqual((body["name"], body["triangles"], body["solid"]), ("pipe", 400, True))
        self.assertEqual(len(body["spheres"]), result["spheres"])
        # The bore is filled: its axis is inside, 20 mm from the mesh.
        for x in (-0.09, 0.0, 0.09):
            self.assertTrue(holds(body["spheres"], (x, 0, 0)) or
                            holds(body["spheres"], (0, 0, x)), x)
        excess = result["deviation"]["excess"]
        self.assertLessEqual(excess["lower"], excess["upper"])
        self.assertGreater(excess["upper"], 0.0195)
        volume = result["deviation"]["false_positive_volume"]
        self.assertGreater(volume["lower"], math.pi * 0.02 ** 2 * 0.2 * 0.95)

    def test_without_filling_the_bore_stays_open(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 400)
        result = self.simplified(pipe, "--error", "6mm")
        self.assertTrue(result["covered"])
        self.assertFalse(holds(result["bodies"][0]["spheres"], (0, 0, 0)))
        self.assertLess(result["deviation"]["excess"]["upper"], 0.0065)

    def test_a_number_of_spheres_is_kept_and_an_error_beyond_it_reported(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 400)
        result = self.simplified(pipe, "--spheres", 12)
        self.assertLessEqual(result["spheres"], 12)
        self.assertTrue(result["covered"] and result["limits_met"])
        tight = self.simplified(pipe, "--spheres", 12, "--error", "10mm", status=1)
        self.assertTrue(tight["covered"])
        self.assertFalse(tight["limits_met"])
        self.assertGreater(tight["error"], 0.01)

    def test_words_tell_the_same_as_json(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 400)
        text = run("simplify", pipe, "--error", "8mm").stdout
        self.assertIn("400 triangles, closed", text)
        self.assertIn("yes, proven", text)
        self.assertIn("error 8 mm", text)

    def test_two_percent_of_the_size_is_the_error_where_none_is_given(self):
        ball = self.write("ball.urdf", '<robot name="r"><link name="a"><collision><geometry>'
                          '<sphere radius="0.5"/></geometry></collision></link></robot>')
        result = self.simplified(ball)
        self.assertAlmostEqual(result["options"]["error"], 0.02 * math.sqrt(3), delta=0.001)

    def test_methods_of_the_paper(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        paper = self.simplified(pipe, "--error", "5mm", "--external", "100mm", "--method", "paper",
                                "--seed", 3, "--trials", 2000)
        self.assertTrue(paper["covered"])
        self.assertEqual(paper["options"]["seed"], 3)
        again = self.simplified(pipe, "--error", "5mm", "--external", "100mm", "--method", "paper",
                                "--seed", 3, "--trials", 2000, "--threads", 1)
        self.assertEqual(paper["bodies"][0]["spheres"], again["bodies"][0]["spheres"])
        gaps = self.simplified(pipe, "--error", "5mm", "--method", "packing", "--no-grow", status=1)
        self.assertFalse(gaps["covered"])
        self.assertIn("needs --error", self.refused(pipe, "--method", "paper", "--spheres", 9))
        self.assertIn("did you mean 'paper'", self.refused(pipe, "--method", "papre"))

    def test_every_format_of_a_part(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        names = ["p.json", "p.yaml", "p.csv", "p.stl", "p.obj", "p.ply", "p.glb"]
        outputs = [word for name in names for word in ("--out", self.folder / name)]
        result = self.simplified(pipe, "--error", "8mm", *outputs)
        spheres = [[*s["center"], s["radius"]] for s in result["bodies"][0]["spheres"]]
        self.assertEqual(result["written"], [str(self.folder / name) for name in names])
        foam = json.loads((self.folder / "p.json").read_text())
        self.assertEqual([[*s["origin"], s["radius"]] for s in foam[0]["spheres"]], spheres)
        self.assertEqual(foam[0]["worst"], result["error"])
        curobo = yaml.safe_load((self.folder / "p.yaml").read_text())["collision_spheres"]
        self.assertEqual([[*s["center"], s["radius"]] for s in curobo["pipe"]], spheres)
        with open(self.folder / "p.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["x", "y", "z", "radius"])
        self.assertEqual([[float(v) for v in row] for row in rows[1:]], spheres)
        for name in names[3:]:
            inspected = validated(run("inspect", self.folder / name, "--json").stdout)
            health = inspected["files"][0]["health"]
            self.assertEqual(health["triangles"], 512 * len(spheres), name)
            self.assertTrue(health["closed"], name)

    def test_a_part_is_a_robot_of_one_link(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        out = self.folder / "p.urdf"
        result = self.simplified(pipe, "--error", "8mm", "--out", out)
        link = xml.etree.ElementTree.parse(out).getroot().find("link")
        self.assertEqual(link.get("name"), "pipe")
        radii = [float(s.get("radius")) for s in link.findall("collision/geometry/sphere")]
        self.assertEqual(radii, [s["radius"] for s in result["bodies"][0]["spheres"]])

    def test_a_picture_is_drawn(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        path = self.folder / "pipe.png"
        self.simplified(pipe, "--error", "8mm", "--picture", path)
        head = path.read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", head[16:24])
        self.assertGreater(width, height)

    def test_comparison_names_what_can_miss(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        result = self.simplified(pipe, "--error", "8mm", "--compare")
        rows = {row["kind"]: row for row in result["comparison"]}
        self.assertTrue(rows["voxels"]["can_miss"])
        self.assertTrue(rows["sphere packing"]["can_miss"])
        self.assertFalse(rows["convex hull"]["can_miss"])
        self.assertFalse(rows["covering spheres"]["can_miss"])
        self.assertEqual(rows["original"]["complexity"], 200)
        self.assertGreater(rows["convex hull"]["outward"]["upper"], 0.019)

    def test_an_open_mesh_is_covered_as_a_surface_and_said_to_be(self):
        box = self.write("box.off", OPEN_BOX)
        result = self.simplified(box, "--error", "10mm")
        self.assertFalse(result["bodies"][0]["solid"])
        self.assertTrue(result["covered"])
        self.assertIsNone(result["deviation"]["covered_volume"])
        self.assertTrue(any("solid is not defined" in note for note in result["notes"]))

    def test_bad_input_is_named(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        self.assertIn("above 0", self.refused(pipe, "--error", "0"))
        self.assertIn("no length", self.refused(pipe, "--error", "-1mm"))
        self.assertIn("ten times", self.refused(pipe, "--error", "1mm", "--external", "5m"))
        self.assertIn("no_such.stl", self.refused(self.folder / "no_such.stl"))
        self.assertIn("known are", self.refused(pipe, "--error", "9mm", "--out", "x.txt"))
        self.assertIn("for a .urdf", self.refused(pipe, "--error", "9mm", "--visual"))
        self.assertIn("not a direction", self.refused(pipe, "--error", "9mm", "--eye", "up"))

    def test_control_c_leaves_nothing_behind(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 20000)
        out = self.folder / "out.json"
        with subprocess.Popen([PROGRAM, "simplify", pipe, "--error", "0.2mm", "--out", out],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            time.sleep(1.0)
            job.send_signal(signal.SIGINT)
            job.communicate(timeout=120)
        self.assertEqual(job.returncode, 130)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["pipe.stl"])


class Shapes(SimplifyCase):
    """Capsules and boxes beside spheres."""

    def bar(self, size=(0.12, 0.02, 0.02), name="bar.off"):
        """A box about the origin."""
        x, y, z = (0.5 * s for s in size)
        corners = [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z)]
        faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
                 (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
        lines = ["OFF", "8 12 0", *(" ".join(map(str, c)) for c in corners),
                 *(" ".join(map(str, (3, *f))) for f in faces)]
        return self.write(name, "\n".join(lines) + "\n")

    def test_a_bar_is_one_box_proven(self):
        result = self.simplified(self.bar(), "--error", "4mm", "--shapes", "spheres,boxes")
        self.assertTrue(result["covered"] and result["limits_met"])
        self.assertEqual((result["spheres"], result["capsules"], result["boxes"]), (0, 0, 1))
        self.assertGreater(result["spheres_alone"], 20)
        self.assertEqual(result["options"]["made_of"], ["spheres", "boxes"])
        box = result["bodies"][0]["boxes"][0]
        # Larger than the bar everywhere, by the error at its corners at most.
        for half, of_bar in zip(sorted(box["half_size"]), (0.01, 0.01, 0.06)):
            self.assertGreaterEqual(half, of_bar)
            self.assertLessEqual(half, of_bar + 0.004)
        excess = result["deviation"]["excess"]
        self.assertLessEqual(excess["upper"], 0.004 * 1.02)
        self.assertGreater(excess["lower"], 0)
        # What the box adds is known: its volume without that of the bar.
        volume = 8 * math.prod(box["half_size"])
        self.assertLessEqual(result["deviation"]["volume"]["lower"], volume)
        self.assertGreaterEqual(result["deviation"]["volume"]["upper"], volume)
        outside = result["deviation"]["false_positive_volume"]
        self.assertLessEqual(outside["lower"], volume - 0.12 * 0.02 * 0.02)
        self.assertGreaterEqual(outside["upper"], volume - 0.12 * 0.02 * 0.02)

    def test_capsules_alone(self):
        result = self.simplified(self.bar(), "--error", "5mm", "--shapes", "capsules")
        self.assertTrue(result["covered"])
        self.assertEqual(result["boxes"], 0)
        self.assertGreater(result["capsules"], 0)
        self.assertLess(result["capsules"] + result["spheres"], result["spheres_alone"])
        self.assertLessEqual(result["deviation"]["excess"]["upper"], 0.005 * 1.05)

    def test_every_format_of_shapes(self):
        names = ["p.urdf", "p.csv", "p.stl", "p.obj", "p.ply", "p.glb"]
        outputs = [word for name in names for word in ("--out", self.folder / name)]
        result = self.simplified(self.bar(), "--error", "5mm", "--shapes", "capsules", *outputs,
                                 "--picture", self.folder / "p.png")
        body = result["bodies"][0]
        capsules, spheres = body["capsules"], body["spheres"]
        robot = xml.etree.ElementTree.parse(self.folder / "p.urdf").getroot()
        self.assertEqual([link.get("name") for link in robot.findall("link")], ["bar"])
        cylinders = robot.findall("link/collision/geometry/cylinder")
        self.assertEqual(len(cylinders), len(capsules))
        for cylinder, capsule in zip(cylinders, capsules):
            length = math.dist(capsule["from"], capsule["to"])
            self.assertGreaterEqual(float(cylinder.get("radius")), capsule["radius"])
            self.assertGreaterEqual(float(cylinder.get("length")), length)
            self.assertAlmostEqual(float(cylinder.get("length")), length, delta=1e-12)
        balls = robot.findall("link/collision/geometry/sphere")
        self.assertEqual(len(balls), len(spheres) + 2 * len(capsules))
        with open(self.folder / "p.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["shape"] for row in rows],
                         ["capsule"] * len(capsules) + ["sphere"] * len(spheres))
        for row, capsule in zip(rows, capsules):
            self.assertAlmostEqual(float(row["size_z"]),
                                   math.dist(capsule["from"], capsule["to"]), delta=1e-15)
            self.assertEqual(float(row["radius"]), capsule["radius"])
        for name in names[2:]:
            health = validated(run("inspect", self.folder / name, "--json").stdout)
            self.assertTrue(health["files"][0]["health"]["closed"], name)
        # The file of boxes and cylinders is a robot like any other.
        again = self.simplified(self.folder / "p.urdf", "--error", "20mm")
        self.assertTrue(again["covered"])
        for name in ("p.json", "p.yaml"):
            self.assertIn("spheres alone", self.refused(self.bar(), "--error", "5mm", "--shapes",
                                                        "boxes", "--out", self.folder / name))

    def test_links_of_a_robot(self):
        out = self.folder / "a.urdf"
        result = self.simplified(ARM, "--error", "40mm", "--shapes", "boxes,capsules", "--out", out)
        self.assertTrue(result["covered"])
        count = result["spheres"] + result["capsules"] + result["boxes"]
        self.assertLess(count, result["spheres_alone"])
        bodies = {body["name"]: body for body in result["bodies"]}
        self.assertEqual(len(bodies["base"]["boxes"]), 1)
        robot = xml.etree.ElementTree.parse(out).getroot()
        self.assertEqual(len(robot.findall("link/collision/geometry/box")), result["boxes"])
        self.assertEqual(robot.find("joint[@name='grip_mirrored']/mimic").get("joint"), "grip")
        text = run("simplify", ARM, "--error", "40mm", "--shapes", "boxes").stdout
        self.assertRegex(text, r"shapes +\d+ boxes.*; spheres alone: \d+")
        self.assertRegex(text, r"link +shapes +triangles +boxes +capsules +spheres")

    def test_the_result_is_seen(self):
        result = self.folder / "bar.json"
        bar = self.bar()
        done = run("simplify", bar, "--error", "4mm", "--shapes", "boxes", "--json")
        result.write_text(done.stdout, encoding="utf-8")
        picture = self.folder / "bar.png"
        drawn = run("render", result, "-o", picture)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertIn("1 box, proven to cover", drawn.stdout)
        self.assertTrue(picture.exists())
        # Without the mesh the shapes are still there.
        bar.unlink()
        self.assertEqual(run("render", result, "-o", picture).returncode, 0)

    def test_threads_do_not_matter(self):
        bar = self.bar()
        results = [self.simplified(bar, "--error", "5mm", "--shapes", "capsules,boxes",
                                   "--threads", threads)["bodies"] for threads in (1, 2)]
        self.assertEqual(results[0], results[1])

    def test_bad_input_is_named(self):
        bar = self.bar()
        said = self.refused(bar, "--error", "4mm", "--shapes", "boxs")
        self.assertIn("no shape 'boxs'", said)
        self.assertIn("did you mean 'boxes'", said)
        self.assertIn("no shape 'cones'", self.refused(bar, "--shapes", "spheres,cones"))
        self.assertIn("as it is", self.refused(bar, "--shapes", "boxes", "--external", "50mm"))


class Cavities(SimplifyCase):
    """External balls come from outside."""

    def test_what_a_mesh_with_a_crack_wraps_around_is_filled(self):
        # A cube of 100 mm, without the half of its top: a ball of 80 mm fits in, but not through.
        cracked = self.write("cracked.off", OPEN_BOX.replace("8 10 0", "8 11 0") + "3 4 5 6\n")
        asked = (cracked, "--unit", "m", "--error", "10mm", "--external", "80mm")
        filled = self.simplified(*asked)
        self.assertTrue(filled["covered"] and filled["limits_met"])
        self.assertTrue(filled["options"]["fill_cavities"])
        self.assertIn("it is filled", " ".join(filled["notes"]))
        self.assertTrue(holds(filled["bodies"][0]["spheres"], [0.05, 0.05, 0.05]))
        kept = self.simplified(*asked, "--keep-cavities")
        self.assertFalse(kept["options"]["fill_cavities"])
        self.assertNotIn("it is filled", " ".join(kept["notes"]))
        self.assertFalse(holds(kept["bodies"][0]["spheres"], [0.05, 0.05, 0.05]))
        self.assertLess(filled["spheres"], kept["spheres"])
        text = run("simplify", *asked).stdout
        self.assertIn("the surface and what is filled", text)
        self.assertIn("cannot reach from outside", text)

    def test_a_link_with_one_is_named(self):
        self.write("cracked.off", OPEN_BOX.replace("8 10 0", "8 11 0") + "3 4 5 6\n")
        robot = self.write(
            "can.urdf",
            '<robot name="r"><link name="can"><collision><geometry><mesh filename="cracked.off"/>'
            "</geometry></collision></link></robot>",
        )
        asked = (robot, "--error", "10mm", "--external", "80mm")
        filled = self.simplified(*asked)
        self.assertIn("Link 'can' has a cavity", " ".join(filled["notes"]))
        self.assertTrue(holds(filled["bodies"][0]["spheres"], [0.05, 0.05, 0.05]))
        kept = self.simplified(*asked, "--keep-cavities")
        self.assertNotIn("has a cavity", " ".join(kept["notes"]))

    def test_a_ball_that_gets_in_fills_nothing(self):
        box = self.write("box.off", OPEN_BOX)
        result = self.simplified(box, "--unit", "m", "--error", "10mm", "--external", "80mm")
        self.assertNotIn("it is filled", " ".join(result["notes"]))
        self.assertFalse(holds(result["bodies"][0]["spheres"], [0.05, 0.05, 0.06]))

    def test_without_balls_there_is_nothing_to_keep(self):
        box = self.write("box.off", OPEN_BOX)
        self.assertIn("takes --external", self.refused(box, "--error", "10mm", "--keep-cavities"))


class Tools(SimplifyCase):
    """What a tool cannot reach is filled."""

    # A tip of 6 mm, and behind it a body that does not fit into the bore of 40 mm.
    TOOL = ('{"spheres": [{"origin": [0, 0, 0], "radius": 0.006},'
            ' {"origin": [0, 0, 0.06], "radius": 0.03}]}')

    def test_the_bore_is_filled_beyond_the_tip(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        tool = self.write("tool.json", self.TOOL)
        turns = {"z": ("0 0 0", "180 0 0"), "x": ("0 90 0", "0 -90 0")}
        bounds = validated(run("inspect", pipe, "--json").stdout)["files"][0]["health"]["bounds"]
        axis = bounds["size"].index(max(bounds["size"]))
        options = [word for turn in turns["xyz"[axis]] for word in ("--tool-turn", turn)]
        result = self.simplified(pipe, "--error", "6mm", "--tool", tool, *options)
        self.assertTrue(result["covered"] and result["limits_met"])
        given = result["options"]["external_tool"]
        self.assertEqual((given["path"], given["spheres"], len(given["turns"])), (str(tool), 2, 2))
        middle = [0.5 * (low + high) for low, high in zip(bounds["low"], bounds["high"])]
        spheres = result["bodies"][0]["spheres"]
        self.assertTrue(holds(spheres, middle))
        end = list(middle)
        end[axis] = bounds["high"][axis] - 0.003
        self.assertFalse(holds(spheres, end))
        text = run("simplify", pipe, "--error", "12mm", "--tool", tool).stdout
        self.assertIn("cannot reach: 2 spheres, 1 orientation", text)

    def test_bad_input_is_named(self):
        pipe = self.generated("pipe", "pipe.stl", "--triangles", 200)
        tool = self.write("tool.json", self.TOOL)
        given = ("--error", "6mm", "--tool", tool)
        self.assertIn("two ways to fill", self.refused(pipe, *given, "--external", "100mm"))
        self.assertIn("for --method cover", self.refused(pipe, *given, "--method", "paper"))
        self.assertIn("takes a part", self.refused(ARM, *given))
        self.assertIn("takes a --tool", self.refused(pipe, "--tool-turn", "0 0 0"))
        self.assertIn("in degrees", self.refused(pipe, *given, "--tool-turn", "0 0"))
        self.assertIn("in degrees", self.refused(pipe, *given, "--tool-turn", "0 0 nan"))
        self.assertIn("no_such.json", self.refused(pipe, "--tool", self.folder / "no_such.json"))
        flat = self.write("flat.json", '{"spheres": [{"origin": [0, 0, 0], "radius": 0}]}')
        self.assertIn("radius above 0", self.refused(pipe, "--error", "6mm", "--tool", flat))
        none = self.write("none.json", '{"spheres": []}')
        self.assertIn("has no spheres", self.refused(pipe, "--error", "6mm", "--tool", none))


class Robots(SimplifyCase):
    def test_every_format_of_a_robot_holds_the_same_spheres(self):
        names = ["a.urdf", "a.json", "a.yml", "a.csv", "a.glb", "a.png"]
        outputs = [word for name in names[:-1] for word in ("--out", self.folder / name)]
        result = self.simplified(ARM, "--error", "40mm", *outputs, "--picture",
                                 self.folder / names[-1])
        self.assertTrue(result["covered"])
        self.assertEqual(result["input"]["kind"], "robot")
        expected = {body["name"]: [[*s["center"], s["radius"]] for s in body["spheres"]]
                    for body in result["bodies"]}
        self.assertEqual(set(expected), {"base", "carriage", "upper", "lower", "left", "right"})
        foam = json.loads((self.folder / "a.json").read_text())
        self.assertEqual({name: [[*s["origin"], s["radius"]] for s in level["spheres"]]
                          for name, level in foam.items()}, expected)
        curobo = yaml.safe_load((self.folder / "a.yml").read_text())["collision_spheres"]
        self.assertEqual({name: [[*s["center"], s["radius"]] for s in spheres]
                          for name, spheres in curobo.items()}, expected)
        robot = xml.etree.ElementTree.parse(self.folder / "a.urdf").getroot()
        found = {}
        for link in robot.findall("link"):
            found[link.get("name")] = [
                [*map(float, c.find("origin").get("xyz").split()),
                 float(c.find("geometry/sphere").get("radius"))] for c in link.findall("collision")]
        self.assertEqual(found, expected)
        self.assertEqual(robot.find("joint[@name='grip_mirrored']/mimic").get("joint"), "grip")
        for name in names:
            self.assertTrue((self.folder / name).exists(), name)

    def test_a_robot_of_spheres_is_simplified_to_itself(self):
        first = self.simplified(ARM, "--error", "60mm", "--out", self.folder / "a.urdf")
        second = self.simplified(self.folder / "a.urdf", "--error", "1mm")
        self.assertEqual(second["spheres"], first["spheres"])
        self.assertEqual(second["error"], 0.0)

    def test_a_number_of_spheres_is_shared_out(self):
        result = self.simplified(ARM, "--spheres", 15)
        self.assertLessEqual(result["spheres"], 15)
        self.assertTrue(result["covered"])
        self.assertIn("need 6", self.refused(ARM, "--spheres", 5))

    def test_text_has_a_line_for_each_link(self):
        text = run("simplify", ARM, "--error", "60mm").stdout
        for name in ("base", "carriage", "upper", "lower", "left", "right"):
            self.assertRegex(text, rf"\n{name} .*proven")

    def test_bad_robots_are_named(self):
        def robot(inside):
            return self.write("r.urdf", f'<robot name="r">{inside}</robot>')
        mesh = '<collision><geometry><mesh filename="{}"/></geometry></collision>'
        self.assertIn("no_such.stl", self.refused(robot(
            f'<link name="a">{mesh.format("package://p/no_such.stl")}</link>')))
        self.assertIn("loop", self.refused(robot(
            '<link name="a"/><link name="b"/>'
            '<joint name="1" type="fixed"><parent link="a"/><child link="b"/></joint>'
            '<joint name="2" type="fixed"><parent link="b"/><child link="a"/></joint>')))
        self.assertIn("'ball' is not a type", self.refused(robot(
            '<link name="a"/><link name="b"/>'
            '<joint name="1" type="ball"><parent link="a"/><child link="b"/></joint>')))
        self.assertIn("no collision shapes", self.refused(robot('<link name="a"/>'),
                                                          "--error", "1mm"))
        self.assertIn("not a robot", self.refused(ARM, "--error", "9mm", "--compare"))
        self.assertIn("for parts", self.refused(ARM, "--error", "9mm", "--unit", "mm"))

    @unittest.skipUnless(DATA, "no data folder")
    def test_packages_of_a_real_robot(self):
        urdf = DATA / "robots/abb_irb4400_support/urdf/irb4400l_30_243.urdf"
        out = self.folder / "irb.urdf"
        result = self.simplified(urdf, "--error", "200mm", "--out", out)
        self.assertTrue(result["covered"])
        # package:// names stay, and are found with the folder of the packages.
        self.assertIn("package://abb_irb4400_support", out.read_text())
        again = self.simplified(out, "--error", "1mm", "--package", DATA / "robots")
        self.assertEqual(again["spheres"], result["spheres"])


if __name__ == "__main__":
    unittest.main()

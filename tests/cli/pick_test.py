#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance pick from outside: piles from files and by simulation, obstacles, ranking, bad input;
and the study of its paper."""

import json
import struct
import unittest
import zlib

from cli_test import InFolder, run, validated


def pile(*parts, **more):
    return json.dumps({"clearance": "pile", "version": 1, "units": {"length": "mm"},
                       "parts": list(parts), **more})


def png16(width, height, value):
    """A grey PNG file of 16 bits: value(column, row)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + struct.pack(f">{width}H", *(value(u, v) for u in range(width)))
                    for v in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class PickCase(InFolder):
    """A pipe of 26 mm that lies along x, with its grasps."""

    def setUp(self):
        super().setUp()
        self.part = self.generated("conrod", "conrod.stl", "--triangles", 2500)
        self.grasps = self.folder / "conrod.cgr"
        done = run("grasp", self.part, "--step", "10mm", "--softness", "3mm", "--wire-frame",
                   self.write("frame.json", json.dumps({
                       "clearance": "wire-frame", "version": 1, "units": {"length": "mm"},
                       "segments": [[[33, 0, 0], [132, 0, 0]]]})), "--out", self.grasps)
        self.assertEqual(done.returncode, 0, done.stderr)

    def picked(self, *arguments, status=0):
        return self.result_of("pick", self.part, self.grasps, "--top", "all", *arguments, status=status)

    def refused(self, *arguments):
        return self.refusal_of("pick", self.part, self.grasps, *arguments)


class Pick(PickCase):
    def test_the_free_part_comes_before_the_buried_one(self):
        # 1 lies across 0, 2 alone.
        path = self.write("pile.json", pile(
            {"xyz": [0, 0, 13]}, {"xyz": [60, -60, 39], "rpy": [0, 0, 1.5707963]},
            {"xyz": [0, 400, 13]}))
        result = self.picked("--pile", path, "--approach", "20mm", "--contact", "0.5mm")
        by_part = {c["part"]: c for c in result["ranked"]}
        self.assertTrue(by_part[0]["buried"])
        self.assertEqual(by_part[0]["held_by"], [1])
        self.assertEqual(by_part[0]["load"], 1)
        self.assertFalse(by_part[2]["buried"])
        self.assertTrue(result["ranked"][0]["valid"])
        self.assertGreater(len(by_part[2]["free"]), 0)
        counts = [len(c["free"]) for c in result["ranked"][:result["valid"]]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        for candidate in result["ranked"]:
            self.assertEqual(sum(candidate["fates"].values()), result["input"]["tried"])
            self.assertEqual(candidate["fates"]["free"], len(candidate["free"]))

    def test_a_simulated_pile_is_written_and_read_again(self):
        saved, picture = self.folder / "pile.json", self.folder / "pile.png"
        first = self.picked("--simulate", 2, "--seed", 3, "--out", saved, "--picture", picture)
        self.assertTrue(first["pile"]["settled"])
        self.assertEqual(first["pile"]["seed"], 3)
        again = self.picked("--pile", saved, "--threads", 1)
        self.assertEqual(again["ranked"], first["ranked"])
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_points_of_a_camera_take_grasps_away(self):
        path = self.write("pile.json", pile({"xyz": [0, 0, 13]}))
        arguments = ("--pile", path, "--approach", 0, "--retreat", 0)
        free = len(self.picked(*arguments)["ranked"][0]["free"])
        # A wall of points beside the shank, as text and as binary PLY.
        points = [(0.08, 0.03, 0.001 * z) for z in range(100)]
        text = self.write("wall.xyz", "x y z\n" + "".join(f"{x} {y} {z}\n" for x, y, z in points))
        seen = self.picked(*arguments, "--cloud", text, "--cloud-radius", "3mm", status=0)
        self.assertEqual(seen["obstacles"]["points"], 100)
        self.assertLess(len(seen["ranked"][0]["free"]), free)
        self.assertGreater(seen["ranked"][0]["fates"]["hits obstacle"], 0)
        ply = self.folder / "wall.ply"
        ply.write_bytes(b"ply\nformat binary_little_endian 1.0\nelement vertex 100\n"
                        b"property double x\nproperty double y\nproperty double z\nend_header\n"
                        + b"".join(struct.pack("<3d", *p) for p in points))
        same = self.picked(*arguments, "--cloud", ply, "--cloud-radius", "3mm")
        self.assertEqual(same["ranked"], seen["ranked"])

    def view(self, value, **more):
        """A camera 1 m above the middle of the shank that looks straight down, 5 mm a pixel on the floor."""
        (self.folder / "depth.png").write_bytes(png16(121, 81, value))
        return self.write("view.json", json.dumps({
            "clearance": "depth-view", "version": 1, "units": {"length": "mm", "angle": "deg"},
            "image": "depth.png", "focal": [200, 200], "center": [60, 40],
            "pose": {"xyz": [80, 0, 1000], "rpy": [180, 0, 0]}, "range": 1500, **more}))

    def test_a_depth_image_takes_grasps_away_and_unseen_space_more(self):
        path = self.write("pile.json", pile({"xyz": [0, 0, 13]}))
        arguments = ("--pile", path, "--approach", 0, "--retreat", 0)
        free = len(self.picked(*arguments)["ranked"][0]["free"])
        self.assertGreater(free, 0)

        def seen(value, *options, status=0):
            result = self.picked(*arguments, "--depth", self.view(value), *options, status=status)
            return len(result["ranked"][0]["free"]), result

        # A floor below everything; a plate above the pile; pixels without depth.
        self.assertEqual(seen(lambda u, v: 1200)[0], free)
        left, result = seen(lambda u, v: 900, "--unseen", "free", status=1)
        self.assertEqual(left, 0)
        self.assertEqual(result["obstacles"]["depth"],
                         [{"path": str(self.folder / "view.json"), "pixels": 121 * 81,
                           "seen": 121 * 81, "unseen": "free"}])
        self.assertGreater(result["ranked"][0]["fates"]["hits obstacle"], 0)
        # A plate so high that the gripper is wholly below it: only what is not seen is in the way.
        self.assertEqual(seen(lambda u, v: 300, "--unseen", "free")[0], free)
        self.assertEqual(seen(lambda u, v: 300, "--unseen", "blocked", status=1)[0], 0)
        # Half the picture brought no depth.
        half = lambda u, v: 0 if v < 40 else 1200
        self.assertEqual(seen(half, "--unseen", "free")[0], free)
        left, result = seen(half, status=1)
        self.assertLess(left, free)
        self.assertEqual(result["obstacles"]["depth"][0]["unseen"], "blocked")
        done = run("pick", self.part, self.grasps, *arguments, "--depth", self.folder / "view.json")
        self.assertIn("4,961 of 9,801 pixels seen, the rest blocked", done.stdout)

    def test_bad_depth_images_are_named(self):
        path = self.write("pile.json", pile({"xyz": [0, 0, 13]}))
        view = self.view(lambda u, v: 1200)
        self.assertIn("--unseen is for --depth", self.refused("--pile", path, "--unseen", "free"))
        self.assertIn("--unseen", self.refused("--pile", path, "--depth", view, "--unseen", "maybe"))
        (self.folder / "depth.png").write_bytes(b"P5 nothing")
        self.assertIn("depth.png: has no width, height", self.refused("--pile", path, "--depth", view))
        (self.folder / "depth.png").write_bytes(b"GIF89a")
        self.assertIn("depth.png: is no depth image", self.refused("--pile", path, "--depth", view))
        (self.folder / "depth.png").unlink()
        self.assertIn("depth.png", self.refused("--pile", path, "--depth", view))
        view = self.view(lambda u, v: 1200, focal=[0, 1])
        self.assertIn("focal/0", self.refused("--pile", path, "--depth", view))
        # An image without any depth: nothing to join, or all blocked.
        view = self.view(lambda u, v: 0)
        self.assertIn("depth.png", self.refused("--pile", path, "--depth", view, "--unseen", "free"))
        self.assertEqual(self.picked("--pile", path, "--depth", view, status=1)["obstacles"]["depth"][0]["seen"], 0)

    def test_depth_images_of_other_sizes_and_without_a_camera_are_refused(self):
        path = self.write("pile.json", pile({"xyz": [0, 0, 13]}))
        view = self.view(lambda u, v: 1200, size=[640, 480])
        self.assertIn("depth.png: size: the image has 121 x 81 pixels, the view is of 640 x 480",
                      self.refused("--pile", path, "--depth", view))
        for key in ("focal", "center", "pose", "image"):
            document = json.loads(self.view(lambda u, v: 1200).read_text(encoding="utf-8"))
            del document[key]
            self.assertIn(key, self.refused("--pile", path, "--depth", self.write("view.json", json.dumps(document))))
        # A view that is to be written needs the size and a name it can have.
        for key, value, words in (("size", None, "size: is missing"), ("image", "depth.pgm", "is no .png")):
            view = self.view(lambda u, v: 1200, **{"size": [121, 81], key: value})
            if value is None:
                document = json.loads(view.read_text(encoding="utf-8"))
                del document[key]
                view = self.write("view.json", json.dumps(document))
            self.assertIn(words, self.refused("--pile", path, "--see", view))

    def test_formats_of_depth_images_give_the_same_answers(self):
        path = self.write("pile.json", pile({"xyz": [0, 0, 13]}))
        value = lambda u, v: 960 if 70 < u < 80 and v < 38 else (0 if u == v else 1000)
        ways = ("--pile", path, "--unseen", "free")
        png = self.picked(*ways, "--depth", self.view(value))
        rows = [[value(u, v) for u in range(121)] for v in range(81)]
        (self.folder / "depth.pgm").write_bytes(
            b"P5 121 81 65535\n" + b"".join(struct.pack(">121H", *row) for row in rows))
        pgm = self.picked(*ways, "--depth", self.view(value, image="depth.pgm"))
        # Metres, and NaN where nothing was measured.
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (81, 121), }".ljust(117) + "\n"
        (self.folder / "depth.npy").write_bytes(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            b"".join(struct.pack("<f", z / 1000 if z else float("nan")) for row in rows for z in row))
        npy = self.picked(*ways, "--depth", self.view(value, image="depth.npy"))
        self.assertEqual(pgm["ranked"], png["ranked"])
        self.assertEqual(npy["obstacles"]["depth"][0]["seen"], png["obstacles"]["depth"][0]["seen"])
        self.assertEqual([c["fates"] for c in npy["ranked"]], [c["fates"] for c in png["ranked"]])

    def test_a_camera_sees_what_lies_on_the_part_it_is_to_pick(self):
        both = self.write("both.json", pile({"xyz": [0, 0, 12.6]},
                                            {"xyz": [0, -60, 38], "rpy": [0, 0, 1.5707963]}))
        one = self.write("one.json", pile({"xyz": [0, 0, 12.6]}))
        view = self.write("view.json", json.dumps({
            "clearance": "depth-view", "version": 1, "units": {"length": "mm", "angle": "deg"},
            "image": "seen.png", "size": [160, 120], "focal": [260, 260], "center": [79.5, 59.5],
            "pose": {"xyz": [70, 0, 800], "rpy": [180, 0, 0]}, "depth_step": 0.1, "range": 2000}))
        options = ("--contact", "0.5mm")
        result = self.picked("--pile", one, *options, "--see", view)
        self.assertIn(str(self.folder / "seen.png"), result["written"])
        self.assertEqual(result["valid"], 1)
        # Seen alone it is grasped and lifted as if it was not seen; whatever is not seen.
        for unseen in ("free", "blocked"):
            seen = self.picked("--pile", one, *options, "--depth", view, "--unseen", unseen)
            self.assertEqual(seen["valid"], 1)
            self.assertEqual(seen["ranked"][0]["fates"], result["ranked"][0]["fates"])
        # Under another that nobody named, it is held.
        self.picked("--pile", both, *options, "--see", view)
        for unseen in ("free", "blocked"):
            picture = self.folder / "seen_picture.png"
            seen = self.picked("--pile", one, *options, "--depth", view, "--unseen", unseen,
                               "--picture", picture, status=1)
            self.assertTrue(seen["ranked"][0]["buried"])
            self.assertGreater(len(seen["ranked"][0]["free"]), 0)
            again = self.picked("--pile", one, *options, "--depth", view, "--unseen", unseen,
                                "--threads", 1, status=1)
            self.assertEqual(again["ranked"], seen["ranked"])
        # The view shows what was seen.
        saved = self.write("picks.json", json.dumps(seen))
        done = run("view", saved, "--export", self.folder / "seen.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((self.folder / "seen.html").stat().st_size, 0)
        # Without its image the view says so and shows the rest.
        (self.folder / "seen.png").unlink()
        self.assertEqual(run("view", saved, "--export", self.folder / "seen.html").returncode, 0)

    def test_nothing_to_pick_is_status_1(self):
        path = self.write("pile.json", pile({"xyz": [0, 0, -200]}))
        result = self.picked("--pile", path, status=1)
        self.assertEqual(result["valid"], 0)
        self.assertEqual(result["ranked"][0]["fates"]["hits bin"], result["input"]["tried"])
        done = run("pick", self.part, self.grasps, "--pile", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing can be picked\n", done.stdout)
        done = run("pick", self.part, self.grasps, "--pile", path, "--no-rest")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing can be picked with these grasps; --top all tries all", done.stdout)
        done = run("pick", self.part, self.grasps, "--pile", path, "--top", "all")
        self.assertIn("nothing can be picked\n", done.stdout)

    def test_grasps_are_spread_unless_the_best_are_asked_for(self):
        table = self.folder / "conrod.csv"
        done = run("grasp", self.part, "--step", "6mm", "--friction", 1, "--wire-frame", self.folder / "frame.json",
                   "--out", self.grasps, "--out", table)
        self.assertEqual(done.returncode, 0, done.stderr)
        one = self.write("one.json", pile({"xyz": [0, 0, 300]}))
        asked = ("pick", self.part, self.grasps, "--pile", one, "--top", 12, "--retreat", 0)
        spread, best = self.result_of(*asked), self.result_of(*asked, "--choose", "best")
        self.assertEqual((spread["input"]["choose"], best["input"]["choose"]), ("spread", "best"))
        self.assertGreater(spread["input"]["reach"], 0)
        self.assertIsNone(best["input"]["reach"])
        self.assertEqual((spread["input"]["tried"], best["input"]["tried"]), (12, 12))
        # High above the floor all are free but those that the part itself is in the way of. The best come first
        # in the file, others are among those that are spread, and both have the best of all.
        numbers = [[g["grasp"] for g in result["ranked"][0]["free"]] for result in (spread, best)]
        self.assertEqual(numbers[1], list(range(12)))
        self.assertEqual(numbers[0][0], 0)
        self.assertGreater(max(numbers[0]), 30)
        # Numbers are those of the file.
        rows = table.read_text(encoding="utf-8").splitlines()
        column = rows[0].split(",").index("quality")
        for found in spread["ranked"][0]["free"]:
            self.assertAlmostEqual(float(rows[1 + found["grasp"]].split(",")[column]), found["quality"], places=5)
        done = run(*asked)
        self.assertIn("robust ones, each within", done.stdout)
        self.assertIn("--choose", self.refused("--pile", one, "--choose", "worst"))

    def test_the_unit_is_that_of_obstacles_too(self):
        # All files in millimetres. A lid 60 mm above the part, read as metres, would be 60 m above it: nothing in the way.
        part = self.generated("conrod", "mm.stl", "--triangles", 2500, "--unit", "mm")
        grasps = self.folder / "mm.cgr"
        done = run("grasp", part, "--unit", "mm", "--step", "10mm", "--wire-frame", self.folder / "frame.json", "--out", grasps)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.write("pile.json", pile({"xyz": [0, 0, 13]}))
        lid = self.folder / "lid.obj"
        corners = [(x, y, z) for x in (-400, 400) for y in (-400, 400) for z in (60, 80)]
        faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
        lid.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {f}\n" for f in faces)
                       + "l 1 2\n", encoding="utf-8")
        asked = ("pick", part, grasps, "--unit", "mm", "--pile", path)
        self.assertEqual(self.result_of(*asked)["valid"], 1)
        covered = self.result_of(*asked, "--obstacle", lid, status=1)
        self.assertEqual(covered["valid"], 0)
        self.assertGreater(covered["ranked"][0]["fates"]["hits obstacle"], 0)
        # What its reader warns of is said, with its name.
        self.assertTrue(any("lid.obj" in note for note in covered["notes"]), covered["notes"])

    def test_parts_without_a_free_grasp_are_tried_with_the_rest(self):
        # A fixture beside one of two con-rods takes the grasps of the middle of its shank away, the best one among them.
        path = self.write("pile.json", pile({"xyz": [0, 0, 60]}, {"xyz": [0, 400, 60]}))
        wall = self.folder / "wall.obj"
        corners = [(x, y, z) for x in (0.075, 0.09) for y in (0.02, 0.05) for z in (0.0, 0.2)]
        faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
        wall.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners)
                        + "".join(f"f {f}\n" for f in faces), encoding="utf-8")
        asked = ("pick", self.part, self.grasps, "--pile", path, "--obstacle", wall)
        few = self.result_of(*asked, "--top", 1, "--no-rest")
        both = self.result_of(*asked, "--top", 1)
        every = self.result_of(*asked, "--top", "all")
        self.assertEqual([few["input"]["rest"], both["input"]["rest"], every["input"]["rest"]], [False, True, False])
        self.assertEqual([few["input"]["tried"], both["input"]["tried"]], [1, 1])
        self.assertEqual([few["valid"], both["valid"], every["valid"]], [1, 2, 2])
        # Of the one that is in nobody's way one grasp was tried and is free; the other comes behind it, with more.
        self.assertEqual([c["part"] for c in both["ranked"]], [1, 0])
        self.assertEqual([c["rest"] for c in both["ranked"]], [False, True])
        self.assertEqual(both["ranked"][0], few["ranked"][0])
        self.assertGreater(len(both["ranked"][1]["free"]), 1)
        self.assertEqual({**both["ranked"][1], "rest": False}, every["ranked"][1])
        self.assertEqual(sum(both["ranked"][1]["fates"].values()), both["input"]["robust"])
        done = run(*asked, "--top", 1)
        self.assertIn("; the rest where none of them is free\n", done.stdout)
        self.assertIn("can be picked; with a grasp of the rest\n", done.stdout)
        self.assertIn(f"; 1 with all {both['input']['robust']}\n", done.stdout)
        saved = self.write("picks.json", json.dumps(both))
        page = self.folder / "picks.html"
        self.assertEqual(run("view", saved, "--export", page).returncode, 0)

    def test_the_gripper_of_boxes_is_in_the_grasp_file(self):
        # Sampled with another opening: neither it nor a file has to be named again.
        wide = self.folder / "wide.cgr"
        done = run("grasp", self.part, "--step", "10mm", "--opening", "120mm", "--wire-frame",
                   self.folder / "frame.json", "--out", wide)
        self.assertEqual(done.returncode, 0, done.stderr)
        one = self.write("one.json", pile({"xyz": [0, 0, 13]}))
        result = self.result_of("pick", self.part, wide, "--top", "all", "--pile", one)
        self.assertEqual(result["input"]["gripper"]["sizes"]["opening"], 0.12)

    def test_bad_input_is_named(self):
        one = self.write("one.json", pile({"xyz": [0, 0, 13]}))
        self.assertIn("--pile FILE or --simulate N", self.refused())
        self.assertIn("no parts", self.refused("--pile", self.write("none.json", pile())))
        deep = self.write("deep.json", pile({"xyz": [0, 0, 13]}, {"xyz": [0, 2, 15]}))
        self.assertIn("parts 0 and 1: overlap by at least", self.refused("--pile", deep))
        nan = self.write("nan.xyz", "0 0 0\n0 nan 0\n")
        self.assertIn("line 2: a coordinate is not finite",
                      self.refused("--pile", one, "--cloud", nan))
        self.assertIn("--candidates", self.refused("--pile", one, "--candidates", "first"))
        self.assertIn("candidate 7", self.refused("--pile", one, "--candidates", "7"))
        self.assertIn("--top", self.refused("--pile", one, "--top", "0"))
        other = self.generated("conrod", "other.stl", "--triangles", 2600)
        done = run("pick", other, self.grasps, "--pile", one)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another part", done.stderr)
        gripper = self.write("gripper.json", json.dumps({
            "clearance": "gripper", "version": 1, "units": {"length": "mm"},
            "sizes": {"opening": 70}}))
        self.assertIn("another gripper", self.refused("--pile", one, "--gripper", gripper))


def boxes_stl(*boxes):
    """Boxes from corner to corner, in metres, as a binary STL file."""
    faces = ((0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
             (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5))
    triangles = []
    for low, high in boxes:
        corners = [[(high if i >> k & 1 else low)[k] for k in range(3)] for i in range(8)]
        triangles += [sum((corners[i] for i in face), []) for face in faces]
    return (b"\0" * 80 + struct.pack("<I", len(triangles))
            + b"".join(struct.pack("<12fH", 0, 0, 0, *t, 0) for t in triangles))


class WaysOut(PickCase):
    """--plan: parts that do not come straight up."""

    PILE = ("--approach", "20mm", "--contact", "0.5mm")

    def overhang(self):
        # 1 lies across the big end of 0: sideways it is free.
        return self.write("overhang.json", pile(
            {"xyz": [0, 0, 12.6]}, {"xyz": [0, -60, 38], "rpy": [0, 0, 1.5707963]}))

    def test_a_part_under_an_overhang_comes_out_sideways_and_up(self):
        path = self.overhang()
        straight = self.picked("--pile", path, *self.PILE)
        self.assertEqual([c["part"] for c in straight["ranked"]], [1, 0])
        self.assertEqual((straight["valid"], straight["planned"]), (1, 0))
        self.assertIsNone(straight["ranked"][1]["way_out"])

        result = self.picked("--pile", path, *self.PILE, "--plan")
        self.assertEqual((result["valid"], result["planned"]), (2, 1))
        first, second = result["ranked"]
        # What comes straight up stays in front, and no way is looked for.
        self.assertEqual((first["part"], first["way_out"]), (1, None))
        self.assertTrue(second["valid"] and second["buried"])
        way = second["way_out"]
        self.assertEqual(way["status"], "found")
        self.assertIn(way["grasp"]["grasp"], [g["grasp"] for g in second["free"]])
        self.assertAlmostEqual(way["relief"], 0.0005)
        poses = way["path"]["poses"]
        self.assertEqual(poses[0], result["pile"]["poses"][0])
        # To above everything, as turned as at the start; and not straight.
        self.assertEqual(poses[-1]["rotation"], poses[0]["rotation"])
        self.assertEqual(poses[-1]["xyz"][:2], poses[0]["xyz"][:2])
        self.assertGreaterEqual(poses[-1]["xyz"][2], poses[0]["xyz"][2] + 0.2 - 1e-12)
        self.assertGreater(way["path"]["length"], 0.2)
        self.assertGreater(way["path"]["clearance"], 0.0)
        self.assertGreater(max(abs(p["xyz"][0]) for p in poses), 0.02)

        # The same for one thread; the picture and the page take it.
        again = self.picked("--pile", path, *self.PILE, "--plan", "--threads", 1)
        self.assertEqual(again["ranked"], result["ranked"])
        saved = self.write("picks.json", json.dumps(result))
        for command in (("render", saved, "-o", self.folder / "way.png", "--time", 0.5),
                        ("view", saved, "--export", self.folder / "way.html")):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = run("pick", self.part, self.grasps, "--top", "all", "--pile", path, *self.PILE, "--plan")
        self.assertIn("comes out by a planned way", done.stdout)
        self.assertIn("2 parts can be picked, 1 of them by a planned way", done.stdout)

    def test_the_parts_overlap_by_no_more_than_the_contact_along_the_way(self):
        # An independent look: the part as it is, against the other, at the poses of the way.
        result = self.picked("--pile", self.overhang(), *self.PILE, "--plan")
        other = result["pile"]["poses"][1]
        r, p = other["rotation"], other["xyz"]
        matrices = []
        for pose in result["ranked"][1]["way_out"]["path"]["poses"]:
            # In the frame of the other part.
            matrices.append([[sum(r[k][i] * pose["rotation"][k][j] for k in range(3)) for j in range(3)]
                             + [sum(r[k][i] * (pose["xyz"][k] - p[k]) for k in range(3))]
                             for i in range(3)] + [[0, 0, 0, 1]])
        poses = self.write("poses.json", json.dumps(matrices))
        done = run("distance", self.part, self.part, "--poses", poses, "--penetration", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = validated(done.stdout)["poses"]
        self.assertEqual(len(found), len(matrices))
        for pose in found:
            if pose["distance"] == 0.0:
                self.assertLess(pose["penetration"]["upper"], 0.0005 + 1e-9)

    def test_a_part_that_is_held_all_around_stays(self):
        # A cover over the big end with a slot for the shank, 1 mm of room: nothing comes out.
        low, high, y, z, t, s = -0.047, 0.047, 0.0465, 0.0265, 0.004, 0.016
        cover = self.folder / "cover.stl"
        cover.write_bytes(boxes_stl(((low - t, -y - t, 0), (low, y + t, z)),
                                    ((low, -y - t, 0), (high + t, -y, z)),
                                    ((low, y, 0), (high + t, y + t, z)),
                                    ((low - t, -y - t, z), (high + t, y + t, z + t)),
                                    ((high, -y, 0), (high + t, -s, z)),
                                    ((high, s, 0), (high + t, y, z))))
        path = self.write("one.json", pile({"xyz": [0, 0, 13]}))
        arguments = ("--pile", path, *self.PILE, "--obstacle", cover, "--plan", "--operations", 30_000_000)
        result = self.picked(*arguments, status=1)
        candidate = result["ranked"][0]
        self.assertGreater(len(candidate["free"]), 0)
        self.assertTrue(candidate["buried"])
        self.assertEqual(candidate["way_out"]["status"], "not found")
        self.assertIsNone(candidate["way_out"]["path"])
        self.assertEqual((result["valid"], result["planned"]), (0, 0))
        done = run("pick", self.part, self.grasps, "--top", "all", *arguments)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no way out was found", done.stdout)

    def test_a_caged_part_is_locked_and_that_is_proven(self):
        # The head of a hammer in a cage with 1 mm of room, its shank through a slot. What the planner
        # proves within the work allowed is coarse, and so is what counts as touching here.
        hammer = self.folder / "hammer.stl"
        hammer.write_bytes(boxes_stl(((-.01, -.03, -.01), (.01, .03, .01)), ((0, -.006, -.006), (.09, .006, .006))))
        low, high, y, z, t, s = -.011, .011, .031, .022, .004, .007
        cage = self.folder / "cage.stl"
        cage.write_bytes(boxes_stl(((low - t, -y - t, 0), (low, y + t, z)), ((low, -y - t, 0), (high + t, -y, z)),
                                   ((low, y, 0), (high + t, y + t, z)), ((low - t, -y - t, z), (high + t, y + t, z + t)),
                                   ((high, -y, 0), (high + t, -s, z)), ((high, s, 0), (high + t, y, z))))
        grasps = self.folder / "hammer.cgr"
        done = run("grasp", hammer, "--step", "6mm", "--softness", "3mm", "--wire-frame", self.write(
            "hammer.json", json.dumps({"clearance": "wire-frame", "version": 1,
                                       "segments": [[[.03, 0, 0], [.08, 0, 0]]]})), "--out", grasps)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.write("one.json", pile({"xyz": [0, 0, 11]}))
        arguments = (hammer, grasps, "--top", "all", "--pile", path, "--approach", "20mm", "--contact", "25mm",
                     "--obstacle", cage, "--plan")
        result = self.result_of("pick", *arguments, status=1)
        candidate = result["ranked"][0]
        self.assertGreater(len(candidate["free"]), 0)
        self.assertTrue(candidate["buried"])
        way = candidate["way_out"]
        self.assertEqual((way["status"], way["relief"], way["path"]), ("locked", 0.0, None))
        self.assertGreater(way["resolution"], 0.0)
        self.assertLessEqual(way["resolution"], 0.025)

    def test_points_above_the_end_are_gone_around(self):
        # A row of points over the big end, and one of the part itself.
        points = [(0.001 * x, y, 0.045) for x in range(-30, 31, 5) for y in (-0.02, 0.0, 0.02)]
        cloud = self.write("seen.xyz", "".join(f"{x} {y} {z}\n" for x, y, z in points) + "0.09 0 0.0255\n")
        path = self.write("one.json", pile({"xyz": [0, 0, 13]}))
        result = self.picked("--pile", path, *self.PILE, "--cloud", cloud, "--plan")
        candidate = result["ranked"][0]
        self.assertTrue(candidate["buried"])
        self.assertEqual(candidate["way_out"]["status"], "found")

    def test_plan_needs_a_retreat(self):
        path = self.overhang()
        self.assertIn("--retreat", self.refused("--pile", path, "--plan", "--retreat", 0))
        self.assertIn("--operations", self.refused("--pile", path, "--plan", "--operations", -1))


class Study(InFolder):
    def test_reproduce_bin_picking_sets_its_tables_beside_the_papers(self):
        out, csv = self.folder / "figures", self.folder / "piles.csv"
        done = run("reproduce", "bin-picking", "--quick", "--json", "--out", out, "--csv", csv)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = validated(done.stdout)
        self.assertEqual(result["grasps"]["paper"]["robust"], 4284)
        counts = result["grasps"]["ours"]
        self.assertGreater(counts["sampled"], 20_000)
        self.assertGreater(counts["stable"], counts["robust"])
        rows = result["piles"]
        self.assertEqual(len(csv.read_text(encoding="utf-8").splitlines()), 1 + len(rows))
        # The study's own reading first, and five others of the nominal grasps.
        readings = result["readings"]
        self.assertEqual(readings[0]["choice"], "")
        self.assertAlmostEqual(readings[0]["generated"], result["valid_picks"]["generated"])
        self.assertAlmostEqual(readings[0]["nominal"], result["valid_picks"]["nominal"])
        self.assertAlmostEqual(readings[0]["spread"], result["valid_picks"]["spread"])
        # As many grasps, but others: they take more.
        self.assertGreater(result["valid_picks"]["spread"], result["valid_picks"]["generated"])
        # With the rest where they take none it is what all robust grasps take.
        self.assertEqual(result["valid_picks"]["spread_and_rest"], result["valid_picks"]["all"])
        self.assertEqual([r["choice"] for r in readings[1:]], ["nominal"] * 5)
        self.assertEqual(len({r["nominal"] for r in readings}) > 2, True)
        for row in rows:
            # More grasps never take a pick away, and what is buried was valid.
            self.assertGreaterEqual(row["all_valid"], max(row["generated"]["valid"], row["spread"]["valid"]))
            rest, tried = row["spread_and_rest"], result["grasps"]["tried"]
            self.assertEqual(rest["valid"], row["all_valid"])
            self.assertGreaterEqual(rest["pickable"], row["spread"]["pickable"])
            self.assertEqual(row["spread"]["tried_grasps"], 15 * tried)
            self.assertEqual(rest["tried_grasps"], 15 * tried
                             + (15 - row["spread"]["valid"]) * (counts["robust"] - tried))
            for tally in (row["generated"], row["nominal"], row["spread"], rest):
                self.assertLessEqual(tally["buried"], tally["valid"])
                self.assertLessEqual(tally["pickable"], tally["valid"] - tally["buried"])
        for name in ("figure6a.png", "figure6b.png", "figure6_used.png", "figure6_spread.png", "figure7.png", "figure8a.png", "figure8b.png", "figure8c.png", "figure8d.png", "valid_picks.svg"):
            self.assertTrue((out / name).exists(), name)

    def test_reproduce_bin_picking_takes_no_files(self):
        done = run("reproduce", "bin-picking", "part.stl")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no use for files", done.stderr)


if __name__ == "__main__":
    unittest.main()

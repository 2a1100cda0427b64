#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance plan and verify from outside: scenes from files and from the command line, results,
proof by separate code, and bad input, each with its words."""

import csv
import json
import shutil
import struct
import unittest

from cli_test import ROOT, InFolder, run, validated

BOX_FACES = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4),
             (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)]


def boxes(*named):
    """OBJ text of boxes: (name, low, high)."""
    lines, base = [], 1
    for name, low, high in named:
        lines.append(f"o {name}")
        for z in (low[2], high[2]):
            for x, y in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])):
                lines.append(f"v {x} {y} {z}")
        lines += [f"f {base + a} {base + b} {base + c}" for a, b, c in BOX_FACES]
        base += 8
    return "\n".join(lines) + "\n"


class PlanCase(InFolder):
    """A cube of 1 m between two walls that leave 1.2 m."""

    def setUp(self):
        super().setUp()
        self.body = self.write("cube.obj", boxes(("cube", (0, 0, 0), (1, 1, 1))))
        self.walls = self.write("walls.obj", boxes(("left", (-3, -1.1, -3), (4, -0.1, 4)),
                                                   ("right", (-3, 1.1, -3), (4, 2.1, 4))))

    def scene(self, **changes):
        scene = {"clearance": "scene", "version": 1, "body": "cube.obj", "obstacles": "walls.obj",
                 "goal": {"xyz": [2, 0, 0]}, **changes}
        return self.write("scene.json", json.dumps({k: v for k, v in scene.items() if v is not None}))

    def planned(self, scene, *arguments):
        path = self.folder / "result.json"
        done = run("plan", scene, "-o", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return path, validated(path.read_text(encoding="utf-8"))


class Plan(PlanCase):
    def test_a_scene_gives_a_proven_path_and_all_its_files(self):
        out = {kind: self.folder / f"path.{kind}" for kind in ("csv", "glb", "png", "svg")}
        path, plan = self.planned(self.scene(required_clearance=0.05), "--csv", out["csv"], "--glb",
                                  out["glb"], "--picture", out["png"], "--plot", out["svg"])
        self.assertEqual(plan["status"], "found")
        self.assertEqual(plan["scene"]["body"]["files"][0]["file"], "cube.obj")
        self.assertGreater(plan["proof"]["clearance_lower"], 0.05)
        self.assertEqual(plan["poses"][0]["xyz"], [0, 0, 0])
        self.assertEqual(plan["poses"][-1]["xyz"], [2, 0, 0])
        rows = list(csv.DictReader(out["csv"].open(encoding="utf-8")))
        self.assertEqual(list(rows[0]), ["time", "x", "y", "z", "qx", "qy", "qz", "qw"])
        self.assertEqual((float(rows[0]["time"]), float(rows[-1]["time"])), (0, 1))
        self.assertEqual(float(rows[-1]["x"]), 2)
        self.assertEqual(out["png"].read_bytes()[:4], b"\x89PNG")
        self.assertIn("Clearance along the path", out["svg"].read_text(encoding="utf-8"))
        self.assertAnimated(out["glb"].read_bytes())
        done = run("verify", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("verified", done.stdout)

    def assertAnimated(self, glb):
        magic, version, size, length, kind = struct.unpack_from("<4sIII4s", glb)
        self.assertEqual((magic, version, size, kind), (b"glTF", 2, len(glb), b"JSON"))
        document = json.loads(glb[20:20 + length])
        binary = glb[28 + length:]
        self.assertEqual(document["buffers"][0]["byteLength"], len(binary))
        for view in document["bufferViews"]:
            self.assertLessEqual(view["byteOffset"] + view["byteLength"], len(binary))
        animation = document["animations"][0]
        names = [n["name"] for n in document["nodes"]]
        targets = {(names[c["target"]["node"]], c["target"]["path"]) for c in animation["channels"]}
        self.assertEqual(targets, {("body", "translation"), ("body", "rotation")})
        accessor = document["accessors"][animation["samplers"][0]["input"]]
        view = document["bufferViews"][accessor["bufferView"]]
        times = struct.unpack_from(f"<{accessor['count']}f", binary, view["byteOffset"])
        self.assertTrue(all(a < b for a, b in zip(times, times[1:])), times)
        self.assertEqual((accessor["min"], accessor["max"]), ([times[0]], [times[-1]]))

    def test_the_same_bytes_for_any_number_of_threads_and_every_run(self):
        scene = shutil.copy(ROOT / "examples" / "latch.json", self.folder)
        for mesh in ("latch.obj", "housing.obj"):
            shutil.copy(ROOT / "examples" / mesh, self.folder)
        texts = set()
        for threads in (1, 2, 2):
            path, plan = self.planned(scene, "--threads", threads)
            texts.add(path.read_bytes())
        self.assertEqual(len(texts), 1)
        self.assertGreater(plan["length"]["rotation"], 1.0, "the latch has to be turned")
        self.assertEqual(run("verify", path).returncode, 0)

    def test_meshes_on_the_command_line_are_a_scene_too(self):
        result = self.result_of("plan", "--body", self.body, "--obstacles", self.walls, "--unit", "mm",
                                "--start", "0.001 0 0 0 0 0 1", "--goal", "out", "--clearance", "0.01mm")
        self.assertEqual(result["status"], "found")
        self.assertEqual(result["scene"]["goal"], "out")
        self.assertEqual(result["scene"]["clearance"], 1e-5)
        self.assertEqual(result["scene"]["start"]["xyz"], [0.001, 0, 0])

    def test_parts_of_an_assembly_come_out(self):
        self.write("all.obj", self.walls.read_text() + "".join(
            line + "\n" for line in boxes(("cube", (0, 0, 0), (1, 1, 1))).replace(
                "f ", "f ").splitlines() if not line.startswith("f")) +
            "".join(f"f {17 + a} {17 + b} {17 + c}\n" for a, b, c in BOX_FACES))
        result = self.result_of("plan", "--assembly", self.folder / "all.obj", "--parts", "cube")
        self.assertEqual([p["name"] for p in result["scene"]["obstacles"]["parts"]], ["left", "right"])
        self.assertEqual(result["status"], "found")

    def test_every_tree_finds_a_path(self):
        for tree in ("default", "pqp", "rapid2", "inertia"):
            result = self.result_of("plan", self.scene(), "--tree", tree)
            self.assertEqual(result["status"], "found", tree)

    def test_a_yardstick_plans_and_says_its_name(self):
        result = self.result_of("plan", self.scene(), "--planner", "rrtconnect", "--seed", 3,
                                "--seconds", 20)
        self.assertEqual((result["planner"], result["status"]), ("rrtconnect", "found"))

    def test_parts_that_touch_are_relieved_and_the_result_says_so(self):
        # The cube stands on a floor that is 1 um too high.
        self.write("floor.obj", boxes(("floor", (-2, -2, -1), (3, 3, 1e-6))))
        scene = self.scene(obstacles="floor.obj", goal="out", touching="auto")
        path, plan = self.planned(scene)
        self.assertGreater(plan["scene"]["relief"], 1e-6)
        self.assertLess(plan["scene"]["relief"], 1e-5)
        verified = self.result_of("verify", path)
        self.assertEqual(verified["relief"], plan["scene"]["relief"])

    def test_no_way_out_says_why_and_shows_what_blocks(self):
        closed = self.write("closed.obj", boxes(
            ("floor", (-1, -1, -1), (2, 2, -0.2)), ("lid", (-1, -1, 1.2), (2, 2, 2)),
            ("west", (-1, -1, -0.2), (-0.2, 2, 1.2)), ("east", (1.2, -1, -0.2), (2, 2, 1.2)),
            ("south", (-0.2, -1, -0.2), (1.2, -0.2, 1.2)), ("north", (-0.2, 1.2, -0.2), (1.2, 2, 1.2))))
        picture, out = self.folder / "blocked.png", self.folder / "blocked.json"
        done = run("plan", self.scene(obstacles=closed.name, goal="out"), "--resolution", "0.05",
                   "--operations", "2e8", "--picture", picture, "-o", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("path", done.stdout.splitlines()[-1])
        plan = validated(out.read_text(encoding="utf-8"))
        self.assertIn(plan["status"], ("no_path", "out_of_budget"))
        self.assertTrue(picture.exists())
        self.assertIn("no path to verify", self.refusal_of("verify", out))


class Verify(PlanCase):
    def test_a_path_pushed_into_an_obstacle_is_refused(self):
        path, plan = self.planned(self.scene(), "--no-improve")
        # Between the ends the cube goes through the right wall by a millionth of a metre.
        middle = {"xyz": [1, 0.100001, 0], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}
        plan["poses"] = [plan["poses"][0], middle, plan["poses"][-1]]
        plan["proof"]["narrowest"]["piece"] = 0
        plan["samples"] = []
        path.write_text(json.dumps(plan), encoding="utf-8")
        done = run("verify", path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("refused", done.stdout)
        self.assertIn("part 'right' of", done.stdout)
        result = self.result_of("verify", path, status=1)
        self.assertEqual((result["verified"], result["status"]), (False, "refused"))
        self.assertEqual(result["refused_at"]["obstacle"]["part"], "right")
        # Neither does a smaller body help, which the scene does not allow.
        plan["scene"]["relief"] = 2e-6
        path.write_text(json.dumps(plan), encoding="utf-8")
        self.assertIn("plan.json: scene/relief", self.refusal_of("verify", path).replace(str(path), "plan.json"))
        plan["scene"]["relief"] = 0.0
        # As much less, and it is free.
        middle["xyz"][1] = 0.099999
        path.write_text(json.dumps(plan), encoding="utf-8")
        verified = self.result_of("verify", path)
        self.assertEqual((verified["verified"], verified["solid"]), (True, True))
        self.assertNotIn("surfaces", run("verify", path).stdout)
        plan["scene"]["solid"] = False
        path.write_text(json.dumps(plan), encoding="utf-8")
        self.assertFalse(self.result_of("verify", path)["solid"])
        self.assertIn("of meshes as surfaces", run("verify", path).stdout)

    def test_a_path_that_ends_elsewhere_is_refused(self):
        path, plan = self.planned(self.scene())
        plan["poses"][-1]["xyz"][0] += 0.01
        path.write_text(json.dumps(plan), encoding="utf-8")
        result = self.result_of("verify", path, status=1)
        self.assertEqual((result["status"], result["reaches_goal"]), ("free", False))

    def test_changed_meshes_are_refused(self):
        path, _ = self.planned(self.scene())
        self.body.write_text(self.body.read_text() + "# changed\n", encoding="utf-8")
        self.assertIn("has changed", self.refusal_of("verify", path))
        self.body.unlink()
        self.assertIn("cube.obj", self.refusal_of("verify", path))

    def test_other_files_are_refused(self):
        self.assertIn("another kind of file", self.refusal_of("verify", self.scene()))
        self.assertIn("none.json", self.refusal_of("verify", self.folder / "none.json"))


class BadInput(PlanCase):
    def refused(self, scene, *arguments):
        return self.refusal_of("plan", scene, *arguments)

    def test_a_start_in_collision_says_how_deep_with_what_and_where_it_would_be_free(self):
        words = self.refused(self.scene(start={"xyz": [0, 0.3, 0]}))
        for part in ("start", "touches", "mm deep", "part 'right' of", "part 'cube' of",
                     "nearest free pose"):
            self.assertIn(part, words)

    def test_a_goal_in_collision_or_too_near_is_refused(self):
        self.assertIn("goal", self.refused(self.scene(goal={"xyz": [2, -0.3, 0]})))
        words = self.refused(self.scene(required_clearance=0.1))
        self.assertIn("not more than the clearance", words)

    def test_a_goal_beyond_the_bounds_is_refused(self):
        bounds = {"low": [-1, -1, -1], "high": [1, 1, 1]}
        self.assertIn("bounds", self.refused(self.scene(bounds=bounds)))

    def test_missing_files_and_unknown_parts_are_named(self):
        self.assertIn("gone.obj", self.refused(self.scene(body="gone.obj")))
        words = self.refused(self.scene(obstacles={"file": "walls.obj", "parts": ["middle"]}))
        self.assertIn("'middle': is not in the file", words)
        self.assertIn("'left', 'right'", words)

    def test_poses_that_are_not_rigid_are_refused(self):
        mirrored = {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}
        self.assertIn("start", self.refused(self.scene(start=mirrored)))
        self.assertIn("--goal", self.refused(self.scene(), "--goal", "0 0 0 1 1 0 0"))

    def test_no_clearance_in_a_touching_assembly_advises_relief(self):
        self.write("floor.obj", boxes(("floor", (-2, -2, -1), (3, 3, 0))))
        self.assertIn("--touching auto", self.refused(self.scene(obstacles="floor.obj", goal="out")))

    def test_a_body_that_is_its_own_obstacle_is_refused(self):
        words = self.refused(self.scene(obstacles=["walls.obj", "cube.obj"]))
        self.assertIn("body and obstacle at the same place", words)

    def test_wrong_usage_is_explained(self):
        for arguments, part in (((), "what is to be planned"),
                                (("--body", self.body), "--obstacles"),
                                ((self.scene(), "--body", self.body), "exclude each other"),
                                (("--assembly", self.walls), "--parts"),
                                ((self.scene(), "--touching", "much"), "--touching"),
                                ((self.scene(), "--operations", "1.5e9"), "not a number of 1"),
                                ((self.body,), "--body and --obstacles")):
            self.assertIn(part, self.refusal_of("plan", *arguments))


if __name__ == "__main__":
    unittest.main()

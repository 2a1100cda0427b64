#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance view of results that somebody has tampered with: fields that are gone, empty, of another type or out
of range are told of, and never end the program."""

import copy
import json
import unittest

from cli_test import ROOT, InFolder, run

EXAMPLES = ROOT / "examples"
# What a value is replaced by. Numbers stay small: a count of 1e9 may honestly ask for much memory.
VALUES = (None, [], {}, "", -1, 123456, 0.5, True, "nowhere/none.stl")


def places(value, path=()):
    """The paths to all fields; of a list the first and the last element only."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for index in sorted({0, len(value) - 1}):
            yield from places(value[index], (*path, index))


def changed(result, path, replace):
    """A copy in which the field is replaced, or gone when `replace` is Ellipsis."""
    result = copy.deepcopy(result)
    at = result
    for key in path[:-1]:
        at = at[key]
    if replace is Ellipsis:
        del at[path[-1]]
    else:
        at[path[-1]] = replace
    return result


class Tampered(InFolder):
    def look_at(self, result, stride=1):
        """Shows the result in many broken ways, all in one run of the program."""
        good = self.folder / "good.json"
        good.write_text(json.dumps(result), encoding="utf-8")
        files = [good]
        count = 0
        for path in places(result):
            if path[0] in ("schema", "version"):
                continue
            for replace in (Ellipsis, *VALUES):
                count += 1
                if count % stride:
                    continue
                file = self.folder / f"tampered_{len(files)}.json"
                file.write_text(json.dumps(changed(result, path, replace)), encoding="utf-8")
                files.append(file)
        self.assertGreater(len(files), 20)
        # In groups, so that one run stays small.
        for first in range(1, len(files), 100):
            group = [good, *files[first:first + 100]]
            done = run("view", *group, "--export", self.folder / "page.html", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertTrue((self.folder / "page.html").exists())

    def json_of(self, *arguments):
        done = run(*arguments, "--json", cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout.splitlines()[-1] if "--stream" in arguments else done.stdout)

    def test_clash_distance_and_inspect(self):
        run("generate", "pipe", "--triangles", 200, "-o", self.folder / "pipe.stl")
        run("generate", "gripper", "-o", self.folder / "gripper.glb")
        self.look_at(self.json_of("clash", "pipe.stl", "gripper.glb"), 3)
        self.look_at(self.json_of("distance", "pipe.stl", "pipe.stl", "--pose", "1 0 0"))
        self.look_at(self.json_of("inspect", "pipe.stl"), 3)

    def test_probe_and_its_stream(self):
        run("generate", "atrium", "-o", self.folder / "atrium.glb")
        robot = EXAMPLES / "catheter.json"
        self.look_at(self.json_of("probe", robot, "atrium.glb", "--pose", "0 0 0"), 5)
        self.look_at(self.json_of("probe", robot, "atrium.glb", "--stream", "--synthetic", "orbit:1mm", "--rate", "200",
                                  "--seconds", "0.1"), 3)

    def test_fold(self):
        self.look_at(self.json_of("fold", "helix-bundle:6", "--steps", 50, "--out", "fold"), 2)
        self.look_at(self.json_of("fold", "helix-bundle:6", "--clash-factor", 1.5), 2)
        snake = json.loads((EXAMPLES / "snake.json").read_text(encoding="utf-8"))
        snake["chain"][0]["repeat"] = 4
        (self.folder / "snake.json").write_text(json.dumps(snake), encoding="utf-8")
        run("generate", "pipe", "--triangles", 200, "-o", self.folder / "pipe.stl")
        self.look_at(self.json_of("fold", "snake.json", "--obstacle", "pipe.stl", "--obstacle-pose", "0 0 1", "--steps", 50,
                                  "--out", "walk"), 2)

    def test_plan_and_check(self):
        self.look_at(self.json_of("plan", EXAMPLES / "latch.json"), 7)
        run("check", "--example", "weld", cwd=self.folder)
        self.look_at(self.json_of("check", "weld/cell.json", "weld/program.json"), 29)


if __name__ == "__main__":
    unittest.main()

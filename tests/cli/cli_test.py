#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""The program clearance from outside: exit status, what it prints and where, --json against the
published schemas, completion scripts, bad input, and real files against independent counts.

Usage: cli_test.py [unittest arguments]; CLEARANCE_PROGRAM names the program.
"""

import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import jsonschema

PROGRAM = os.environ["CLEARANCE_PROGRAM"]
ROOT = pathlib.Path(__file__).parents[2]
DATA = pathlib.Path(os.environ.get("CLEARANCE_DATA", ROOT.parent / "shared" / "data"))
VERBS = ("inspect", "distance", "clash", "fold", "probe", "simplify", "check", "plan", "verify", "grasp", "pick",
         "generate", "reproduce", "completion")

# A tetrahedron with outward faces, one of them left out.
OPEN_TETRAHEDRON = """solid open
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
endsolid open
"""


def run(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=300, cwd=cwd)


def validated(text: str) -> dict:
    """The JSON of a result, after checking it against the schema it names."""
    result = json.loads(text)
    name = result["schema"].removeprefix("clearance.")
    schema = json.loads((ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(result)
    return result


class InFolder(unittest.TestCase):
    """Each test in an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def generated(self, name: str, file: str, *options) -> pathlib.Path:
        path = self.folder / file
        done = run("generate", name, "-o", path, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def result_of(self, *arguments, status=0):
        """The --json result of a command, held against its schema."""
        done = run(*arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr)
        return validated(done.stdout)

    def refusal_of(self, *arguments):
        """What a command says to wrong input: status 2, and nothing on standard output."""
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr


class Usage(InFolder):
    def test_help_lists_every_verb_and_every_verb_has_help_with_examples(self):
        top = run("--help")
        self.assertEqual((top.returncode, top.stderr), (0, ""))
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", top.stdout)
            own = run(verb, "--help")
            self.assertEqual((own.returncode, own.stderr), (0, ""))
            self.assertIn(f"Usage: clearance {verb}", own.stdout)
            self.assertIn("Examples:", own.stdout)
            self.assertTrue(all(len(line) <= 100 for line in own.stdout.splitlines()))

    def test_version_names_commit_compiler_and_components(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^clearance \d+\.\d+\.\d+ \(commit \S+\)\n")
        self.assertIn("built with", done.stdout)
        self.assertIn("STEP:", done.stdout)

    def test_no_verb_is_wrong_usage_with_help_on_stderr(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Usage:", done.stderr)

    def test_unknown_words_get_the_nearest_suggestion(self):
        for arguments, words in [
            (["inspct"], "did you mean 'inspect'?"),
            (["distanec", "a", "b"], "did you mean 'distance'?"),
            (["plan", "a.json", "--seconds", "nan"], "'nan' is not a number from"),
            (["plan", "a.json", "--operations", "-5"], "'-5' is not a number of 1 or more"),
            (["check", "a.json", "b.json", "--time-tolerance", "nan"], "'nan' is not a number from"),
            (["check", "a.json", "b.json", "--time-tolerance", "1e-300"], "is not a number from"),
            (["check", "a.json", "b.json", "--line-error", "0"], "--line-error 0"),
            (["generate", "pipe", "-o", "a.stl", "--triangles", "-1"], "'-1' is not a number of 0 or more"),
            (["simplify", "a.stl", "--seed", "-1"], "'-1' is not a number of 0 or more"),
            (["pick", "a.stl", "a.cgr", "--simulate", "3", "--mount", "x"], "--robot, which is missing"),
            (["pick", "a.stl", "a.cgr", "--simulate", "3", "--approach", "1e9"], "longer than 100 m"),
            (["distance", "a.stl", "b.stl", "--unit", "mm", "--unit", "m"], "--unit takes one value"),
            (["inspect", "--jsno", "x.stl"], "did you mean '--json'?"),
            (["generate", "pip", "-o", "x.stl"], "did you mean 'pipe'?"),
        ]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(words, done.stderr)
        self.assertNotIn("did you mean", run("zzzzzz").stderr)

    def test_wrong_values_are_named(self):
        for arguments, words in [
            (["inspect"], "FILE"),
            (["inspect", "a.stl", "--unit", "furlong"], "no unit 'furlong'"),
            (["inspect", "a.step", "--deflection", "0"], "'0' is not a number above 0"),
            (["inspect", "a.stl", "--threads", "x"], "'x' is not a number of threads"),
            (["generate", "pipe"], "-o FILE"),
            (["generate", "pipe", "-o", "a.stl", "--triangles", "many"], "many"),
            (["reproduce"], "which study?"),
            (["reproduce", "inertia-fti"], "did you mean 'inertia-fit'?"),
            (["reproduce", "inertia-fit", "--repeat", "0"], "--repeat"),
            (["reproduce", "inertia-fit", "--no-generated"], "no mesh to study"),
            (["reproduce", "inertia-fit", "--steps", "5"], "no use for --steps"),
            (["reproduce", "chaintree", "--steps", "0"], "--steps"),
            (["reproduce", "chaintree", "--threads", "2"], "no use for --threads"),
            (["reproduce", "chaintree", "--data", "nowhere"], "no such folder"),
            (["reproduce", "chaintree", "nowhere.pdb"], "nowhere.pdb"),
            (["reproduce", "contour-gpu", "--steps", "5"], "no use for --steps"),
            (["reproduce", "contour-gpu", "mesh.stl"], "no use for files"),
            (["reproduce", "contour-gpu", "--data", "nowhere"], "no such folder"),
            (["completion", "tcsh"], "no script for 'tcsh'"),
            (["distance", "", "b.stl"], "A is empty"),
        ]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(words, done.stderr)

    def test_completion_scripts_parse_and_know_the_options(self):
        for shell in ("bash", "zsh", "fish"):
            done = run("completion", shell)
            self.assertEqual(done.returncode, 0)
            for word in (*VERBS, "recursive", "triangles", "pipe"):
                self.assertIn(word, done.stdout, shell)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)

    def test_bash_completes_verbs_options_values_and_files(self):
        (self.folder / "part.STL").touch()
        (self.folder / "part.txt").touch()
        script = self.folder / "clearance.bash"
        script.write_text(run("completion", "bash").stdout, encoding="utf-8")

        def completed(*words):
            command = (f"source {script}; COMP_WORDS=({' '.join(words)}); "
                       f"COMP_CWORD={len(words) - 1}; _clearance; "
                       'printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                                  check=True, cwd=self.folder).stdout.split()

        self.assertEqual(completed("clearance", "ins"), ["inspect"])
        self.assertEqual(completed("clearance", "inspect", "--pa"), ["--parts"])
        self.assertEqual(completed("clearance", "inspect", "--unit", "m"), ["m", "mm"])
        self.assertEqual(completed("clearance", "inspect", "pa"), ["part.STL"])

    def test_a_full_disk_is_not_success(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "generate", "--list"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write", done.stderr)


class Results(InFolder):
    def test_generate_meets_the_count_and_repeats_its_bytes(self):
        first = self.generated("pipe", "a.stl", "--triangles", 5000)
        second = self.generated("pipe", "b.stl", "--triangles", 5000)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertEqual(len(first.read_bytes()), 84 + 50 * 5000)

    def test_generate_json_follows_its_schema(self):
        done = run("generate", "wall", "-o", "wall.ply", "--seed", 3, "--json", cwd=self.folder)
        result = validated(done.stdout)
        self.assertEqual((result["name"], result["seed"], result["path"]), ("wall", 3, "wall.ply"))
        listed = validated(run("generate", "--list", "--json").stdout)
        names = [entry["name"] for entry in listed["generators"]]
        self.assertIn("pipe", names)

    def test_generate_leaves_an_old_file_alone_when_it_fails(self):
        path = self.folder / "old.stl"
        path.write_text("old", encoding="utf-8")
        done = run("generate", "pipe", "-o", path, "--triangles", 1)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(path.read_text(encoding="utf-8"), "old")
        self.assertEqual(os.listdir(self.folder), ["old.stl"])

    def test_reproduce_inertia_fit_sets_its_figures_beside_the_papers(self):
        part = self.generated("pipe", "pipe.stl")
        table = self.folder / "figures.csv"
        done = run("reproduce", "inertia-fit", part, "--quick", "--queries", 3, "--json", "--csv",
                   table)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = validated(done.stdout)
        meshes = result["meshes"]
        self.assertEqual(len(meshes), 7)
        # The first figure of the paper's Table II and the last of its Table IV.
        self.assertEqual(meshes[0]["paper"]["trees"]["pqp"]["area"], 59.28)
        self.assertEqual(meshes[5]["paper"]["trees"]["inertia"]["build_ms"], 864)
        self.assertNotIn("paper", meshes[6])
        for mesh in meshes:
            trees = mesh["trees"]
            for fitter in ("pqp", "rapid2", "inertia"):
                self.assertEqual(trees[fitter]["nodes"], 2 * mesh["triangles"] - 1)
                self.assertGreater(trees[fitter]["volume_tests"], 10)
            for ranking in mesh["rankings"][:2]:
                by_value = sorted(ranking["here"], key=lambda f: trees[f][ranking["measure"]])
                self.assertEqual(ranking["here"], by_value)
                self.assertEqual(ranking["inertia_below_pqp"],
                                 trees["inertia"][ranking["measure"]] <
                                 trees["pqp"][ranking["measure"]])
        planning = result["planning"]
        self.assertEqual([case["paper_s"]["inertia"] for case in planning], [19, 151, 40])
        for case in planning:
            self.assertTrue(case["same_proof"], case["name"])
            self.assertGreater(case["looks"], 1)
            # A quick run plans on our tree alone; all prove its path.
            self.assertEqual([tree["status"] for tree in case["trees"].values()],
                             ["not_planned"] * 3 + ["found"], case["name"])
            self.assertTrue(all(tree["prove_tests"] > 100 for tree in case["trees"].values()))
        self.assertIn("planning is faster by inertia", result["conclusion"])
        lines = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 1 + 4 * 7)
        self.assertTrue(all(line.count(",") >= 12 for line in lines))

    def test_reproduce_inertia_fit_does_not_depend_on_threads(self):
        path = self.generated("conrod", "conrod.ply")

        def figures(threads):
            done = run("reproduce", "inertia-fit", path, "--no-generated", "--json", "--threads",
                       threads)
            trees = validated(done.stdout)["meshes"][0]["trees"]
            return {name: (tree["area"], tree["volume"]) for name, tree in trees.items()}

        self.assertEqual(figures(1), figures(2))

    def test_reproduce_studies_the_larger_meshes_of_a_folder(self):
        self.generated("conrod", "large.ply")
        self.generated("pipe", "small.stl", "--triangles", 100)
        (self.folder / "broken.stl").write_text("solid", encoding="utf-8")
        done = run("reproduce", "inertia-fit", "--no-generated", "--data", self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("large.ply", "Table II", "Table IV", "Does the paper's ranking hold?"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("small.stl", done.stdout)
        # A file asked for by name must be readable.
        broken = run("reproduce", "inertia-fit", "--no-generated", self.folder / "broken.stl")
        self.assertEqual((broken.returncode, broken.stdout), (2, ""))
        self.assertIn("broken.stl", broken.stderr)

    def test_reproduce_chaintree_measures_every_method_with_the_same_answers(self):
        table = self.folder / "figures.csv"
        pictures = self.folder / "pictures"
        done = run("reproduce", "chaintree", "--quick", "--json", "--csv", table, "--out", pictures)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = validated(done.stdout)
        chains = result["chains"]
        # Two compact chains; three proteins, each as backbone and whole.
        self.assertEqual([chain["kind"] for chain in chains], ["compact"] * 2 + ["protein"] * 6)
        for chain in chains:
            methods = chain["methods"]
            self.assertEqual(methods["chaintree"]["steps"], 300)
            self.assertEqual(sum(m["wrong_answers"] for m in methods.values()), 0)
            self.assertLess(chain["hits"], 300)
            if chain["kind"] == "compact":
                self.assertGreater(chain["hits"], 0)
            self.assertLessEqual(methods["chaintree"]["box_tests"],
                                 chain["box_tests_without_memory"])
            for name in ("loose-obb", "tight-obb", "rss", "k-obbtree"):
                self.assertGreater(methods[name]["box_tests"], 1, name)
            # Grids have no boxes.
            self.assertEqual(methods["grid"]["box_tests"], 0)
            self.assertGreater(methods["grid"]["sphere_tests"], 1)
        self.assertEqual([row["links"] for row in result["worst_case"]],
                         [3 * d ** 3 // 64 for d in (16, 24, 32)])
        self.assertTrue(result["claims"][-1]["holds"])
        lines = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 1 + 9 * len(chains))
        for name in ("figure7-update", "figure7-test", "figure7-total", "figure8-update",
                     "figure8-test", "figure8-total", "growth", "worst-case"):
            picture = (pictures / f"{name}.svg").read_text(encoding="utf-8")
            self.assertTrue(picture.startswith("<svg"), name)
        # The same again: what does not depend on the clock is the same.
        again = validated(run("reproduce", "chaintree", "--quick", "--json").stdout)
        for first, second in zip(chains, again["chains"]):
            for name, method in first["methods"].items():
                self.assertEqual(method["box_tests"], second["methods"][name]["box_tests"])

    def test_reproduce_contour_gpu_measures_every_way_with_the_same_answers(self):
        table = self.folder / "figures.csv"
        pictures = self.folder / "pictures"
        done = run("reproduce", "contour-gpu", "--quick", "--json", "--csv", table, "--out",
                   pictures)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = validated(done.stdout)
        self.assertEqual([row["triangles"] for row in result["sizes"]], [2000, 6000, 20000])
        for row in result["sizes"]:
            methods = row["methods"]
            self.assertEqual(sum(m["wrong_answers"] for m in methods.values()), 0)
            self.assertEqual(methods["paper"]["speedup"], 1)
            # Every pair is looked at, or culled; the tree looks at few.
            self.assertEqual(methods["paper"]["pairs_measured"], 30 * row["triangles"])
            self.assertLess(methods["tree"]["pairs_measured"], row["triangles"])
        self.assertEqual([row["cpu_s"] for row in result["paper_table_1"]],
                         [46.04, 10.89, 9.9, 9.5])
        self.assertEqual([(row["triangles"], row["segments"]) for row in result["scenarios"]],
                         [(10658, 7), (4308, 39)])
        for row in result["scenarios"]:
            self.assertEqual(row["wrong_answers"], 0)
            self.assertGreater(row["least_distance_m"], 0)
        for row in result["approximation"]:
            self.assertEqual(sum(row["causes"].values()), row["wrong"])
        self.assertTrue(result["claims"][-1]["holds"])
        lines = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 1 + 4 + sum(len(row["methods"]) for row in result["sizes"]))
        for name in ("figure5-time", "figure6-speedup", "table1-culling", "approximation"):
            picture = (pictures / f"{name}.svg").read_text(encoding="utf-8")
            self.assertTrue(picture.startswith("<svg"), name)
        for name in ("scenario-b-1", "scenario-b-2", "scenario-c"):
            self.assertTrue((pictures / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name)
            self.assertTrue((pictures / f"{name}.ply").read_bytes().startswith(b"ply\n"), name)
        # The same again: what does not depend on the clock is the same.
        again = validated(run("reproduce", "contour-gpu", "--quick", "--json").stdout)
        for first, second in zip(result["sizes"], again["sizes"]):
            self.assertEqual(first["methods"]["tree"]["pairs_measured"],
                             second["methods"]["tree"]["pairs_measured"])
        self.assertEqual(result["approximation"], again["approximation"])

    def test_inspect_json_of_a_generated_part_is_as_published(self):
        """Golden result: what a pipe of 48 triangles looks like. Change it knowingly."""
        self.generated("pipe", "pipe.ply", "--triangles", 48)
        done = run("inspect", "pipe.ply", "--json", "--parts", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = validated(done.stdout)
        golden = ROOT / "tests" / "cli" / "inspect_pipe.json"
        if os.environ.get("CLEARANCE_UPDATE_GOLDEN"):
            golden.write_text(done.stdout, encoding="utf-8")
        self.assertEqual(result, json.loads(golden.read_text(encoding="utf-8")))

    def test_inspect_json_does_not_depend_on_threads(self):
        path = self.generated("wall", "wall.obj")
        outputs = {run("inspect", path, "--json", "--threads", n).stdout for n in (1, 2, 7)}
        self.assertEqual(len(outputs), 1)

    def test_inspect_text_says_what_matters(self):
        path = self.generated("pipe", "pipe.stl", "--unit", "mm")
        text = run("inspect", path, "--unit", "mm").stdout
        for words in ("1,942 triangles", "200 mm", "closed", "defects    none", "mm, as given"):
            self.assertIn(words, text)

    def test_unit_changes_the_size_and_an_odd_size_is_a_warning(self):
        path = self.generated("pipe", "pipe.stl", "--unit", "mm")
        plain = run("inspect", path, "--json")
        self.assertEqual(plain.returncode, 0)
        doubtful = validated(plain.stdout)["files"][0]
        self.assertAlmostEqual(doubtful["health"]["bounds"]["size"][2], 200.0, places=3)
        self.assertEqual(doubtful["unit"]["likely"], "millimetres")
        self.assertEqual(run("inspect", path, "--strict").returncode, 1)
        sure = run("inspect", path, "--unit", "mm", "--strict", "--json")
        self.assertEqual(sure.returncode, 0)
        size = validated(sure.stdout)["files"][0]["health"]["bounds"]["size"][2]
        self.assertAlmostEqual(size, 0.2, places=6)

    def test_an_open_mesh_is_reported_and_strict_makes_it_status_1(self):
        path = self.folder / "open.stl"
        path.write_text(OPEN_TETRAHEDRON, encoding="utf-8")
        done = run("inspect", path, "--json")
        self.assertEqual(done.returncode, 0)
        health = validated(done.stdout)["files"][0]["health"]
        self.assertEqual((health["closed"], health["open_edges"], health["volume"]),
                         (False, 3, None))
        self.assertEqual(run("inspect", path, "--strict").returncode, 1)

    def test_one_bad_file_does_not_hide_the_others(self):
        good = self.generated("pipe", "good.stl")
        bad = self.folder / "bad.stl"
        bad.write_text("solid x\nfacet normal 0 0 1\nouter lop\n", encoding="utf-8")
        done = run("inspect", good, bad, self.folder / "none.stl", "--json")
        self.assertEqual(done.returncode, 2)
        files = validated(done.stdout)["files"]
        self.assertEqual(files[0]["health"]["triangles"], 1942)
        self.assertEqual([file.get("error", {}).get("code") for file in files],
                         [None, "malformed", "not_found"])
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith(f"clearance: {bad}: line 3: "), lines[0])
        self.assertTrue(lines[1].startswith(f"clearance: {self.folder / 'none.stl'}: "), lines[1])
        text = run("inspect", good, bad)
        self.assertEqual(text.returncode, 2)
        self.assertIn("1,942", text.stdout)

    def test_folders_need_recursive(self):
        (self.folder / "sub").mkdir()
        self.generated("pipe", "sub/one.stl")
        self.generated("wall", "two.obj")
        (self.folder / "sub" / "notes.txt").touch()
        refused = run("inspect", self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--recursive", refused.stderr)
        result = validated(run("inspect", "-r", self.folder, "--json").stdout)
        self.assertEqual([os.path.basename(file["path"]) for file in result["files"]],
                         ["one.stl", "two.obj"])

    def test_picture_is_a_png(self):
        path = self.generated("pipe", "pipe.glb")
        done = run("inspect", path, "--picture", self.folder / "pipe.png")
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.folder / "pipe.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(run("inspect", path, path, "--picture", "x.png").returncode, 2)

    def cube(self, name: str, side: float, faces: int = 12) -> pathlib.Path:
        """A cube about the origin, as OBJ; without its last faces when fewer are asked for."""
        h = side / 2
        corners = [(x, y, z) for z in (-h, h) for y in (-h, h) for x in (-h, h)]
        triangles = [(1, 3, 2), (2, 3, 4), (5, 6, 7), (6, 8, 7), (1, 2, 5), (2, 6, 5),
                     (3, 7, 4), (4, 7, 8), (1, 5, 3), (3, 5, 7), (2, 4, 6), (4, 8, 6)]
        path = self.folder / name
        path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) +
                        "".join(f"f {a} {b} {c}\n" for a, b, c in triangles[:faces]),
                        encoding="utf-8")
        return path

    def test_distance_of_cubes_is_known_by_heart(self):
        a, b = self.cube("a.obj", 1.0), self.cube("b.obj", 0.2)
        free = run("distance", a, b, "--pose", "1 0 0", "--json")
        self.assertEqual((free.returncode, free.stderr), (0, ""))
        pose = validated(free.stdout)["poses"][0]
        self.assertAlmostEqual(pose["distance"], 0.4, places=15)
        self.assertEqual(pose["touch"], "none")
        self.assertAlmostEqual(pose["surface"]["on_a"][0], 0.5, places=15)
        self.assertAlmostEqual(pose["surface"]["on_b"][0], 0.9, places=15)
        self.assertIsNone(pose["penetration"])
        # Turned by 45 degrees, an edge leads, half a diagonal from the middle.
        turned = run("distance", a, b, "--pose-rpy-deg=0.9 0 0 0 0 45", "--json")
        self.assertAlmostEqual(validated(turned.stdout)["poses"][0]["distance"],
                               0.4 - 0.1 * 2 ** 0.5, places=12)

    def test_distance_of_a_solid_inside_another_is_contact_with_a_depth(self):
        a, b = self.cube("a.obj", 1.0), self.cube("b.obj", 0.2)
        inside = run("distance", a, b, "--json")
        self.assertEqual((inside.returncode, inside.stderr), (1, ""))
        pose = validated(inside.stdout)["poses"][0]
        self.assertEqual((pose["distance"], pose["touch"]), (0, "b_inside_a"))
        self.assertAlmostEqual(pose["surface"]["distance"], 0.4, places=15)
        self.assertLessEqual(pose["penetration"]["lower"], 0.6)
        self.assertGreaterEqual(pose["penetration"]["upper"], 0.6)
        self.assertLess(pose["penetration"]["upper"] - pose["penetration"]["lower"], 0.02)
        text = run("distance", a, b)
        self.assertIn("B inside A", text.stdout)
        self.assertIn("verified free", text.stdout)
        surface = run("distance", a, b, "--surface", "--json")
        self.assertEqual(surface.returncode, 0)
        self.assertAlmostEqual(validated(surface.stdout)["poses"][0]["distance"], 0.4, places=15)
        # What is open has no inside, and the report says so.
        opened = self.cube("open.obj", 1.0, faces=11)
        done = run("distance", opened, b)
        self.assertEqual(done.returncode, 0)
        self.assertIn("open: a surface", done.stdout)

    def test_distance_within_is_an_exit_status_and_lengths_have_units(self):
        a, b = self.cube("a.obj", 1000), self.cube("b.obj", 200)
        common = ("distance", a, b, "--unit", "mm", "--pose-unit", "mm", "--pose", "1000,0,0")
        self.assertEqual(run(*common, "--within", "399").returncode, 0)
        near = run(*common, "--within", "401", "--json")
        self.assertEqual(near.returncode, 1)
        result = validated(near.stdout)
        self.assertAlmostEqual(result["within"], 0.401)
        self.assertAlmostEqual(result["poses"][0]["distance"], 0.4)
        self.assertEqual((result["summary"]["contacts"], result["summary"]["too_close"]), (0, 1))

    def test_outputs_that_cannot_be_are_refused_before_any_work(self):
        a, b = self.cube("a.obj", 1.0), self.cube("b.obj", 0.2)
        before = a.read_bytes()
        out = self.folder / "out.txt"
        for arguments, words in (
                (("distance", a, b, "--csv", a), "would overwrite what A names"),
                (("distance", a, b, "--csv", self.folder / "." / "b.obj"), "would overwrite what B names"),
                (("distance", a, b, "--csv", self.folder / "none" / "x.csv"), "there is no folder"),
                (("distance", a, b, "--csv", self.folder), "is a folder"),
                (("distance", a, b, "--picture", self.folder / "x.jpg"), "is written as .png"),
                (("plan", "--body", b, "--obstacles", a, "--start", "3 0 0", "--csv", out, "--plot", out),
                 "is the file of --csv as well"),
                (("simplify", a, "--spheres", 4, "--out", a), "would overwrite what FILE names")):
            with self.subTest(words=words):
                self.assertIn(words, self.refusal_of(*arguments))
        self.assertEqual(a.read_bytes(), before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.obj", "b.obj"])
        self.assertIn("is the file of --csv as well", run(
            "plan", "--body", b, "--obstacles", a, "--csv", "new.txt", "--plot", "./new.txt", cwd=self.folder).stderr)
        # A device may be written twice.
        done = run("plan", "--body", b, "--obstacles", a, "--start", "3 0 0", "--goal", "4 0 0", "--csv", "/dev/null",
                   "--plot", "/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_distance_says_what_the_readers_warn_of(self):
        # A cube of 200 "metres" is one of millimetres, and what is ignored in a file may be what would be hit.
        a, b = self.cube("a.obj", 200.0), self.cube("b.obj", 0.2)
        b.write_text(b.read_text(encoding="utf-8") + "l 1 2\n", encoding="utf-8")
        done = run("distance", a, b, "--pose", "300 0 0", "--json")
        self.assertEqual(done.returncode, 0)
        first, second = validated(done.stdout)["warnings"]
        self.assertRegex(first, "a.obj: .*millimetres")
        self.assertRegex(second, "b.obj: .*lines and points were ignored")
        self.assertEqual(done.stderr, f"clearance: warning: {first}\nclearance: warning: {second}\n")
        in_mm = run("distance", a, b, "--unit", "mm", "--pose", "1 0 0", "--json")
        self.assertEqual([w[-5:] for w in validated(in_mm.stdout)["warnings"]], ["read."])

    def test_distance_at_many_poses_is_the_same_from_text_and_json_and_on_any_threads(self):
        a, b = self.cube("a.obj", 1.0), self.cube("b.obj", 0.2)
        half = 0.5 ** 0.5
        lines = self.folder / "poses.txt"
        lines.write_text(f"# two poses\n1 0 0\n\n0, 2, 0, 0, 0, {half}, {half}  # turned\n0 0 0\n",
                         encoding="utf-8")
        matrices = self.folder / "poses.json"
        matrices.write_text(json.dumps([[1, 0, 0], [0, 2, 0, 0, 0, half, half],
                                        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]]),
                            encoding="utf-8")
        table = self.folder / "out.csv"
        first = run("distance", a, b, "--poses", lines, "--json", "--threads", 1, "--csv", table)
        self.assertEqual((first.returncode, first.stderr), (1, ""))
        result = validated(first.stdout)
        self.assertEqual([round(pose["distance"], 12) for pose in result["poses"]], [0.4, 1.4, 0])
        self.assertEqual(result["summary"], {"poses": 3, "contacts": 1, "too_close": 1,
                                             "closest_pose": 2, "least_distance": 0})
        self.assertEqual(first.stdout, run("distance", a, b, "--poses", matrices, "--json",
                                           "--threads", 4).stdout)
        rows = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(rows), 4)
        self.assertTrue(all(row.count(",") == rows[0].count(",") for row in rows))
        text = run("distance", a, b, "--poses", lines, "--penetration").stdout
        self.assertIn("3 poses, 1 contact; closest: pose 2, 0 m", text)
        self.assertIn("overlap", text)

    def test_distance_refuses_bad_poses_with_file_and_line(self):
        a, b = self.cube("a.obj", 1.0), self.cube("b.obj", 0.2)
        matrix = "[[[1.002,0,0,0],[0,1.002,0,0],[0,0,1.002,0],[0,0,0,1]]]"
        for name, text, words in [
            ("p.txt", "0 0 1\n# good\n0 0 nan\n", "p.txt: line 3: 'nan' is not finite"),
            ("p.txt", "0 0 1 0 0\n", "p.txt: line 1: 5 numbers instead of 3 or 7"),
            ("p.txt", "0 0 1 0 0 0 2\n", "p.txt: line 1: the quaternion has length 2"),
            ("p.txt", "0 0 one\n", "line 1: 'one' is not a number"),
            ("p.txt", "# nothing\n", "holds no pose"),
            ("p.json", matrix, "pose 0: not a rotation"),
            ("p.json", "[[0,0,1],[0,0,null]]", "pose 1: null is not a number"),
            ("p.json", "[[0,0,1e999]]", "p.json"),
            ("p.json", "[[0,0,1],[0,0,1e16]]", "pose 1: the translation is beyond 1e+15 m"),
            ("p.json", "{}", "not an array of poses"),
            ("p.json", "[[0,", "is not JSON"),
        ]:
            path = self.folder / name
            path.write_text(text, encoding="utf-8")
            done = run("distance", a, b, "--poses", path)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(words, done.stderr)
        for arguments, words in [
            (["--pose", "inf 0 0"], "'inf' is not finite"),
            (["--pose", "1e16 0 0"], "--pose: the translation is beyond 1e+15 m"),
            (["--pose-rpy-deg", "0 0 1e300 0 0 0"], "--pose-rpy-deg: the translation is beyond"),
            (["--pose", ""], "--pose is empty"),
            (["--pose-rpy-deg", ""], "--pose-rpy-deg is empty"),
            (["--poses", ""], "--poses is empty"),
            (["--csv", ""], "--csv is empty"),
            (["--pose-rpy-deg", "0 0 0"], "3 numbers instead of 6"),
            (["--pose", "0 0 0", "--poses", "x"], "exclude each other"),
            (["--solid", "--surface"], "exclude each other"),
            (["--within", "-1"], "'-1' is not a distance"),
            (["--poses", self.folder / "none.txt"], "none.txt"),
        ]:
            done = run("distance", a, b, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(words, done.stderr)
        missing = run("distance", a, self.folder / "none.stl")
        self.assertEqual((missing.returncode, missing.stdout), (2, ""))
        self.assertIn("none.stl", missing.stderr)

    def test_distance_within_counts_what_rounding_leaves_open(self):
        # Exactly at the limit, turned: whatever the last digit of the distance is.
        a, b = self.cube("a.obj", 1.0), self.cube("b.obj", 1.0)
        poses = self.folder / "poses.txt"
        lines = []
        for degrees in range(1, 90):
            half = math.radians(degrees) / 2
            # B's corner leads; it is half a diagonal, seen along x, from the middle.
            reach = 0.5 * (math.cos(2 * half) + math.sin(2 * half))
            lines.append(f"{0.5 + reach + 0.1!r} 0 0 0 0 {math.sin(half)!r} {math.cos(half)!r}")
        poses.write_text("\n".join(lines), encoding="utf-8")
        for arguments in ([], ["--surface"]):
            done = run("distance", a, b, "--poses", poses, "--within", "0.1000000000000002",
                       "--json", *arguments)
            result = validated(done.stdout)
            self.assertEqual(result["summary"]["too_close"], len(lines))
            done = run("distance", a, b, "--poses", poses, "--within", "0.0999999", *arguments)
            self.assertEqual(done.returncode, 0)

    def test_names_that_are_no_utf8_do_not_spoil_the_json(self):
        odd = os.fsdecode(os.fsencode(self.folder / "part") + b"\xff.obj")
        plain = self.cube("a.obj", 1.0)
        shutil.copy(plain, odd)
        for arguments in (["inspect", odd], ["distance", odd, plain], ["clash", odd, plain],
                          ["reproduce", "inertia-fit", "--no-generated", odd]):
            done = run(*arguments, "--json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertIn("part\ufffd.obj" if arguments[0] != "clash" else "part\ufffd",
                          json.dumps(validated(done.stdout), ensure_ascii=False))

    def test_the_largest_coordinates_are_answered_and_larger_ones_refused(self):
        a = self.cube("a.obj", 1.0)
        vast, beyond = self.cube("vast.obj", 1e15), self.cube("beyond.obj", 1e16)
        done = run("distance", vast, a, "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(validated(done.stdout)["poses"][0]["touch"], "b_inside_a")
        study = run("reproduce", "inertia-fit", "--no-generated", vast)
        self.assertRegex(study.stdout, r"vast\.obj +12 +here +1\.\d+e\+32 ")
        for arguments in (["distance", a, beyond], ["clash", a, beyond]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"beyond\.obj.*: coordinates beyond 1e15 m")
        # One that cannot be studied does not hide the others.
        study = run("reproduce", "inertia-fit", "--no-generated", beyond, a)
        self.assertEqual(study.returncode, 2)
        self.assertRegex(study.stderr, r"beyond\.obj: coordinates beyond")
        self.assertRegex(study.stdout, r"a\.obj +12 +here ")

    def test_distance_draws_both_parts(self):
        picture = self.folder / "out.png"
        done = run("distance", self.cube("a.obj", 1.0), self.cube("b.obj", 0.2), "--pose", "1 0 0",
                   "--picture", picture)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_interruption_ends_with_130_and_leaves_no_file(self):
        target = self.folder / "big.stl"
        process = subprocess.Popen([PROGRAM, "generate", "pipe", "-o", target, "--triangles",
                                    "4000000"], stderr=subprocess.PIPE, text=True)
        # Not before the program listens: bit 1 of the caught signals is SIGINT.
        while process.poll() is None and not caught_signals(process.pid) & 1 << signal.SIGINT - 1:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=120)
        if process.returncode == 0:
            self.skipTest("the work was done before the signal came")
        self.assertEqual(process.returncode, 130, words)
        self.assertIn("stopped", words)
        self.assertEqual(os.listdir(self.folder), [])


@unittest.skipUnless(DATA.is_dir(), "no data folder beside the source tree (CLEARANCE_DATA)")
class RealFiles(unittest.TestCase):
    def test_every_part_and_robot_mesh_has_the_count_another_library_finds(self):
        done = run("inspect", "--recursive", DATA / "parts", DATA / "robots", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        files = validated(done.stdout)["files"]
        self.assertGreater(len(files), 100)
        compared = 0
        for file in files:
            health = file["health"]
            self.assertGreater(health["triangles"], 0, file["path"])
            self.assertGreater(max(health["bounds"]["size"]), 0.0, file["path"])
            expected = assimp_triangles(file["path"])
            if expected is not None:
                self.assertEqual(health["triangles"], expected, file["path"])
                compared += 1
        if shutil.which("assimp"):
            self.assertGreater(compared, 100)

    def test_distances_of_real_assemblies_are_as_listed(self):
        folder = DATA / "assemblies"
        if not folder.is_dir():
            self.skipTest("no data folder")
        for fixed, moving, pose, distance in [
            ("factory_round_8mm/factory_round_hole_8mm_subdiv_3x.obj",
             "factory_round_8mm/factory_round_peg_8mm_tight.obj", "0 0 0.001", 5.19373e-05),
            ("factory_nut_bolt_m16/factory_bolt_m16_loose.obj",
             "factory_nut_bolt_m16/factory_nut_m16_loose_subdiv_3x.obj", "0 0 0.002", 1.0077e-04),
        ]:
            done = run("distance", folder / fixed, folder / moving, "--pose", pose, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = validated(done.stdout)["poses"][0]["distance"]
            self.assertAlmostEqual(found / distance, 1.0, places=4)

    def test_malformed_files_get_words_and_status_2_or_a_report(self):
        extensions = (".stl", ".obj", ".ply", ".off", ".dae", ".gltf", ".glb", ".step", ".stp")
        files = [path for path in sorted((DATA / "malformed").rglob("*"))
                 if path.is_file() and path.suffix.lower() in extensions]
        if not files:
            self.skipTest("no malformed meshes")
        refused = 0
        for path in files:
            done = run("inspect", path, "--json")
            self.assertIn(done.returncode, (0, 2), f"{path}: {done.stderr}")
            result = validated(done.stdout)["files"][0]
            if done.returncode == 2:
                refused += 1
                self.assertIn("error", result)
                self.assertTrue(done.stderr.startswith(f"clearance: {path}: "), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertGreater(refused, 0)


def caught_signals(pid: int) -> int:
    """The signals a process handles, one bit each."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1], 16)


def assimp_triangles(path: str) -> int | None:
    """Triangles as assimp counts them, or None where it cannot (STEP) or is not there."""
    if not shutil.which("assimp") or path.lower().endswith((".step", ".stp")):
        return None
    # Its raw import keeps polygons; its usual one cuts them, but drops degenerate triangles.
    polygonal = path.lower().endswith((".dae", ".obj"))
    command = ["assimp", "info", path] + ([] if polygonal else ["--raw"])
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for line in text.splitlines():
        if line.startswith("Faces:"):
            return int(line.split()[-1])
    return None


if __name__ == "__main__":
    unittest.main()

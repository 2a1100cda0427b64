#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance fold from outside: the worked example of its page, the same bytes for the same command,
also after Ctrl-C, after a kill and after resuming; files, JSON, clashing starts, bad input, and the
real proteins."""

import csv
import filecmp
import re
import shlex
import signal
import subprocess
import time
import unittest

from cli_test import DATA, PROGRAM, ROOT, InFolder, run, validated

FILES = ("trajectory.pdb", "fold.csv", "fold.svg", "fold.png", "fold.checkpoint")

# Two residues of a made-up peptide, with good bonds.
PEPTIDE = [("N", "ALA", 1, 0.000, 0.000, 0.000), ("CA", "ALA", 1, 1.458, 0.000, 0.000),
           ("C", "ALA", 1, 2.009, 1.420, 0.000), ("O", "ALA", 1, 1.251, 2.390, 0.000),
           ("N", "GLY", 2, 3.332, 1.536, 0.000), ("CA", "GLY", 2, 3.988, 2.839, 0.000),
           ("C", "GLY", 2, 5.504, 2.693, 0.000), ("O", "GLY", 2, 6.030, 1.580, 0.000)]


def pdb(atoms) -> str:
    lines = [f"ATOM  {i:5d}  {name:<3s} {residue} A{number:4d}    {x:8.3f}{y:8.3f}{z:8.3f}"
             f"  1.00  0.00           {name[0]}"
             for i, (name, residue, number, x, y, z) in enumerate(atoms, 1)]
    return "\n".join(lines + ["END", ""])


def without_times(text: str) -> str:
    """The words of a run without what differs between machines: speed, and the last bits."""
    text = re.sub(r"[\d,]+ steps a second \(.*\)", "N steps a second", text)
    return re.sub(r"off by at most \S+, positions by \S+", "off by at most X, positions by X", text)


class WithFolds(InFolder):
    def fold(self, *arguments, status=0):
        done = run("fold", *arguments)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def assert_same_files(self, a, b, names=FILES):
        for name in names:
            self.assertTrue(filecmp.cmp(a / name, b / name, shallow=False), name)
            self.assertFalse((a / (name + ".part")).exists(), name)

    def stopped(self, arguments, number, after):
        """Runs the program and sends it a signal; its exit status and words."""
        with subprocess.Popen([PROGRAM, "fold", *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            time.sleep(after)
            process.send_signal(number)
            _, words = process.communicate(timeout=120)
            return process.returncode, words


class Fold(WithFolds):
    def test_the_example_of_the_page_prints_what_the_page_says(self):
        page = (ROOT / "docs" / "fold.md").read_text(encoding="utf-8")
        example = re.search(r"^    \$ clearance (fold helix-bundle.*)\n((?:    .*\n)+)", page, re.M)
        self.assertIsNotNone(example)
        done = subprocess.run([PROGRAM, *shlex.split(example[1])], cwd=self.folder, check=True,
                              capture_output=True, text=True)
        expected = "".join(line[4:] for line in example[2].splitlines(keepends=True))
        self.assertEqual(without_times(done.stdout), without_times(expected))

    def test_the_same_command_gives_the_same_bytes_and_another_seed_others(self):
        command = ["helix-bundle:30", "--steps", 1500, "--moves", 2]
        for name, seed in (("a", 5), ("b", 5), ("c", 6)):
            self.fold(*command, "--seed", seed, "--out", self.folder / name)
        self.assert_same_files(self.folder / "a", self.folder / "b")
        self.assertFalse(filecmp.cmp(self.folder / "a/fold.csv", self.folder / "c/fold.csv",
                                     shallow=False))

    def test_trajectory_and_table_hold_every_interval(self):
        out = self.folder / "run"
        done = self.fold("helix-bundle:20", "--steps", 1000, "--every", 250, "--out", out, "--json")
        result = validated(done.stdout)
        text = (out / "trajectory.pdb").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^MODEL +(\d+)", text, re.M), ["1", "2", "3", "4", "5"])
        self.assertEqual(text.count("ENDMDL"), 5)
        self.assertTrue(text.endswith("ENDMDL\nEND\n"))
        self.assertEqual(len(re.findall(r"^ATOM", text, re.M)), 5 * result["chain"]["atoms"])
        with (out / "fold.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], [0, 250, 500, 750, 1000])
        self.assertAlmostEqual(float(rows[-1]["energy"]), result["end"]["energy"], places=5)
        self.assertAlmostEqual(float(rows[-1]["rmsd"]), result["end"]["rmsd"], places=3)
        accepted = sum(float(row["acceptance"]) for row in rows[1:]) * 250
        self.assertAlmostEqual(accepted, result["counts"]["accepted"], delta=0.2)
        counts = result["counts"]
        self.assertEqual(counts["steps"], counts["accepted"] + counts["clashed"] +
                         counts["refused"] + counts["forbidden"])
        self.assertTrue((out / "fold.svg").read_text(encoding="utf-8").startswith("<svg"))
        self.assertEqual((out / "fold.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(result["written"]), sorted(str(out / name) for name in FILES))

    def test_each_energy_and_no_energy(self):
        ends = set()
        for energy in ("go", "soft", "lj", "none"):
            result = validated(self.fold("helix-bundle:20", "--steps", 500, "--energy", energy,
                                         "--json").stdout)
            self.assertEqual(result["options"]["energy"], energy)
            self.assertEqual(result["audits"]["count"], 1)
            self.assertLessEqual(result["audits"]["worst_energy_drift"],
                                 result["audits"]["energy_drift_bound"])
            self.assertEqual(result["written"], [])
            ends.add(result["end"]["energy"])
        self.assertEqual(len(ends), 4)

    def test_heat_unfolds(self):
        radius = {}
        for temperature in (0.2, 20):
            result = validated(self.fold("helix-bundle:40", "--steps", 5000, "--temperature",
                                         temperature, "--max-angle-deg", 10, "--json").stdout)
            radius[temperature] = result["end"]["native_contacts"]
        self.assertGreater(radius[0.2], radius[20])

    def test_ctrl_c_keeps_what_is_finished_and_resuming_ends_with_the_same_files(self):
        command = ["helix-bundle:60", "--steps", 40000, "--every", 500, "--audit", 5000]
        whole, cut = self.folder / "whole", self.folder / "cut"
        start = time.monotonic()
        self.fold(*command, "--out", whole)
        seconds = time.monotonic() - start
        status, words = self.stopped([*command, "--out", cut], signal.SIGINT, 0.3 * seconds)
        self.assertEqual(status, 130, words)
        self.assertIn("--resume", words)
        text = (cut / "trajectory.pdb").read_text(encoding="utf-8")
        self.assertTrue(text.endswith("END\n"))
        self.assertLess(text.count("MODEL "), 81)
        resume = [*command, "--out", cut, "--resume", cut / "fold.checkpoint"]
        status, words = self.stopped(resume, signal.SIGTERM, 0.2 * seconds)
        self.assertEqual(status, 130, words)
        self.fold(*resume)
        self.assert_same_files(whole, cut)

    def test_a_run_that_is_killed_goes_on_from_its_last_checkpoint(self):
        command = ["helix-bundle:60", "--steps", 40000, "--every", 500]
        whole, cut = self.folder / "whole", self.folder / "cut"
        start = time.monotonic()
        self.fold(*command, "--out", whole)
        seconds = time.monotonic() - start
        status, words = self.stopped([*command, "--out", cut, "--checkpoint-interval", 0.02],
                                     signal.SIGKILL, 0.5 * seconds)
        self.assertEqual(status, -signal.SIGKILL, words)
        self.assertTrue((cut / "trajectory.pdb.part").exists())
        self.fold(*command, "--out", cut, "--resume", cut / "fold.checkpoint")
        self.assert_same_files(whole, cut)

    def test_a_finished_run_can_be_extended(self):
        whole, grown = self.folder / "whole", self.folder / "grown"
        common = ["helix-bundle:30", "--every", 200]
        self.fold(*common, "--steps", 2000, "--out", whole)
        self.fold(*common, "--steps", 900, "--out", grown)
        # --every is taken from the checkpoint.
        self.fold("helix-bundle:30", "--steps", 2000, "--out", grown, "--resume",
                  grown / "fold.checkpoint")
        self.assert_same_files(whole, grown)
        done = self.fold(*common, "--steps", 1999, "--out", grown, "--resume",
                         grown / "fold.checkpoint", status=2)
        self.assertIn("beyond --steps", done.stderr)

    def test_time_limit_stops_with_a_checkpoint(self):
        out = self.folder / "run"
        done = self.fold("helix-bundle:30", "--steps", 10**9, "--time-limit", 0.3, "--out", out,
                         "--json")
        self.assertEqual(validated(done.stdout)["ended"], "time_limit")
        self.assertIn("--resume", done.stderr)
        self.assertTrue((out / "fold.checkpoint").exists())

    def test_a_checkpoint_of_another_run_is_refused_by_name(self):
        out = self.folder / "run"
        command = ["helix-bundle:20", "--steps", 300, "--out", out]
        self.fold(*command)
        resume = ["--resume", out / "fold.checkpoint"]
        before = {name: (out / name).read_bytes() for name in FILES}
        for options, words in ((["--seed", 2], "another seed: 1, not 2"),
                               (["--temperature", 2], "another temperature: 1, not 2"),
                               (["--energy", "lj"], "another energy: go, not lj"),
                               (["--moves", 3], "another number of moves: 1, not 3"),
                               (["--max-angle-deg", 7], "another largest angle: 5, not 7"),
                               (["--cutoff", 7], "another cutoff: 6, not 7"),
                               (["--every", 9], r"another interval (--every): 3, not 9")):
            self.assertIn(words, self.fold(*command, *options, *resume, status=2).stderr)
        other = ["helix-bundle:21", "--steps", 300, "--out", out]
        self.assertIn("another chain: 20 residues", self.fold(*other, *resume, status=2).stderr)
        for name, content in before.items():
            self.assertEqual((out / name).read_bytes(), content, name)

    def test_a_damaged_checkpoint_or_trajectory_is_refused(self):
        out = self.folder / "run"
        command = ["helix-bundle:20", "--steps", 300, "--out", out]
        self.fold(*command)
        resume = [*command, "--resume", out / "fold.checkpoint"]
        trajectory = (out / "trajectory.pdb").read_bytes()
        (out / "trajectory.pdb").write_bytes(trajectory.replace(b"MODEL", b"MODUL", 1))
        self.assertIn("is not the file that the checkpoint continues",
                      self.fold(*resume, status=2).stderr)
        (out / "trajectory.pdb").write_bytes(trajectory)
        text = (out / "fold.checkpoint").read_text(encoding="utf-8")
        (out / "fold.checkpoint").write_text(text.replace('"steps": 300', '"steps": 299', 1),
                                             encoding="utf-8")
        self.assertIn("damaged", self.fold(*resume, status=2).stderr)
        self.assertIn("not a checkpoint", self.fold(*command, "--resume", out / "fold.csv",
                                                    status=2).stderr)

    def test_a_clashing_start_lists_the_pairs_and_exits_with_1(self):
        out = self.folder / "run"
        done = self.fold("helix-bundle:30", "--clash-factor", 1.1, "--out", out, status=1)
        self.assertRegex(done.stdout, r"the start clashes: [\d,]+ pairs of atoms overlap\n")
        self.assertRegex(done.stdout, r"\n[A-Z]{3} \d+ [A-Z0-9]+ +[A-Z]{3} \d+ [A-Z0-9]+ +overlap ")
        self.assertFalse(out.exists())
        result = validated(self.fold("helix-bundle:30", "--clash-factor", 1.1, "--json",
                                     status=1).stdout)
        self.assertEqual(result["ended"], "start_clashes")
        overlaps = [pair["overlap"] for pair in result["clashes"]]
        self.assertEqual(overlaps, sorted(overlaps, reverse=True))

    def test_bad_input_is_named_and_nothing_is_written(self):
        def changed(index, **values):
            names = ("name", "residue", "number", "x", "y", "z")
            atoms = [list(atom) for atom in PEPTIDE]
            for key, value in values.items():
                atoms[index][names.index(key)] = value
            return pdb(atoms)
        good = self.folder / "good.pdb"
        good.write_text(pdb(PEPTIDE), encoding="utf-8")
        self.fold(good, "--steps", 20)
        for text, words in (
            ("", ""),
            ("HEADER    nothing\nEND\n", ""),
            (pdb(PEPTIDE).replace("   1.458", "     nan"), ""),
            (pdb(PEPTIDE).replace("   1.458", "  1.4x58"), ""),
            (changed(1, x=0.0), "1"),                      # CA on N: a bond of no length
            (pdb(PEPTIDE[:1] + PEPTIDE[2:]), "1"),         # no CA
            (pdb([(*atom[:3], atom[3] + 9 * (atom[2] - 1), *atom[4:]) for atom in PEPTIDE]), "2"),
        ):
            path = self.folder / "bad.pdb"
            path.write_text(text, encoding="utf-8")
            out = self.folder / "out"
            done = self.fold(path, "--steps", 20, "--out", out, status=2)
            self.assertIn("bad.pdb", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse(out.exists())
        one = self.folder / "one.pdb"
        one.write_text(pdb([(*a[:1], "GLY", *a[2:]) for a in PEPTIDE[:4]]), encoding="utf-8")
        self.assertEqual(run("fold", one, "--steps", 5).returncode, 2)
        for arguments, words in (
            (["none.pdb"], "none.pdb"), ([good, "--chain", "Z"], "Z"),
            ([good, "--energy", "magic"], "magic"), ([good, "--temperature", "-1"], "-1"),
            ([good, "--temperature", "nan"], "nan"), ([good, "--moves", "0"], "0"),
            ([good, "--steps", "-5"], "-5"), ([good, "--cutoff", "4"], "native distance"),
            (["helix-bundle:0"], "helix-bundle"), (["helix-bundle:x"], "helix-bundle"),
            ([good, "--plot", "x.svg"], "--csv"), ([good, "--out", good], "good.pdb"),
            ([good, "--resume", "none.checkpoint"], "none.checkpoint"), ([], "FILE")):
            self.assertIn(words, self.fold(*arguments, status=2).stderr)

    def test_native_contacts_of_another_structure(self):
        run_folder = self.folder / "run"
        self.fold("helix-bundle:30", "--steps", 3000, "--temperature", 30, "--max-angle-deg", 20,
                  "--out", run_folder)
        # The last model, as the start of a run that folds back.
        text = (run_folder / "trajectory.pdb").read_text(encoding="utf-8")
        models = re.findall(r"^MODEL.*?^ENDMDL\n", text, re.M | re.S)
        for name, model in (("native.pdb", models[0]), ("unfolded.pdb", models[-1])):
            (self.folder / name).write_text(model + "END\n", encoding="utf-8")
        result = validated(self.fold(self.folder / "unfolded.pdb", "--native",
                                     self.folder / "native.pdb", "--steps", 100, "--json").stdout)
        self.assertLess(result["start"]["native_contacts"], result["chain"]["native_contacts"])
        self.assertIn("residues", self.fold(self.folder / "unfolded.pdb", "--native",
                                            "helix-bundle:31", status=2).stderr)


@unittest.skipUnless((DATA / "proteins").is_dir(), "no data folder beside the source tree")
class RealProteins(WithFolds):
    def test_every_protein_starts_free_and_folds(self):
        for path in sorted((DATA / "proteins").iterdir()):
            with self.subTest(path.name):
                result = validated(self.fold(path, "--steps", 300, "--audit", 100, "--json").stdout)
                self.assertEqual(result["counts"]["steps"], 300)
                self.assertGreater(result["counts"]["accepted"], 0)
                self.assertGreater(result["chain"]["residues"], 40)
                self.assertEqual(result["audits"]["count"], 3)

    def test_both_formats_of_one_entry_give_the_same_run(self):
        results = []
        for name in ("1crn.pdb", "1crn.cif"):
            out = self.folder / name
            self.fold(DATA / "proteins" / name, "--steps", 500, "--out", out)
            results.append(out)
        self.assertTrue(filecmp.cmp(results[0] / "fold.csv", results[1] / "fold.csv", shallow=False))


if __name__ == "__main__":
    unittest.main()

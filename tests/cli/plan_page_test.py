#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/plan.md shows is what happens: each of its commands prints what the page says, and its
file follows its schema.

    plan_page_test.py --write FOLDER     puts what the commands print into the page
"""

import json
import re
import shutil

import jsonschema

from cli_test import ROOT, InFolder
from page import blocks, main, printed_by, with_examples

PAGE = ROOT / "docs" / "plan.md"


def prepared(folder):
    with_examples(folder)
    for mesh in ("latch.obj", "housing.obj"):
        shutil.copy(ROOT / "examples" / mesh, folder)


class Page(InFolder):
    def test_commands_print_what_the_page_shows(self):
        prepared(self.folder)
        found = blocks(PAGE)
        self.assertEqual(len(found), 2)
        for command, shown in found:
            done = printed_by(command, self.folder)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            self.assertEqual(done.stdout.splitlines(), shown, command)
        for name in ("latch.png", "latch.csv", "latch.glb", "latch.svg"):
            self.assertTrue((self.folder / name).exists(), name)

    def test_the_file_of_the_page_follows_its_schema(self):
        found = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
        self.assertEqual(len(found), 1)
        schema = json.loads((ROOT / "schema" / "scene.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(schema).validate(json.loads(found[0]))


if __name__ == "__main__":
    main(PAGE, prepared)

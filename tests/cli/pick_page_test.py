#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/pick.md shows is what happens: each of its commands prints what the page says, and its
files follow their schemas.

    pick_page_test.py --write FOLDER     puts what the commands print into the page
"""

import json
import re

import jsonschema

from cli_test import ROOT, InFolder
from page import blocks, main, printed_by, with_examples

PAGE = ROOT / "docs" / "pick.md"


class Page(InFolder):
    def test_commands_print_what_the_page_shows(self):
        with_examples(self.folder)
        found = blocks(PAGE)
        self.assertEqual(len(found), 8)
        for command, shown in found:
            done = printed_by(command, self.folder)
            # Of what only a camera saw on top, the last example finds nothing to pick.
            self.assertEqual(done.returncode, int("--depth" in command), (command, done.stderr))
            self.assertEqual(done.stdout.splitlines(), shown, command)
        for name in ("pile.png", "depth.png", "seen.png"):
            self.assertTrue((self.folder / name).exists(), name)

    def test_the_files_of_the_page_follow_their_schemas(self):
        found = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
        self.assertEqual(len(found), 2)
        for text in found:
            document = json.loads(text)
            schema = json.loads((ROOT / "schema" / f"{document['clearance']}.schema.json").read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator(schema).validate(document)


if __name__ == "__main__":
    main(PAGE, with_examples)

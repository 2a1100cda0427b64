#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/check.md shows is what happens: each of its commands prints what the page says, and its
files follow their schemas.

    check_page_test.py --write FOLDER     puts what the commands print into the page
"""

import json
import re

import jsonschema

from cli_test import ROOT, InFolder
from page import blocks, main, printed_by, with_program

PAGE = ROOT / "docs" / "check.md"


class Page(InFolder):
    def test_commands_print_what_the_page_shows(self):
        with_program(self.folder)
        found = blocks(PAGE)
        self.assertGreaterEqual(len(found), 4)
        for command, shown in found:
            done = printed_by(command, self.folder)
            self.assertIn(done.returncode, (0, 1), (command, done.stderr))
            self.assertEqual(done.stdout.splitlines(), shown, command)
        for name in ("contact_1.png", "contact_2.png", "clearance.svg", "angles.svg"):
            self.assertTrue((self.folder / "weld" / name).exists(), name)

    def test_files_of_the_page_follow_their_schemas(self):
        found = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
        self.assertEqual(len(found), 2)
        for text in found:
            document = json.loads(text)
            name = f"{document['clearance']}.schema.json"
            schema = json.loads((ROOT / "schema" / name).read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator(schema).validate(document)


if __name__ == "__main__":
    main(PAGE, with_program)

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/grasp.md shows is what happens: each of its commands is run beside the files of
examples/, and prints what the page says, and its example files follow their schemas.

    grasp_page_test.py --write FOLDER     puts what the commands print into the page
"""

import json
import re

import jsonschema

from cli_test import ROOT, InFolder
from page import blocks, main, printed_by, with_examples

PAGE = ROOT / "docs" / "grasp.md"


class Page(InFolder):
    def test_commands_print_what_the_page_shows(self):
        with_examples(self.folder)
        found = blocks(PAGE)
        self.assertGreaterEqual(len(found), 3)
        for command, shown in found:
            done = printed_by(command, self.folder)
            self.assertIn(done.returncode, (0, 1), (command, done.stderr))
            self.assertEqual([line.rstrip() for line in done.stdout.splitlines()], shown, command)
        for name in ("conrod.cgr", "conrod.csv", "conrod.png"):
            self.assertTrue((self.folder / name).exists(), name)

    def test_files_of_the_page_follow_their_schemas(self):
        text = PAGE.read_text(encoding="utf-8")
        documents = [json.loads(t) for t in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]
        self.assertGreaterEqual(len(documents), 2)
        for document in documents:
            name = f"{document['clearance']}.schema.json"
            schema = json.loads((ROOT / "schema" / name).read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator(schema).validate(document)


if __name__ == "__main__":
    main(PAGE, with_examples)

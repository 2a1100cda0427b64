#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/snake.md shows is what happens: the file, what the example prints, and the schema.

    snake_page_test.py PROGRAM     the example snake_in_pipe
"""
import json
import pathlib
import subprocess
import sys
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "snake.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "schema" / "chain.schema.json").read_text(encoding="utf-8"))
PROGRAM = ""


def indented(text):
    """As a block of code in the page."""
    return "".join("    " + line + "\n" for line in text.splitlines())


def chain(**changes):
    """A small chain with changes to its second link."""
    link = {"spheres": [{"radius": 1}], "joint": {"axis": [0, 0, 1]}}
    return {"format": "clearance-chain-1", "chain": [{}, {**link, **changes}]}


class SnakePage(unittest.TestCase):
    def test_shows_the_file(self):
        text = (ROOT / "examples" / "snake.json").read_text(encoding="utf-8")
        self.assertIn(indented(text), PAGE)

    def test_shows_what_the_example_prints(self):
        done = subprocess.run([PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True)
        self.assertIn(indented(done.stdout), PAGE)


class ChainSchema(unittest.TestCase):
    def valid(self, document):
        return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)

    def test_holds_for_the_example(self):
        text = (ROOT / "examples" / "snake.json").read_text(encoding="utf-8")
        self.assertTrue(self.valid(json.loads(text)))
        self.assertTrue(self.valid(chain()))

    def test_refuses_what_the_reader_refuses(self):
        self.assertFalse(self.valid({"format": "clearance-chain-2", "chain": [{}]}))
        self.assertFalse(self.valid({"format": "clearance-chain-1", "chain": []}))
        self.assertFalse(self.valid(chain(colour="red")))
        self.assertFalse(self.valid(chain(spheres=[{"radius": -1}])))
        self.assertFalse(self.valid(chain(joint={"type": "ball", "axis": [0, 0, 1]})))
        self.assertFalse(self.valid(chain(capsules=[{"from": [0, 0, 0], "radius": 1}])))
        self.assertFalse(self.valid(chain(repeat=3)))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()

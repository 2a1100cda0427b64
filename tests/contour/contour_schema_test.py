#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""The example contours and those on the page of the module follow the schema; wrong ones do not."""

import copy
import json
import re
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema" / "contour.schema.json").read_text())
EXAMPLES = ["catheter.json", "hand.json"]


def is_valid(document) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


class ContourSchema(unittest.TestCase):
    def test_examples_follow_it(self):
        for name in EXAMPLES:
            self.assertTrue(is_valid(json.loads((ROOT / "examples" / name).read_text())), name)

    def test_the_page_follows_it(self):
        page = (ROOT / "docs" / "contour.md").read_text()
        blocks = re.findall(r"```json\n(.*?)```", page, re.S)
        self.assertTrue(blocks)
        for block in blocks:
            self.assertTrue(is_valid(json.loads(block)))

    def test_wrong_documents_do_not(self):
        good = json.loads((ROOT / "examples" / "catheter.json").read_text())
        for change in [
            lambda d: d.pop("clearance"),
            lambda d: d.update(version=2),
            lambda d: d.update(units="miles"),
            lambda d: d.update(unit="mm"),
            lambda d: d.update(series=[]),
            lambda d: d["series"][0].pop("radii"),
            lambda d: d["series"][0].update(radius=1),
            lambda d: d["series"][0].update(nodes=[]),
            lambda d: d["series"][0].update(radii=[-1] * 8),
        ]:
            wrong = copy.deepcopy(good)
            change(wrong)
            self.assertFalse(is_valid(wrong), wrong)


if __name__ == "__main__":
    unittest.main()

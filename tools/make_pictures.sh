#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Draws the pictures of docs/generate.md anew: docs/pictures/*.png, each at most 25 KB.
# usage: tools/make_pictures.sh [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."

most_bytes=25600
preset=dev  # the one that builds the examples
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target example_make_pictures
"build/$preset/examples/example_make_pictures" docs/pictures "$@"

for picture in docs/pictures/*.png; do
  size=$(stat --format=%s "$picture")
  if ((size > most_bytes)); then
    echo "$picture: $size bytes, more than $most_bytes" >&2
    exit 1
  fi
done

#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Draws the pictures of README.md and docs/generate.md anew: the generated parts, and each job as
# `clearance render` shows its result. docs/pictures/*.png, each at most 25 KB where it is drawn here.
# usage: tools/make_pictures.sh [NAME...]   (conrod, job-plan, ...; all by default)
set -euo pipefail
cd "$(dirname "$0")/.."

most_bytes=25600
preset=${PRESET:-dev}  # the one that builds the examples
pictures=$PWD/docs/pictures
examples=$PWD/examples
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target clearance_program example_make_pictures
program=$PWD/build/$preset/cli/clearance

wanted=("$@")
is_wanted() { [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $1 "* ]]; }
drawn=()

parts=()
for name in "${wanted[@]}"; do [[ $name == job-* ]] || parts+=("$name"); done
if [[ ${#wanted[@]} -eq 0 || ${#parts[@]} -gt 0 ]]; then
  "build/$preset/examples/example_make_pictures" "$pictures" "${parts[@]}"
fi

folder=$(mktemp --directory)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# job NAME RENDER-OPTIONS... -- VERB...: runs a verb and draws its result as job-NAME.png.
job() {
  local name=job-$1 options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  is_wanted "$name" || return 0
  # Contact and clash are answers: both exit with status 1.
  "$program" "$@" --json >"$name.json" || [[ $? -eq 1 ]]
  "$program" render "$name.json" -o "$pictures/$name.png" --size 400x300 --colours 64 "${options[@]}"
  drawn+=("$pictures/$name.png")
}

for part in gripper pipe-joint atrium; do "$program" generate "$part" -o "$part.glb" >/dev/null; done
"$program" generate conrod --triangles 2500 -o rod.stl >/dev/null
"$program" check --example weld >/dev/null

frame=$examples/conrod_wire_frame.json
job plan --time 45 -- plan "$examples/latch.json"
job clash --eye '1 -1.1 0.8' -- clash gripper.glb --clearance 0.5mm
job check --finding 2 -- check weld/cell.json weld/program.json
job probe -- probe "$examples/catheter.json" atrium.glb --range 25mm \
  --pose '0.00692 -0.027467 -0.019269 0.0673 -0.4288 -0.9006 0.022'
job simplify -- simplify pipe-joint.glb --error 6mm --external 100mm
if is_wanted job-grasp || is_wanted job-pick; then
  "$program" grasp rod.stl --wire-frame "$frame" --best 3 --out rod.cgr >/dev/null 2>&1
fi
job grasp -- grasp rod.stl --wire-frame "$frame" --best 3 --out rod.cgr
job pick --eye '0.6 -1 1.6' -- pick rod.stl rod.cgr --top all --simulate 12 --seed 2 --bin 'floor 500mm 350mm'
job fold --time 8000 --level 5 --eye '0 -1 0.3' -- \
  fold helix-bundle:60 --steps 20000 --temperature 3 --max-angle-deg 15 --out fold

for picture in "${drawn[@]}"; do
  size=$(stat --format=%s "$picture")
  if ((size > most_bytes)); then
    echo "$picture: $size bytes, more than $most_bytes" >&2
    exit 1
  fi
done

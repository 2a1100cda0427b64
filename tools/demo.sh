#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The product in a minute: runs each job on shipped examples, draws it, exports its interactive view,
# and writes one page with a card per job. Usage: demo.sh PROGRAM FOLDER
set -euo pipefail
program=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$folder"
folder=$(realpath "$folder")
examples=$here/examples
cd "$folder"

# job NAME WORDS ARGUMENTS...: runs a verb, keeps its --json result as NAME.json, and shows it.
job() {
  local name=$1 words=$2 started=$EPOCHREALTIME
  shift 2
  echo "== $words (clearance $1)"
  # Contact and clash are answers, not failures of the demo: both exit with status 1.
  "$program" "$@" --json >"$name.json" || [ $? -eq 1 ]
  local taken=$((${EPOCHREALTIME/./} - ${started/./}))
  printf '%d.%03d' $((taken / 1000000)) $((taken / 1000 % 1000)) >"$name.seconds"
  # shellcheck disable=SC2086
  "$program" render "$name.json" -o "$name.png" --size 1200x800 ${render_options:-} >/dev/null 2>&1
  # A program built without the viewer still draws.
  "$program" view "$name.json" --export "$name.html" >/dev/null 2>"$name.log" || tail -n 1 "$name.log" >&2
  rm -f "$name.log"
  echo "   $(cat "$name.seconds") s: $name.json, $name.png, $name.html"
}

echo "== Parts made by formula (clearance generate)"
for part in pipe pipe-joint conrod gripper atrium; do "$program" generate "$part" -o "$part.glb" | sed 's/^/   /'; done
"$program" generate conrod --triangles 2500 -o rod.stl | sed 's/^/   /'

job clash "Which parts of an assembly touch?" clash gripper.glb --clearance 0.5mm
render_options='--time 45'
job plan "A latch that comes out of its housing only by turning" plan "$examples/latch.json"
"$program" check --example weld >/dev/null
render_options='--finding 2'
job check "A welding program that is free at every way-point and not between them" check weld/cell.json weld/program.json
render_options=''
job simplify "Three pipes as a few spheres that are proven to hold them" \
  simplify pipe-joint.glb --error 6mm --external 100mm
render_options='--time 8000'
job fold "A made-up protein, unfolding by random turns of its bonds" \
  fold helix-bundle:60 --steps 20000 --temperature 3 --max-angle-deg 15 --out fold
render_options=''
# A short one of the snake of the examples, so that it fits into the pipe.
sed 's/"repeat": 100/"repeat": 10/' "$examples/snake.json" >snake_10.json
job snake "A snake robot that writhes in a pipe and never touches it" \
  fold snake_10.json --obstacle pipe.glb --obstacle-pose '0.1 0 0 0 0.7071067811865476 0 0.7071067811865476' --steps 20000 --out snake
cp snake/fold.png snake.png
job probe "A catheter in a heart, which is coloured by its distance" \
  probe "$examples/catheter.json" atrium.glb --pose '0.00692 -0.027467 -0.019269 0.0673 -0.4288 -0.9006 0.022' \
  --range 25mm --cut-away --picture probe_cut.png
mv probe_cut.png probe.png
# Two seconds of its loop, a thousand answers a second; a late one is no failure of the demo.
"$program" probe "$examples/catheter.json" atrium.glb --pose '0.00692 -0.027467 -0.019269 0.0673 -0.4288 -0.9006 0.022' \
  --stream --synthetic orbit:1mm --rate 1000 --seconds 2 --json 2>/dev/null | tail -n 1 >probe_stream.json || true
job grasp "Every good grasp of a connecting rod" \
  grasp conrod.glb --wire-frame "$examples/conrod_wire_frame.json" --friction 1 --best 3 --out conrod.cgr
"$program" grasp rod.stl --wire-frame "$examples/conrod_wire_frame.json" --friction 1 --best 0 --out rod.cgr >/dev/null 2>&1
job pick "Which rod of a pile to take, and with which grasp" \
  pick rod.stl rod.cgr --top all --simulate 12 --seed 2 --bin 'floor 500mm 350mm'

echo
python3 "$here/tools/demo_page.py" . "$("$program" --version | head -n 1)"
echo "Open $folder/index.html in a browser; everything works offline."

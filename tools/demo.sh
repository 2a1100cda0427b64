#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A first look: generates a few parts, inspects and draws them, measures a distance, finds clashes,
# folds a protein, probes a heart. Usage: demo.sh PROGRAM FOLDER
set -euo pipefail
program=$1
folder=$2
mkdir -p "$folder"

echo
echo "== Parts made by formula (clearance generate) =="
names=(pipe-joint conrod gripper atrium cylinder-head)
files=()
for name in "${names[@]}"; do
  "$program" generate "$name" -o "$folder/$name.glb"
  files+=("$folder/$name.glb")
done

echo
echo "== What they hold, and whether they are sound (clearance inspect) =="
"$program" inspect "${files[@]}"

for name in "${names[@]}"; do
  "$program" inspect "$folder/$name.glb" --picture "$folder/$name.png" >/dev/null
done
echo
echo "== The same for programs (clearance inspect --json) =="
"$program" inspect "$folder/${names[0]}.glb" --json >"$folder/${names[0]}.json"
sed -n '1,8p' "$folder/${names[0]}.json"
echo "  ..."

# Contact and clash are answers, not failures of the demo: both exit with status 1.
echo
echo "== How far apart are two of them? (clearance distance) =="
"$program" distance "$folder/cylinder-head.glb" "$folder/conrod.glb" --pose '0.6 0.1 0.2' \
  --picture "$folder/distance.png" || [ $? -eq 1 ]
"$program" distance "$folder/pipe-joint.glb" "$folder/conrod.glb" || [ $? -eq 1 ]
echo
echo "== Which parts of an assembly touch? (clearance clash) =="
"$program" clash "$folder/gripper.glb" --rows 8 --picture "$folder/clash.png" || [ $? -eq 1 ]
echo
echo "== A made-up protein, unfolding by random turns of its bonds (clearance fold) =="
"$program" fold helix-bundle:60 --steps 20000 --temperature 3 --max-angle-deg 15 --out "$folder/fold"
echo
echo "== A catheter in a heart, which is coloured by its distance (clearance probe) =="
place='0.00692 -0.027467 -0.019269 0.0673 -0.4288 -0.9006 0.022'
"$program" probe examples/catheter.json "$folder/atrium.glb" --pose "$place" --range 25mm --cut-away \
  --map "$folder/probe.glb" --picture "$folder/probe.png" || [ $? -eq 1 ]
echo
echo "== The same, pushed away from the wall a thousand times a second (clearance probe --stream) =="
"$program" probe examples/catheter.json "$folder/atrium.glb" --pose "$place" --stream --rate 1000 \
  --seconds 3 --spin --synthetic orbit:1mm --margin 5mm --stiffness 200 >"$folder/probe.jsonl" || [ $? -eq 1 ]
tail -n 1 "$folder/probe.jsonl"
echo
echo "== Three pipes as a few spheres that are proven to hold them (clearance simplify) =="
"$program" simplify "$folder/pipe-joint.glb" --error 6mm --external 100mm --out "$folder/spheres.json" \
  --picture "$folder/spheres.png"
echo
echo "== A welding program that is free at every way-point and not between them (clearance check) =="
"$program" check --example "$folder/weld"
"$program" check "$folder/weld/cell.json" "$folder/weld/program.json" --pictures "$folder/weld" \
  --plot "$folder/weld/clearance.svg" || [ $? -eq 1 ]
echo
echo "== Every good grasp of a connecting rod (clearance grasp) =="
"$program" grasp "$folder/conrod.glb" --wire-frame examples/conrod_wire_frame.json --best 3 \
  --out "$folder/conrod.cgr" --picture "$folder/grasps.png"
echo
echo "== Which rod of a pile to take, and with which grasp (clearance pick) =="
"$program" generate conrod --triangles 2500 -o "$folder/rod.stl"
"$program" grasp "$folder/rod.stl" --wire-frame examples/conrod_wire_frame.json --best 0 \
  --out "$folder/rod.cgr" >/dev/null
"$program" pick "$folder/rod.stl" "$folder/rod.cgr" --top all --simulate 12 --seed 2 --bin 'floor 500mm 350mm' \
  --out "$folder/pile.json" --picture "$folder/pile.png" || [ $? -eq 1 ]
echo
echo "Written to $folder/: ${#files[@]} parts (.glb opens in any 3D viewer), a picture of each (.png),"
echo "distance.png, clash.png, ${names[0]}.json, probe.glb and probe.png, spheres.json and spheres.png,"
echo "grasps.png, pile.json and pile.png, fold/ (trajectory.pdb opens in any molecule viewer) and weld/ (a work cell,"
echo "its contacts and clearance). Next: $program --help"

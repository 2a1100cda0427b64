#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A first look: generates a few parts, inspects them, draws them. Usage: demo.sh PROGRAM FOLDER
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
echo
echo "Written to $folder/: ${#files[@]} parts (.glb opens in any 3D viewer), a picture of each (.png),"
echo "and ${names[0]}.json. Next: $program --help"

#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs each libFuzzer program of BUILD for SECONDS, several at once. Usage: fuzz.sh BUILD SECONDS
# Seeds: tests/data/fuzz/<format>, and small files of that format from ../shared/data when it is
# there. A crashing input is kept in BUILD/found and fails the run: reproduce it with
# BUILD/fuzz/fuzz_<format> FILE, fix it, and keep the file in tests/data/fuzz/<format>.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Memory a reader may take for an input of some kilobytes, and time for one input: far above what
# any honest file of that size needs.
memory_mb=1024
input_seconds=10
# Larger seeds slow the fuzzer down without teaching it more.
seed_bytes=65536

fuzz_one() {
  local program=$1 build=$2 seconds=$3
  local format=${program##*/fuzz_} extensions
  case $format in
    gltf) extensions="gltf glb" ;;
    step) extensions="step stp" ;;
    *) extensions=$format ;;
  esac

  local corpus=$build/corpus/$format seeds=$build/seeds/$format found=$build/found
  rm -rf "$seeds"
  mkdir -p "$corpus" "$seeds" "$found"
  local data=${CLEARANCE_DATA:-$root/../shared/data} extension
  for extension in $extensions; do
    [ -d "$data" ] || break
    find "$data" -iname "*.$extension" -type f -size "-${seed_bytes}c" -print0 \
      | xargs -0 --no-run-if-empty cp --backup=numbered -t "$seeds"
  done
  local folders=("$corpus" "$seeds")
  [ ! -d "$root/tests/data/fuzz/$format" ] || folders+=("$root/tests/data/fuzz/$format")

  local log=$build/$format.log
  if "$program" -max_total_time="$seconds" -timeout=$input_seconds -rss_limit_mb=$memory_mb \
    -max_len=$seed_bytes -artifact_prefix="$found/$format-" "${folders[@]}" >"$log" 2>&1; then
    printf '%-6s %s\n' "$format" "$(grep -E '^Done|^#[0-9]+.*DONE' "$log" | tail -n 2 | tr '\n' ' ')"
  else
    tail -n 40 "$log"
    echo "$format: found a bad input; it is in $found"
    return 1
  fi
}

if [ "$1" = --one ]; then
  fuzz_one "$4" "$2" "$3"
  exit
fi

build=$1
seconds=$2
shopt -s nullglob
programs=("$build"/fuzz/fuzz_*)
harnesses=()
for program in "${programs[@]}"; do
  [ -f "$program" ] && [ -x "$program" ] && harnesses+=("$program")
done
if [ ${#harnesses[@]} -eq 0 ]; then
  echo "fuzz: no harness in $build/fuzz" >&2
  exit 2
fi
echo "Fuzzing ${#harnesses[@]} readers, $seconds s each ..."
printf '%s\0' "${harnesses[@]}" \
  | xargs -0 -n 1 -P "$(nproc)" "${BASH_SOURCE[0]}" --one "$build" "$seconds"

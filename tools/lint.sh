#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Layout, text hygiene, notices, scripts and clang-tidy. Usage: lint.sh BUILD [JOBS]
# BUILD is a configured build folder (its compile_commands.json drives clang-tidy).
# A file that clang-tidy has passed is not looked at again until it, a header of ours, or the list of
# checks changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1
jobs=${2:-$(nproc)}
status=0

say() { printf '%-14s %s\n' "$1" "$2"; }
# check NAME OUTPUT: nothing in OUTPUT means the check passed.
check() {
  if [ -z "$2" ]; then
    say "$1" "ok"
  else
    say "$1" "FAILED"
    printf '%s\n' "$2"
    status=1
  fi
}

mapfile -t tracked < <(git ls-files --cached --others --exclude-standard | while read -r file; do
  [ ! -f "$file" ] || echo "$file"
done)
matching() { printf '%s\n' "${tracked[@]}" | grep -E "$1" || true; }

mapfile -t cpp < <(matching '\.(h|cpp)$')
mapfile -t scripts < <(matching '\.sh$|^\.ci/run$')
mapfile -t noticed < <(matching '\.(h|cpp|py|sh)$|^\.ci/run$|^Makefile$')
# Files whose bytes are the point (seeds of the fuzzers, pictures, models) are not text to tidy.
mapfile -t text < <(matching '.' | grep -vE '^tests/data/|\.(png|glb|stl|ply|stp|step|jpg)$|^LICENSE$')

check "layout" "$(clang-format --dry-run -Werror "${cpp[@]}" 2>&1 | grep -E 'error:' | head -n 20 || true)"
check "spaces" "$(grep -nE '[[:space:]]+$' -- "${text[@]}" | head -n 20 || true)"
check "tabs" "$(printf '%s\n' "${text[@]}" | grep -vE '(^|/)Makefile$' | xargs grep -nP '\t' | head -n 20 || true)"
# The pattern is written so that this line does not match itself.
check "paths" "$(grep -nE '(^|[^A-Za-z0-9_.])/(work|root|home)/[a-z]' -- "${text[@]}" | head -n 20 || true)"
check "notices" "$(grep -L 'SPDX-License-Identifier: BSD-3-Clause' -- "${noticed[@]}" || true)"
check "scripts" "$(shellcheck "${scripts[@]}" 2>&1 || true)"

# clang-tidy, file by file, remembered by a hash of everything that can change its mind.
stamps=$build/tidy
mkdir -p "$stamps"
headers_hash=$(matching '\.h$|^\.clang-tidy$' | xargs sha256sum | sha256sum | cut -c1-64)
todo=()
for file in $(matching '^(src|cli)/.*\.cpp$'); do
  hash=$(printf '%s %s' "$headers_hash" "$(sha256sum "$file")" | sha256sum | cut -c1-64)
  [ -f "$stamps/$hash" ] || todo+=("$file $hash")
done
# shellcheck disable=SC2317 # called through xargs
tidy_one() {
  local file=${1% *} hash=${1#* } output
  if output=$(clang-tidy --quiet -p "$2" "$file" 2>/dev/null); then
    touch "$3/$hash"
  else
    printf '%s\n' "$output"
  fi
}
export -f tidy_one
output=""
if [ ${#todo[@]} -gt 0 ]; then
  output=$(printf '%s\0' "${todo[@]}" \
    | xargs -0 -P "$jobs" -I{} bash -c 'tidy_one "$@"' _ {} "$build" "$stamps")
fi
# A remark about a header comes once for every file that includes it.
check "clang-tidy" "$(awk '!seen[$0]++' <<<"$output")"
exit $status

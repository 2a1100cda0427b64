#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Layout, text hygiene, notices, scripts and clang-tidy. Usage: lint.sh BUILD [JOBS]
# BUILD is a configured build folder (its compile_commands.json drives clang-tidy, tools/tidy.py).
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

mapfile -t units < <(matching '^(src|cli)/.*\.cpp$')
check "clang-tidy" "$(python3 tools/tidy.py "$build" "$jobs" "${units[@]}" 2>&1 | grep . || true)"
exit $status

#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages of tools/packages.txt that are missing. Says which before it does.
# Works as root, or as a user who may use sudo. Then the packages of the viewer, from npm. Quick when
# nothing is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

wanted=$(sed -E 's/#.*//; s/[[:space:]]+//g; /^$/d' "$here/packages.txt")
# dpkg-query leaves unknown packages out and then fails: compare names instead of trusting its status.
# shellcheck disable=SC2016,SC2086
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' || true)
# A node from elsewhere does as well as Debian's.
if command -v node >/dev/null && command -v npm >/dev/null; then present+=$'\nnodejs\nnpm'; fi
missing=$(comm -23 <(sort -u <<<"$wanted") <(sort -u <<<"$present"))

# The packages of the viewer, as viewer/package-lock.json names them. Without them everything else is
# built all the same: a machine without a way to the registry only loses `clearance view`.
install_viewer_packages() {
  local viewer=$here/../viewer
  [ ! "$viewer/node_modules/.package-lock.json" -nt "$viewer/package-lock.json" ] || return 0
  echo "Installing the packages of the viewer (npm ci) ..." >&2
  local words
  if ! words=$(cd "$viewer" && npm ci --ignore-scripts --no-audit --no-fund 2>&1 </dev/null); then
    tail -n 5 <<<"$words" >&2
    echo "warning: npm ci failed: the program is built without 'clearance view'" >&2
    return 0
  fi
  touch "$viewer/node_modules/.package-lock.json"
}

if [ -z "$missing" ]; then
  install_viewer_packages
  exit 0
fi

echo "Clearance needs these Debian packages, which are not installed yet:" >&2
# shellcheck disable=SC2001
sed 's/^/  /' <<<"$missing" >&2

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  echo "error: they must be installed by root: become root or install sudo, then run this again" >&2
  exit 2
fi

echo "Installing them with apt-get${as_root:+ (through sudo)} ..." >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    echo "error: '$*' failed; its last lines are above" >&2
    exit 2
  fi
}
run apt-get update -q
# shellcheck disable=SC2086
run apt-get install -q -y --no-install-recommends $missing
echo "Installed." >&2
install_viewer_packages

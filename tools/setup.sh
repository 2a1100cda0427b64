#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages of tools/packages.txt that are missing. Says which before it does.
# Works as root, or as a user who may use sudo. Quick when nothing is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

wanted=$(sed -E 's/#.*//; s/[[:space:]]+//g; /^$/d' "$here/packages.txt")
# dpkg-query leaves unknown packages out and then fails: compare names instead of trusting its status.
# shellcheck disable=SC2016,SC2086
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' || true)
missing=$(comm -23 <(sort -u <<<"$wanted") <(sort -u <<<"$present"))
[ -n "$missing" ] || exit 0

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

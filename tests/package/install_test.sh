#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs a build into a temporary prefix, and builds and runs a program outside the tree against
# the CMake package, then against the pkg-config file. Usage: install_test.sh BUILD CXX
# The variable CXXFLAGS holds what the compiler has to be told besides.
set -euo pipefail
build=$1
compiler=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Moved after the installation: nothing may remember the prefix.
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix
cp -r "$here" "$work/source"

echo "== find_package(clearance)"
cmake -S "$work/source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer" "$work/part.stl"

echo "== pkg-config clearance"
pc=$(find "$prefix" -name clearance.pc)
export PKG_CONFIG_PATH=${pc%/*}
read -ra flags <<<"${CXXFLAGS:-} $(pkg-config --cflags --libs clearance)"
"$compiler" -std=c++20 "$work/source/consumer.cpp" -o "$work/consumer" "${flags[@]}"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir clearance) "$work/consumer" "$work/part.ply"

echo "== the program"
"$prefix/bin/clearance" --version
"$prefix/bin/clearance" inspect "$work/part.stl" >/dev/null
step=${CLEARANCE_DATA:-$here/../../../shared/data}/parts/step/component8.step
if [ -f "$step" ] && "$prefix/bin/clearance" --version | grep -q "STEP: yes"; then
  "$prefix/bin/clearance" inspect "$step" >/dev/null
fi
bash -n "$prefix/share/bash-completion/completions/clearance"
test -s "$prefix/share/zsh/site-functions/_clearance"
test -s "$prefix/share/fish/vendor_completions.d/clearance.fish"
test -s "$prefix/share/clearance/schema/inspect.schema.json"
find "$prefix" -name LICENSE | grep -q .
if grep -rl --include='*.cmake' --include='*.pc' -e "$work/first" -e "$build" "$prefix"; then
  echo "these installed files name a path of the build" >&2
  exit 1
fi

#!/usr/bin/env bash
# test_plugin.sh CMAKE BUILD_FOLDER COMPILER CONTRACT: installs Polder, builds the device of examples/device against it, outside of
# the tree, puts it through the contract, and runs a job over it.
set -euo pipefail
readonly cmake=$1 build=$2 compiler=$3 contract=$4
root=$(cd "$(dirname "$0")/../.." && pwd)
readonly root work=$build/tests/device/plugin
rm -rf "$work"
mkdir -p "$work"
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }; }

for component in runtime dev; do
  quietly "$cmake" --install "$build" --component $component --prefix "$work/prefix"
done
cp -r "$root/examples/device" "$work/source"
quietly "$cmake" -S "$work/source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler"
quietly "$cmake" --build "$work/build"

echo "--- the contract"
# The example copies while it holds its lock, so it may not be given memory whose pages are missing.
POLDER_CONTRACT_PLUGIN=$work/build/libpolder-datagram.so "$contract" --gtest_brief=1 --gtest_filter='*/plugin-*MissingPages*' | tee "$work/contract.log"
grep -q 'PASSED.*[1-9][0-9]* tests' "$work/contract.log"

echo "--- a job"
export POLDER_PLUGIN_PATH=$work/build POLDER_DEVICE=datagram
quietly "$work/prefix/bin/terasort" generate 20000 "$work/input"
quietly "$work/prefix/bin/polder" run -n 3 "$work/prefix/bin/terasort" sort "$work/input" "$work/output"
quietly "$work/prefix/bin/terasort" validate "$work/output" --against "$work/input"

echo "--- a name that no plug-in has"
if POLDER_DEVICE=nowhere "$work/prefix/bin/polder" run -n 2 "$work/prefix/bin/terasort" sort "$work/input" "$work/output" 2>"$work/log"; then
  echo "a device that is not there was found"; exit 1
fi
grep -q "there is no device 'nowhere'" "$work/log" && grep -q "libpolder-nowhere.so" "$work/log"

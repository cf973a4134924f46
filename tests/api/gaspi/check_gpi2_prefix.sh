#!/bin/sh
# check_gpi2_prefix.sh POLDER FOLDER: `polder info --gpi2-prefix` of a tree without Fortran modules prints the directory, and
# says beside it what is missing; of one with them, nothing.
set -eu
polder=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/gpi2/include"
cp "$polder" "$folder/bin/polder"
touch "$folder/gpi2/include/GASPI.h"
LD_LIBRARY_PATH=$(dirname "$polder")/../lib
export LD_LIBRARY_PATH

ask() { "$folder/bin/polder" info --gpi2-prefix >"$folder/out" 2>"$folder/err"; }
ask
grep -qx "$(readlink -f "$folder")/gpi2" "$folder/out" || { cat "$folder/out"; echo "another directory"; exit 1; }
grep -q "without a Fortran compiler" "$folder/err" || { echo "not a word about the modules"; exit 1; }
touch "$folder/gpi2/include/gaspi.mod"
ask
[ ! -s "$folder/err" ] || { cat "$folder/err"; exit 1; }

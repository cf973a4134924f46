#!/bin/sh
# check_exit_trace.sh POLDER PROGRAM: PROGRAM ends without gaspi_proc_term. Its trace holds its last call all the same.
set -eu
polder=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$polder" run -n 2 --trace "$folder/trace" "$program"
"$polder" trace convert "$folder/trace" --to csv -o "$folder/events.csv"
for rank in 0 1; do
  grep -q "^$rank,.*gaspi_barrier" "$folder/events.csv" || { echo "rank $rank lost its last call"; exit 1; }
done

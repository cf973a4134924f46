#!/bin/sh
# check_late_trace.sh POLDER PROGRAM: a rank comes a second late. In the trace, waiting for it is one event of each rank.
set -eu
polder=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# shellcheck disable=SC2016
"$polder" run -n 2 --trace "$folder/trace" sh -c '[ "$POLDER_RANK" = 1 ] || sleep 1; exec "$0"' "$program"
"$polder" trace convert "$folder/trace" --to csv -o "$folder/events.csv"
for ranks in "0 1" "1 0"; do
  count=$(awk -F, -v pair="$ranks" '$3 == "connect" && $1 " " $8 == pair' "$folder/events.csv" | wc -l)
  [ "$count" = 1 ] || { grep -m 9 ',connect,' "$folder/events.csv"; echo "rank and peer $ranks: $count times connect"; exit 1; }
done

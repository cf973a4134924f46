#!/bin/sh
# check_symbols.sh LIBRARY HEADER: the calls that the header declares are visible, and nothing else is.
set -eu
declared=$(grep -oE '\b(gpi_cp|GPI_CP)_[A-Za-z_]+\(' "$2" | grep -vE '^GPI_CP_(H|POLICY)' | tr -d '(' | sort -u)
visible=$(nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^GPI_CP$' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 15 ] || { echo "the header declares fewer calls than there are" >&2; exit 1; }
[ "$declared" = "$visible" ] && exit 0
echo "declared and visible differ:" >&2
printf '%s\n' "$declared" "$visible" | sort | uniq -u >&2
exit 1

#!/bin/sh
# check_symbols.sh LIBRARY HEADER...: each call that a header declares is there, plain and strong, and nothing else is visible.
set -eu
library=$1
shift
table=$(nm -D --defined-only "$library")
failed=0
complain() { echo "$1" >&2; failed=1; }

# Those that the headers define themselves begin with DART_INLINE or static.
calls=$(cat "$@" | grep -E '^(dart_ret_t|bool|void) ' | grep -oE 'dart_(_io__hdf5__prep_mpio|[a-z0-9_]+)\(' | tr -d '(' | sort -u)
[ "$(echo "$calls" | wc -l)" -eq 108 ] || complain "the headers declare $(echo "$calls" | wc -l) calls, expected 108"
for call in $calls; do
  echo "$table" | grep -qE " T $call$" || complain "$call is not there"
done
others=$(echo "$table" | awk '{ print $3 }' | grep -vxF "$calls" || true)
[ -z "$others" ] || complain "visible beside the interface: $others"
exit $failed

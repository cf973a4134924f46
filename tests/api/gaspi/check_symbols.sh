#!/bin/sh
# check_symbols.sh LIBRARY HEADER...: every call that a header declares is there twice, weak as gaspi_X and strong as pgaspi_X, at one address;
# nothing else is visible; and the library itself refers to no gaspi_X. Of a static library (.a) the address is one in an object of it.
set -eu
library=$1
shift
case $library in
  *.a) table=$(nm -A --defined-only "$library" | sed 's/^[^:]*:\([^:]*:[0-9a-f]*\)/\1/') ;;
  *) table=$(nm -D --defined-only "$library") ;;
esac
failed=0
complain() { echo "$1" >&2; failed=1; }

calls=$(sed -n 's/^.*[ *]gaspi_\([a-z_]*\)(.*/\1/p' "$@" | sort -u)
[ "$(echo "$calls" | wc -l)" -ge 90 ] || complain "the headers declare fewer calls than there are"
for call in $calls; do
  weak=$(echo "$table" | awk -v name="gaspi_$call" '$3 == name && $2 == "W" { print $1 }')
  strong=$(echo "$table" | awk -v name="pgaspi_$call" '$3 == name && $2 == "T" { print $1 }')
  [ -n "$weak" ] || complain "gaspi_$call is not there or not weak"
  [ -n "$strong" ] || complain "pgaspi_$call is not there or not strong"
  [ "$weak" = "$strong" ] || complain "gaspi_$call and pgaspi_$call differ"
done
case $library in
  *.a)
    used=$(nm --undefined-only "$library" 2>/dev/null | grep -oE ' [Uw] gaspi_[a-z_]+' | sort -u || true)
    [ -z "$used" ] || complain "objects of the library call by the name that tools replace: $used"
    exit $failed
    ;;
esac
others=$(echo "$table" | awk '$3 !~ /^p?gaspi_[a-z_]*$/ && $3 !~ /^polder_gaspi_(runtime|at_term)$/ { print $3 }')
[ -z "$others" ] || complain "visible beside the interface: $others"
used=$(readelf -rW "$library" | grep -oE ' gaspi_[a-z_]+' || true)
[ -z "$used" ] || complain "the library calls by the name that tools replace: $used"
if readelf -dW "$library" | grep -q SYMBOLIC; then complain "linked with -Bsymbolic"; fi
exit $failed

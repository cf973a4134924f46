#!/bin/sh
# check_symbols.sh LIBRARY HEADER...: every call that a header declares is there twice, weak under its plain name and strong as its PARMCI
# or parmci twin, at one address; nothing else is visible; and the library itself refers to no plain name.
set -eu
library=$1
shift
table=$(nm -D --defined-only "$library")
failed=0
complain() { echo "$1" >&2; failed=1; }

calls=$(cat "$@" | tr '\n' ' ' | sed 's|/\*[^*]*\*\([^/*][^*]*\*\)*/||g' | grep -oE '\b(ARMCI|armci)_[A-Za-z_]+\(' | tr -d '(' | sort -u)
[ "$(echo "$calls" | wc -l)" -ge 120 ] || complain "the headers declare fewer calls than there are"
for call in $calls; do
  case $call in
    ARMCI_*) twin=P$call ;;
    *) twin=p$call ;;
  esac
  weak=$(echo "$table" | awk -v name="$call" '$3 == name && $2 == "W" { print $1 }')
  strong=$(echo "$table" | awk -v name="$twin" '$3 == name && $2 == "T" { print $1 }')
  [ -n "$weak" ] || complain "$call is not there or not weak"
  [ -n "$strong" ] || complain "$twin is not there or not strong"
  [ "$weak" = "$strong" ] || complain "$call and $twin differ"
done
others=$(echo "$table" | awk '$3 !~ /^P?ARMCI_[A-Za-z_]*$/ && $3 !~ /^p?armci_[a-z_]*$/ { print $3 }')
[ -z "$others" ] || complain "visible beside the interface: $others"
used=$(readelf -rW "$library" | grep -oE ' (ARMCI|armci)_[A-Za-z_]+' || true)
[ -z "$used" ] || complain "the library calls by the name that tools replace: $used"
exit $failed

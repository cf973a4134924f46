#!/bin/sh
# check_reference.sh PAGE TESTS HEADER...: the page's table has each call of the headers once, and the tests that it names are there.
set -eu
page=$1
tests=$2
shift 2
failed=0
complain() { echo "$page: $1" >&2; failed=1; }

calls=$(cat "$@" | grep -E '^(dart_ret_t|bool|void|DART_INLINE dart_ret_t) ' | grep -oE 'dart_[a-z0-9_]+\(' | tr -d '(' | sort -u)
rows=$(grep -E '^\| [a-z]' "$page")
listed=$(echo "$rows" | cut -d '|' -f 2 | tr -d ' ' | tr ',' '\n' | sort)
for call in $calls; do
  case "$call" in dart__*) name=$call ;; *) name=${call#dart_} ;; esac
  [ "$(echo "$listed" | grep -cxF "$name")" -eq 1 ] || complain "$call is not there, or twice"
done
[ "$(echo "$calls" | wc -l)" -eq "$(echo "$listed" | wc -l)" ] || complain "lists calls that no header declares"
for name in $(echo "$rows" | cut -d '|' -f 4 | tr -d ',' ); do
  [ -e "$tests/$name.c" ] || complain "there is no test $name"
done
exit $failed

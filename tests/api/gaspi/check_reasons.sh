#!/bin/sh
# check_reasons.sh POLDER PROGRAM: rank 1 of PROGRAM dies, and rank 0 meets GASPI_ERROR in many calls. The reason is on standard
# error with the dead rank's name, once of its kind, and with POLDER_GASPI_ERRORS=quiet not at all.
set -eu
polder=$1
program=$2
said() { "$polder" run -n 2 --keep-going "$@" "$program" 2>&1 >/dev/null | grep "GASPI_ERROR" || true; }

lines=$(said)
echo "$lines" | grep -q "rank 0: GASPI_ERROR: .*rank 1 .*POLDER_GASPI_ERRORS" || { echo "no reason: $lines"; exit 1; }
[ "$(echo "$lines" | grep -c "must be alive")" -le 1 ] || { echo "said twice: $lines"; exit 1; }
lines=$(said --env POLDER_GASPI_ERRORS=quiet)
[ -z "$lines" ] || { echo "said, though nobody wants to hear it: $lines"; exit 1; }

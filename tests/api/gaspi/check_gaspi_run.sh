#!/usr/bin/env bash
# check_gaspi_run.sh GASPI_RUN PROGRAM WORK_FOLDER: the command line of gaspi_run. PROGRAM is any GASPI program.
set -euo pipefail
readonly gaspi_run=$1 program=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
printf '# ranks\nlocalhost\n\n%s slots=1\n127.0.0.1 # three\n' "$(uname -n)" >machines
printf 'localhost\nnode.invalid\n' >strangers
touch empty
cp "$program" here
fail() { echo "failed: $*" >&2; exit 1; }

# ranks_of OPTION...: what the ranks of that job say they are, sorted.
ranks_of() { "$gaspi_run" "$@" sh -c 'echo $POLDER_RANK' | sort | tr '\n' ' '; }
expect() { [ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"; }
expect "a rank per line" "$(ranks_of -m machines)" "0 1 2 "
expect "-n" "$(ranks_of -m machines -n 2)" "0 1 "
expect "-n alone" "$(ranks_of -p -n 2)" "0 1 "
expect "-N" "$(ranks_of -N -m machines)" "0 1 2 "

# Arguments and the environment arrive as they are.
export GIVEN='two words'
expect "arguments" "$("$gaspi_run" -n 1 sh -c 'echo "$GIVEN/$1/$2"' -- -n 'a b')" "two words/-n/a b"
printf '#!/bin/sh\necho "master $1"\n' >master
chmod +x master
expect "-b" "$("$gaspi_run" -n 2 -b ./master echo said | sort | tr '\n' ' ')" "master said said "

# A program of the current folder needs no ./, and the exit code is the job's.
"$gaspi_run" -m machines here || fail "a program of the current folder"
code=0
"$gaspi_run" -n 2 sh -c 'exit 7' 2>/dev/null || code=$?
expect "exit code" "$code" 7

# refused TEXT ARGUMENT...: gaspi_run says TEXT and starts nothing.
refused() {
  local text=$1 output code=0
  shift
  output=$("$gaspi_run" "$@" 2>&1 >/dev/null) || code=$?
  [ "$code" = 2 ] || fail "gaspi_run $*: code $code"
  [[ "$output" == *"$text"* ]] || fail "gaspi_run $* says: $output"
}
refused "strangers, line 2: 'node.invalid' is not this machine" -m strangers here
refused "machines names 3 hosts only" -m machines -n 4 here
refused "names no host" -m empty here
refused "no such file" -m nowhere here
refused "-m MACHINEFILE is missing" here
refused "no program given" -m machines
refused "-n 0: expected a number" -m machines -n 0 here
refused "no option -x" -x
refused "-m needs a value" -m
refused "there is no such program" -n 1 -b nowhere here

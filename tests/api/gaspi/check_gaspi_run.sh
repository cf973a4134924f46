#!/usr/bin/env bash
# check_gaspi_run.sh GASPI_RUN PROGRAM STEPS WORK_FOLDER: the command line of gaspi_run. PROGRAM is any GASPI program, and STEPS one that
# with the argument "steps" begins in short calls.
set -euo pipefail
readonly gaspi_run=$1 program=$2 steps=$3 work=$4
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
cp machines team
expect "an attached value that ends as an option does" "$("$gaspi_run" -n1 -m"$work/team" echo --nodes)" "--nodes"
expect "-n alone" "$(ranks_of -p -n 2)" "0 1 "
expect "long options" "$(ranks_of --machinefile machines --nodes=2 --ping)" "0 1 "
expect "--NUMA" "$("$gaspi_run" --NUMA --nodes 1 sh -c 'echo $GASPI_SET_NUMA_SOCKET')" "1"
expect "no --NUMA" "$("$gaspi_run" --nodes 1 sh -c 'echo ${GASPI_SET_NUMA_SOCKET:-none}')" "none"
"$gaspi_run" --help | grep -q -- --machinefile || fail "--help"
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
PATH_BEFORE=$PATH
mkdir bare
for tool in bash uname cut cat getent sort mktemp readlink dirname grep head env sh hostname rm; do ln -s "$(command -v $tool)" bare/; done
PATH=$work/bare refused "node.invalid is another machine, and nothing here starts ranks there" -m strangers here
GASPI_LAUNCHER=nonsense refused "GASPI_LAUNCHER=nonsense" -m strangers here
refused "no option --nonsense" --nonsense here
refused "--nodes needs a value" --nodes
refused "machines names 3 hosts only" -m machines -n 4 here
refused "names no host" -m empty here
refused "no such file" -m nowhere here
refused "-m MACHINEFILE is missing" here
refused "no program given" -m machines
refused "-n 0: expected a number" -m machines -n 0 here
refused "no option -x" -x
refused "-m needs a value" -m
refused "there is no such program" -n 1 -b nowhere here

# Other hosts: a launcher gets a host for each rank, in order, and the variables that are not this machine's own.
mkdir launchers
cat >launchers/mpirun <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "mpirun (Open MPI) 4.1.4"; exit; }
echo "$*" >"$TOLD"
while [ "$1" != --hostfile ]; do shift; done
cat "$2" "$2" >>"$TOLD"
END
cp launchers/mpirun launchers/mpirun.openmpi
sed -e '/--version/d' -e 's/^while.*/cat "$SLURM_HOSTFILE" >>"$TOLD"; exit/' launchers/mpirun >launchers/srun
chmod +x launchers/*
printf 'node.invalid\nlocalhost\nnode.invalid\n' >mixed
export TOLD=$work/told
PATH=$work/launchers:$PATH "$gaspi_run" -m mixed -n 2 ./here one 'two words'
grep -q -- "-n 2 .*-x GIVEN .*./here one two words" told || fail "mpirun was told $(cat told)"
! grep -qE -- "-x (PWD|HOME|_) " told || fail "variables of this machine: $(cat told)"
expect "hosts, read twice" "$(tail -n 4 told | tr '\n' ' ')" "node.invalid localhost node.invalid localhost "
SLURM_JOB_ID=1 PATH=$work/launchers:$PATH "$gaspi_run" -m mixed ./here
grep -q -- "--distribution=arbitrary --ntasks=3" told || fail "srun was told $(cat told)"
expect "hosts of srun" "$(tail -n 3 told | tr '\n' ' ')" "node.invalid localhost node.invalid "

# The names that old scripts know.
bin=$(dirname "$gaspi_run")
"$bin/gaspi_cleanup" -m machines || fail gaspi_cleanup
"$bin/gaspi_logger" -v 2>&1 | grep -q gaspi_run || fail gaspi_logger

# Over ssh, of which an agent that knows every host takes the place: ranks, hosts and codes, and the end of all when one fails.
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\neval "$*"\n' >agent
chmod +x agent
over_ssh() { GASPI_LAUNCHER=ssh GASPI_SSH=$work/agent "$gaspi_run" "$@"; }
printf 'node.invalid\nlocalhost\nnode.invalid\n' >mixed
# shellcheck disable=SC2016
expect "ranks over ssh" "$(over_ssh -m mixed sh -c 'echo "$GASPI_RANK.$GASPI_SOCKET.$GASPI_NRANKS.$(wc -l <$GASPI_MFILE).$GIVEN.$1"' - 'a  b' | sort | tr '\n' ' ')" \
  "0.0.3.3.two words.a  b 1.0.3.3.two words.a  b 2.1.3.3.two words.a  b "
# shellcheck disable=SC2016
expect "hosts over ssh, by names that all know" "$(over_ssh -m mixed sh -c 'echo "$(tr "\n" " " <$GASPI_MFILE)"' | sort -u)" "node.invalid $(uname -n) node.invalid "
code=0
over_ssh -m mixed sh -c '[ $GASPI_RANK != 1 ] || exit 7; exec sleep 1000' || code=$?
expect "the code of the rank that fails" "$code" 7
printf 'localhost\n127.0.0.1\n' >two_names
GASPI_LAUNCHER=ssh "$(dirname "$gaspi_run")/ssh.spawner" localhost 127.0.0.1 -- "$program" || fail "ranks that meet over TCP"
# shellcheck disable=SC2016
GASPI_LAUNCHER=ssh "$(dirname "$gaspi_run")/ssh.spawner" localhost 127.0.0.1 127.0.0.1 -- \
  sh -c '[ $GASPI_RANK != 2 ] || sleep 2; exec "$1" steps' - "$steps" || fail "ranks that look whether others have come"
GASPI_RANK=0 GASPI_NRANKS=2 GASPI_MFILE=two_names "$gaspi_run" -n 1 "$program" || fail "a job that a rank of another one has started"
code=0
GASPI_RANK=0 GASPI_NRANKS=2 GASPI_MFILE=two_names GASPI_SN_PORT=80x "$program" 2>said || code=$?
[ "$code" != 0 ] && grep -q "port 80x of this host" said || fail "a port that is none: $(cat said)"

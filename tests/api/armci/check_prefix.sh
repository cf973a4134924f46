#!/bin/sh
# check_prefix.sh POLDER MPI MPICC SOURCE FOLDER: a C program links in the ways that existing builds use, and nothing of Polder has to be
# found when it runs.
set -eu
polder=$1 mpi=$2 mpicc=$3 source=$4 folder=$5
prefix=$("$polder" info --armci-prefix "$mpi")
mkdir -p "$folder"
for library in "armci-$mpi" armci; do
  "$mpicc" -I"$prefix/include" "$source" -L"$prefix/lib" "-l$library" -o "$folder/$library"
  if ldd "$folder/$library" | grep -q polder; then
    echo "needs a library of Polder when it runs: $library"
    exit 1
  fi
done
"$mpicc" -I"$prefix/include" "$source" -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" "-larmci-polder-$mpi" -o "$folder/shared"
if ldd "$folder/shared" | grep "not found"; then exit 1; fi
# Our library comes before the packaged one; without Global Arrays it says what is missing.
if libraries=$("$prefix/bin/ga-config" --libs); then
  case $libraries in
    -L*) ;;
    *) echo "ga-config does not name our folder first: $libraries"; exit 1 ;;
  esac
  flags=$("$prefix/bin/ga-config" --ldflags)
  if [ "${flags%% *}" != "-L$prefix/bin/../lib" ] || [ "${flags##* }" != "-L$prefix/bin/../lib" ]; then
    echo "ga-config does not name our folder first and last: $flags"
    exit 1
  fi
fi

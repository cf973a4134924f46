// The parts of `polder info`, each a text that ends with a line end.
#pragma once

#include <string>

namespace polder::cli {

std::string build_text();        // version, compiler, kind of build
std::string parts_text();        // what is built only where something else is there, and how to get what is missing
std::string device_text();       // what --device takes, and what each can do here, tried out
std::string machine_text();      // packages, cores, caches, NUMA nodes, memory
std::string limits_text();       // settings of the system that jobs run into
std::string collectives_text();  // which algorithm serves which collective, as rows of a file
std::string options_text();      // every option with its value, default and help

// Prints the directory that offers libGPI2 and its kin; an error if there is none. Returns the exit code of `polder`.
int print_gpi2_prefix();
// The same for ARMCI under this MPI (openmpi, mpich).
int print_armci_prefix(const std::string& mpi);
// The same for DART, as a build of DASH looks for it.
int print_dart_prefix();

}  // namespace polder::cli

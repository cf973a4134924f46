// What launchers that Polder does not speak to say in the environment of a rank.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <optional>
#include <string>

namespace polder::bootstrap::gathered {

struct StartedAs {
  std::string rank_variable;  // in the environment of every rank, and of what lies between it and who started it
  Rank rank = 0;
  Rank size = 1;
  std::string machine_file;  // empty: none
};

// GASPI_NRANKS, GASPI_RANK, GASPI_SOCKET and GASPI_MFILE of launchers for GASPI programs; PMI_SIZE and PMI_RANK of
// mpiexec of MPICH (hydra) and of Slurm. Nothing is said on the descriptor PMI_FD: MPI_Init of the same process needs
// it. Nothing: no launcher says anything.
//   invalid_argument: a value makes no sense;
//   unsupported: the job has ranks on other machines, which cannot be found without asking the launcher.
Result<std::optional<StartedAs>> read_start();

// Says in the log, once for each such process, that a launcher has started several and told them nothing by which they
// could be one job: each will be a job of its own, which is hardly what was meant.
void warn_of_lone_ranks();

}  // namespace polder::bootstrap::gathered

// A rank of a program that uses MPI, too: the actions of actor.hpp, and
//
//   mpi-init, mpi-finalize
//   mpi-agree    both name this process with the same number, and both can talk
#include "actor.hpp"

#include <mpi.h>

namespace {

bool agree(const polder::Runtime& polder) {
  int rank = -1, size = -1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool good =
      polder::Rank(rank) == polder.rank() && polder::Rank(size) == polder.size() && sum == size * (size - 1) / 2;
  std::printf("rank %u of %u %s rank %d of %d of MPI\n", polder.rank(), polder.size(), good ? "is" : "IS NOT", rank,
              size);
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  actor::Actor rank(actor::timeout_from_environment());
  for (int i = 1; i < count; ++i) {
    const std::string action = arguments[i];
    bool good = true;
    if (action == "mpi-init")
      good = MPI_Init(nullptr, nullptr) == MPI_SUCCESS;
    else if (action == "mpi-finalize")
      good = MPI_Finalize() == MPI_SUCCESS;
    else if (action == "mpi-agree")
      good = agree(*rank.runtime());
    else
      good = rank.run(action);
    if (!good) return 1;
  }
  return 0;
}

#include "api/dart/mpi/program_mpi.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

namespace polder::dart {
namespace {

constexpr int kAllThreads = 3;  // MPI_THREAD_MULTIPLE of every MPI that we know

template <class Function>
Function* mpi_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

bool answers_yes(const char* name) {
  auto* const asks = mpi_function<int(int*)>(name);
  int flag = 0;
  return asks != nullptr && asks(&flag) == 0 && flag != 0;
}

bool mpi_runs() {
  return answers_yes("MPI_Initialized") && !answers_yes("MPI_Finalized");
}

// Open MPI has objects by these names, MPICH numbers for them.
MpiHandle constant(const char* open_mpi, MpiHandle mpich) {
  void* const object = dlsym(RTLD_DEFAULT, open_mpi);
  return object != nullptr ? reinterpret_cast<MpiHandle>(object) : mpich;
}

MpiHandle world() {
  return constant("ompi_mpi_comm_world", 0x44000000);
}

Status failed(const char* call) {
  return {Code::unsupported, std::string(call) + " of the program's MPI failed, or is not there"};
}

// Zeroed, since MPICH fills in only the lower half.
Result<MpiHandle> make_communicator(const std::vector<int>& ranks) {
  constexpr int kTag = 3217;  // of this library's communicators that are being made
  auto* const comm_group = mpi_function<int(MpiHandle, MpiHandle*)>("MPI_Comm_group");
  auto* const group_incl = mpi_function<int(MpiHandle, int, const int*, MpiHandle*)>("MPI_Group_incl");
  auto* const create = mpi_function<int(MpiHandle, MpiHandle, int, MpiHandle*)>("MPI_Comm_create_group");
  auto* const group_free = mpi_function<int(MpiHandle*)>("MPI_Group_free");
  if (comm_group == nullptr || group_incl == nullptr || create == nullptr || group_free == nullptr)
    return failed("MPI_Comm_create_group");
  MpiHandle all = 0, members = 0, communicator = 0;
  if (comm_group(world(), &all) != 0) return failed("MPI_Comm_group");
  const bool included = group_incl(all, int(ranks.size()), ranks.data(), &members) == 0;
  const bool created = included && create(world(), members, kTag, &communicator) == 0;
  group_free(&all);
  if (included) group_free(&members);
  return created ? Result<MpiHandle>(communicator) : failed(included ? "MPI_Comm_create_group" : "MPI_Group_incl");
}

}  // namespace

int mpi_thread_level() {
  auto* const query = mpi_function<int(int*)>("MPI_Query_thread");
  int level = kAllThreads;
  if (query == nullptr || !mpi_runs() || query(&level) != 0) return kAllThreads;
  return level;
}

Status with_mpi_communicator(std::span<const Rank> ranks, const std::function<Status(MpiHandle, MpiHandle)>& use) {
  if (!mpi_runs())
    return {Code::unsupported, "the program has not started MPI, which HDF5 needs for a file of several units"};
  auto* const comm_size = mpi_function<int(MpiHandle, int*)>("MPI_Comm_size");
  auto* const comm_free = mpi_function<int(MpiHandle*)>("MPI_Comm_free");
  int size = 0;
  if (comm_size == nullptr || comm_free == nullptr || comm_size(world(), &size) != 0) return failed("MPI_Comm_size");
  if (std::ranges::any_of(ranks, [&](Rank rank) { return rank >= Rank(size); }))
    return {Code::invalid_rank,
            "MPI_COMM_WORLD has " + std::to_string(size) + " ranks, and not all units are among them"};
  auto communicator = make_communicator({ranks.begin(), ranks.end()});
  if (!communicator.ok()) return communicator.status();
  Status status = use(*communicator, constant("ompi_mpi_info_null", 0x1c000000));
  comm_free(&*communicator);
  return status;
}

}  // namespace polder::dart

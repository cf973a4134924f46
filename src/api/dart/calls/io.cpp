// Files of HDF5, which the program's HDF5 opens by the program's MPI.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/mpi/program_mpi.hpp"
#include "api/dart/symbols.hpp"

#include <dlfcn.h>

#include <string>

using namespace polder;
using namespace polder::dart;

namespace {

constexpr const char* kPrepareCall = "dart__io__hdf5__prep_mpio";

// HDF5 keeps a communicator of its own of what it is given.
Status prepare_list(hid_t list, MpiHandle communicator, MpiHandle no_info) {
  using Prepares = int(hid_t, MpiHandle, MpiHandle);
  auto* const prepares = reinterpret_cast<Prepares*>(dlsym(RTLD_DEFAULT, "H5Pset_fapl_mpio"));
  if (prepares == nullptr)
    return {Code::unsupported, "the program has no HDF5 with H5Pset_fapl_mpio, or it was built without MPI"};
  if (prepares(list, communicator, no_info) < 0)
    return {Code::unsupported, "H5Pset_fapl_mpio refused the property list " + std::to_string(list)};
  return {};
}

}  // namespace

extern "C" {

dart_ret_t dart__io__hdf5__prep_mpio(hid_t plist_id, dart_team_t teamid) {
  return guarded(kPrepareCall, [&] {
    const DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside(kPrepareCall);
    const DartTeam* const team = epoch->team(teamid);
    if (team == nullptr) return refused(kPrepareCall, no_such_team(teamid));
    return outcome(kPrepareCall, with_mpi_communicator(team->group().ranks(), [&](MpiHandle made, MpiHandle no_info) {
                     return prepare_list(plist_id, made, no_info);
                   }));
  });
}

}  // extern "C"

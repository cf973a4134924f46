#include "api/armci/job/error.hpp"

#include "api/armci/job/context.hpp"

#include <polder/trace_door.hpp>

#include <cstdio>
#include <cstdlib>

namespace polder::armci {
namespace {

constexpr int kExitCode = 1;

// Without a context there is no MPI to ask, and no rank.
int failed_alone(const char* call, const Status& status) {
  std::fprintf(stderr, "ARMCI: %s: %s\n", call, status.to_string().c_str());
  const auto options = read_options();
  if (!options.ok() || options->abort_on_error) std::exit(kExitCode);
  return kExitCode;
}

}  // namespace

int told(const char* call, const Status& status, bool here) {
  trace::DoorCall::note_outcome(status.code());
  const Context* const context = current();
  if (here && context != nullptr)
    std::fprintf(stderr, "ARMCI, rank %u: %s: %s\n", context->rank(), call, status.to_string().c_str());
  if (here && context == nullptr) std::fprintf(stderr, "ARMCI: %s: %s\n", call, status.to_string().c_str());
  return kExitCode;
}

int failed(const char* call, const Status& status) {
  trace::DoorCall::note_outcome(status.code());
  Context* const context = current();
  if (context == nullptr) return failed_alone(call, status);
  told(call, status, true);
  if (context->options().abort_on_error) context->mpi().abort(kExitCode);
  return kExitCode;
}

int failed_outside(const char* call) {
  return failed_alone(call, {Code::closed, "called outside ARMCI_Init and ARMCI_Finalize"});
}

}  // namespace polder::armci

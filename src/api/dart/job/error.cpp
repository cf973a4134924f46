#include "api/dart/job/error.hpp"

#include "api/dart/job/epoch.hpp"

#include <polder/trace_door.hpp>

#include <cstdio>

namespace polder::dart {
namespace {

bool ends_the_job(Code code) {
  return code == Code::peer_failed || code == Code::closed || code == Code::system || code == Code::busy;
}

dart_ret_t number_of(Code code) {
  switch (code) {
    case Code::out_of_memory: return DART_ERR_NOMEM;
    case Code::limit:
    case Code::system:
    case Code::unsupported:
    case Code::timeout: return DART_ERR_OTHER;
    case Code::owner_died: return DART_OK;
    default: return DART_ERR_INVAL;
  }
}

void tell(const char* call, const Status& status) {
  const DartEpoch* const epoch = current_epoch();
  if (epoch != nullptr)
    std::fprintf(stderr, "DART, unit %u: %s: %s\n", epoch->runtime().rank(), call, status.to_string().c_str());
  else
    std::fprintf(stderr, "DART: %s: %s\n", call, status.to_string().c_str());
}

}  // namespace

dart_config_t& configuration() {
  static dart_config_t config{1};
  return config;
}

dart_ret_t refused(const char* call, const Status& status) {
  trace::DoorCall::note_outcome(status.code());
  const bool fatal = current_epoch() != nullptr && ends_the_job(status.code());
  if (fatal || configuration().log_enabled != 0) tell(call, status);
  if (fatal) dart_abort(DART_EXIT_ABORT);
  return number_of(status.code());
}

dart_ret_t refused_outside(const char* call) {
  return refused(call, Status(Code::invalid_argument, "called outside dart_init and dart_exit"));
}

}  // namespace polder::dart

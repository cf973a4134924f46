// Begin and end.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/mpi/program_mpi.hpp"
#include "api/dart/symbols.hpp"

#include <unistd.h>

#include <mutex>
#include <string>
#include <utility>

using namespace polder;
using namespace polder::dart;

namespace {

// dart_init and dart_exit, which may come from different threads.
std::mutex& beginning() {
  static std::mutex mutex;
  return mutex;
}

Status begin_epoch() {
  const std::lock_guard lock(beginning());
  if (current_epoch() != nullptr) return {Code::limit, "it is initialised already"};
  if (the_unit() == nullptr) {
    auto unit = DartUnit::join();
    if (!unit.ok()) return std::move(unit).status();
    the_unit() = *std::move(unit);
  }
  auto epoch = DartEpoch::begin(*the_unit());
  if (!epoch.ok()) return std::move(epoch).status();
  the_epoch.store((*epoch).release(), std::memory_order_release);
  return {};
}

Status end_epoch() {
  const std::lock_guard lock(beginning());
  DartEpoch* const epoch = current_epoch();
  if (epoch == nullptr) return {Code::limit, "it is not initialised"};
  // When all have come, nobody uses memory of this epoch any more. What failed before is told; the others come all the same.
  Status told = epoch->runtime().queue().wait(Completion::remote, Timeout::block());
  if (Status status = epoch->unit().atomics.flush_all(); told.ok()) told = std::move(status);
  if (Status status = epoch->all().group().barrier(Timeout::block()); !status.ok()) return status;
  the_epoch.store(nullptr, std::memory_order_release);
  delete epoch;
  return told;
}

// A program whose MPI serves one thread is told that DART does, too: its threads may not use both.
dart_thread_support_level_t thread_level() {
  constexpr int kMultiple = 3;  // MPI_THREAD_MULTIPLE
  return mpi_thread_level() < kMultiple ? DART_THREAD_SINGLE : DART_THREAD_MULTIPLE;
}

}  // namespace

extern "C" {

dart_ret_t dart_init(int*, char***) {
  const TracedDartCall traced(DartCall::init);
  return guarded("dart_init", [] { return outcome("dart_init", begin_epoch()); });
}

dart_ret_t dart_init_thread(int*, char***, dart_thread_support_level_t* provided) {
  const TracedDartCall traced(DartCall::init_thread);
  if (provided != nullptr) *provided = thread_level();
  return guarded("dart_init_thread", [] { return outcome("dart_init_thread", begin_epoch()); });
}

dart_ret_t dart_exit() {
  const TracedDartCall traced(DartCall::exit);
  return guarded("dart_exit", [] { return outcome("dart_exit", end_epoch()); });
}

bool dart_initialized() {
  return current_epoch() != nullptr;
}

void dart_abort(int errorcode) {
  if (the_unit() != nullptr)
    the_unit()->runtime().abort(errorcode, "dart_abort with code " + std::to_string(errorcode));
  _exit(errorcode);
}

void dart_config(dart_config_t** config_out) {
  *config_out = &configuration();
}

}  // extern "C"

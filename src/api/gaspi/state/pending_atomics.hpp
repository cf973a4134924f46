// Atomic operations that take longer than the program wants to wait. One that timed out goes on, and the next call with
// the same arguments waits for the same one: it must not add twice (GASPI 17.1, section 10.2).
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"

#include <polder/runtime.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace polder::gaspi {

struct AtomicCall {
  AtomicOp op{};
  GlobalAddress target;
  gaspi_atomic_value_t operand = 0;
  gaspi_atomic_value_t compare = 0;

  bool operator==(const AtomicCall&) const = default;
};

// Thread safe. Each operation that is under way has a thread which waits for it: only memory that cannot be loaded and
// stored needs that, and only where the program has set a timeout.
class PendingAtomics {
 public:
  explicit PendingAtomics(Runtime& runtime) : runtime_(runtime) {}
  ~PendingAtomics();  // waits for them

  // Code::timeout: again, with the same call.
  Result<gaspi_atomic_value_t> run(const AtomicCall& call, const Deadline& deadline);
  // Goes on with an equal call that timed out. Empty: there is none; a load where nothing is under way.
  std::optional<Result<gaspi_atomic_value_t>> go_on(const AtomicCall& call, const Deadline& deadline);

  // Waits until none is under way, also of those that the program has given up. False: some still are.
  bool end(const Deadline& deadline);

 private:
  struct Pending {
    AtomicCall call;
    bool awaited = true;
    std::optional<Result<gaspi_atomic_value_t>> outcome;
    std::thread thread;
  };
  using Position = std::list<Pending>::iterator;

  Position find(const std::unique_lock<std::mutex>& held, const AtomicCall& call);
  Position begin(const std::unique_lock<std::mutex>& held, const AtomicCall& call);
  Result<gaspi_atomic_value_t> wait(std::unique_lock<std::mutex> held, Position pending, const Deadline& deadline);

  Runtime& runtime_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<Pending> pending_;
  std::atomic<std::size_t> count_{0};  // of them
};

}  // namespace polder::gaspi

// For doors and libraries whose calls sleep by means of their own, not in a call of the runtime: so that those who look
// from outside (polder top, polder run --watch, a launcher that ends the job) see what they wait in.
//
//   polder::ShownWait wait(runtime);
//   while (!arrived) {
//     wait.look("for a passive message");
//     ...                                    // a sleep of some ten milliseconds
//   }
//
// A rank shows one wait. One in a call of the runtime goes before those that are told of here, so that a thread that
// waits for requests all the time does not hide what the others do.
#pragma once

#include <polder/export.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <string_view>

namespace polder {

class Runtime;

// Of one thread, for one call. It must not outlive the runtime.
class POLDER_API ShownWait {
 public:
  static constexpr Rank kNobody = ~Rank{0};

  explicit ShownWait(Runtime& runtime) : runtime_(runtime) {}
  // The wait is over.
  ~ShownWait();
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;

  // Before each sleep. A word is believed for 100 ms; it is shown once the wait has taken 20 ms. `what` goes on
  // from "rank 3 waits", in 64 bytes: "for a passive message". `whom`: the rank that can end it, if it is one. Costs a
  // look at the clock and some 20 stores; neither waits nor allocates.
  void look(std::string_view what, Rank whom = kNobody);

 private:
  Runtime& runtime_;
  std::int64_t since_ns_ = 0;
  bool shown_ = false;
};

}  // namespace polder

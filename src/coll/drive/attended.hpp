// A collective as those see it who go on with it while nobody waits for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace polder::coll {

class Attended {
 public:
  Attended() = default;
  virtual ~Attended() = default;
  Attended(const Attended&) = delete;
  Attended& operator=(const Attended&) = delete;

  static constexpr std::int64_t kLook = 20'000'000;  // ns between two looks at who is gone, for which no bell rings

  // Goes on as far as it can, and looks after those who are gone now and then.
  virtual void attend() = 0;
  virtual bool ended() const = 0;
  // What follows it, once, when it has ended.
  virtual std::function<void()> take_continuation() = 0;
  std::atomic<bool> held{false};  // by a thread that attends to it
};

}  // namespace polder::coll

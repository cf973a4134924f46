// What is left of a call's timeout, for each of the waits in it.
#pragma once

#include <polder/clock.hpp>
#include <polder/timeout.hpp>

#include <algorithm>
#include <chrono>

namespace polder::ckpt {

class Deadline {
 public:
  Deadline(const Runtime& rt, Timeout timeout)
      : rt_(rt), timeout_(timeout), begin_(timeout.is_test() || timeout.is_block() ? 0 : now_ns(rt)) {}

  Timeout left() const {
    if (timeout_.is_test() || timeout_.is_block()) return timeout_;
    return std::chrono::nanoseconds(std::max<std::int64_t>(timeout_.nanoseconds() - (now_ns(rt_) - begin_), 0));
  }
  operator Timeout() const { return left(); }  // NOLINT: implicit, where a call takes a timeout

 private:
  const Runtime& rt_;
  Timeout timeout_;
  std::int64_t begin_;
};

}  // namespace polder::ckpt

// A clock that stands where the test puts it.
#pragma once

#include "util/clock.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace polder::util {

class SetTime final : public VirtualTime {
 public:
  std::int64_t now = 0;

  std::int64_t now_ns() const override { return now; }
  std::uint64_t draw() override { return 0; }
  std::shared_ptr<Task> start(std::string, std::function<void()>) override { return nullptr; }
  void join(Task&) override {}
};

}  // namespace polder::util

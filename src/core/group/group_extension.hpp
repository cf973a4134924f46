// What a module above core keeps with a group. It goes before the group's memory does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polder::core {

class GroupExtension {
 public:
  enum Kind : std::uint8_t { collectives, agreements };
  static constexpr std::size_t kKinds = 2;

  virtual ~GroupExtension() = default;
};

}  // namespace polder::core

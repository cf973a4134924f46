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

  // How many collectives of the group this rank has begun with it, and how many of the first have ended well. Any
  // thread.
  virtual std::uint64_t begun() const { return 0; }
  virtual std::uint64_t ended() const { return 0; }
  // Whether other members that live still read what this one showed them.
  virtual bool needed() const { return false; }
};

}  // namespace polder::core

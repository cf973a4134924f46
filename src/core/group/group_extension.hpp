// What a module above core keeps with a group. It goes before the group's memory does.
#pragma once

namespace polder::core {

class GroupExtension {
 public:
  virtual ~GroupExtension() = default;
};

}  // namespace polder::core

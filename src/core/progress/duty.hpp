// Something that a part of core leaves to be done by whoever makes progress next: a reply that found no room, say.
#pragma once

namespace polder::core {

class Duty {
 public:
  // Does what can be done now, without waiting, and returns how much that was. May be called by several threads at
  // once, and often: where nothing is left it costs a load.
  virtual int attend() = 0;

 protected:
  ~Duty() = default;
};

}  // namespace polder::core

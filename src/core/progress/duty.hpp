// Something that a part of core leaves to be done by whoever makes progress next: a reply that found no room, say.
#pragma once

namespace polder::core {

class Duty {
 public:
  // Does what can be done now, without waiting, and returns how much that was. May be called by several threads at
  // once, and often: where nothing is left it costs a load.
  virtual int attend() = 0;
  // Whether something is left of which nobody will say that it can be done: the helper looks again soon.
  virtual bool looks_again() const { return false; }

 protected:
  ~Duty() = default;
};

}  // namespace polder::core

// The port of agreements: all that a member sees of the others. Each shows an opinion, which any other one may look at;
// nobody waits for an answer of somebody who does something else.
#pragma once

#include "coll/agreement/opinion.hpp"

#include <polder/types.hpp>

#include <cstdint>

namespace polder::coll {

class Panel {
 public:
  enum class Look : std::uint8_t { seen, unseen, gone };

  // The opinion is shown from now on.
  virtual void show(const Opinion& own) = 0;
  // `member` shall look.
  virtual void wake(Rank member) = 0;
  // The latest opinion of a member that has come here. gone: it has died, or left the group, and takes no part in what
  // it has not begun.
  virtual Look look(Rank member, Opinion& opinion) = 0;
  // Known to be dead, by now. Never wrong for long: of two that differ in it one is told to go.
  virtual bool has_failed(Rank member) = 0;

 protected:
  ~Panel() = default;
};

}  // namespace polder::coll

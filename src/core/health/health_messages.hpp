// What ranks tell each other about who lives.
#pragma once

#include "core/message/request.hpp"

#include <polder/types.hpp>

namespace polder::core {

// `rank` has failed, or was given up. Nobody answers this.
struct DeathMessage : RequestHead {
  Rank rank = 0;
  std::uint32_t unused = 0;
};

// `teller` has lost `rank`. Nobody answers this.
struct DoubtMessage : RequestHead {
  Rank teller = 0;
  Rank rank = 0;
};

// `rank` has left; behind it its word, a GroupProgress for each group. Nobody answers this.
struct LeavingMessage : RequestHead {
  Rank rank = 0;
  std::uint32_t unused = 0;
};

}  // namespace polder::core

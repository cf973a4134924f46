// What this rank knows of the others' state.
#pragma once

#include <cstdint>

namespace polder {

enum class Health : std::uint8_t {
  healthy,
  finished,  // it left the job in good order and answers no more
  failed,    // it died, its link broke, or this rank declared it corrupt
};

}  // namespace polder

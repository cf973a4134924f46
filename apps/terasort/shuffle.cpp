#include "shuffle.hpp"

#include <string>

namespace terasort {

Status share_too_large(std::uint64_t capacity) {
  return {Code::limit, "more records belong to this rank than the " + std::to_string(capacity) +
                           " there is room for: the sample misjudged the input; give a larger --headroom"};
}

}  // namespace terasort

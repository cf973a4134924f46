#include "core/engine/engine.hpp"

#include <polder/clock.hpp>

namespace polder {

std::int64_t now_ns(const Runtime& rt) {
  return rt.engine().clock().now_ns();
}

}  // namespace polder

// The elements of a vector that is reduced: how large they are and how two vectors of them become one.
#pragma once

#include <polder/collective.hpp>

#include <cstddef>

namespace polder::coll {

struct Elements {
  std::size_t size = 1;              // bytes of one
  const Combine* combine = nullptr;  // null: nothing is reduced
};

}  // namespace polder::coll

// The elements of a vector that is reduced: how large they are and how two vectors of them become one.
#pragma once

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>

namespace polder::coll {

struct Elements {
  std::size_t size = 1;              // bytes of one
  const Combine* combine = nullptr;  // null: nothing is reduced
};

// As `combine` says. What it throws becomes an error: it must not fly through coroutines, waits and locks.
Status combine_guarded(const Combine& combine, const void* one, const void* two, void* result, std::size_t count);

}  // namespace polder::coll

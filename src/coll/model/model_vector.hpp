// Vectors of collectives in virtual time whose code looks at what it sends: real numbers, but of a long vector only some,
// each of which stands for several.
#pragma once

#include "util/assert.hpp"

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <functional>
#include <utility>

namespace polder::coll {

struct ModelVector {
  static constexpr std::size_t kElement = sizeof(double);

  // Of `true_bytes`, as at most `most` numbers. REQUIRES: most > 0.
  ModelVector(std::size_t true_bytes, std::size_t most)
      : elements(true_bytes % kElement == 0 && true_bytes / kElement <= most ? true_bytes / kElement
                 : true_bytes < kElement                                     ? 1
                                                                             : most),
        stands_for(elements == 0 ? 1 : double(true_bytes) / double(elements * kElement)) {
    POLDER_ASSERT(most > 0);
  }

  std::size_t bytes() const { return elements * kElement; }
  // Of some of its bytes behind a head.
  double length(std::size_t head, std::size_t bytes) const {
    return bytes <= head ? double(bytes) : double(head) + double(bytes - head) * stands_for;
  }
  // Their sum. `combined` is told of so many true bytes whenever it is called.
  ReductionSpec sum(std::function<void(double)> combined) const {
    ReductionSpec sum;
    sum.count = elements;
    sum.element_size = kElement;
    sum.combine = [combined = std::move(combined), scale = stands_for](const void* one, const void* two, void* into,
                                                                       std::size_t count) {
      const auto* const a = static_cast<const double*>(one);
      const auto* const b = static_cast<const double*>(two);
      for (std::size_t i = 0; i < count; ++i) static_cast<double*>(into)[i] = a[i] + b[i];
      combined(double(count * kElement) * scale);
      return Status();
    };
    return sum;
  }

  const std::size_t elements;
  const double stands_for;  // of the true bytes, each of its own
};

}  // namespace polder::coll

// Eventual objects of some doubles, and their sum.
#pragma once

#include "core/ranks.hpp"

#include <polder/eventual.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace polder::test {

inline constexpr std::size_t kDoubles = 100;

inline std::unique_ptr<Eventual> make_doubles(Runtime& rt, EventualSpec spec = {}) {
  spec.bytes = kDoubles * 8;
  auto made = Eventual::create(rt.world(), spec, kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}

inline ReductionSpec sum_of_doubles() {
  return *reduction(Reduction::sum, DataType::float64, kDoubles);
}

}  // namespace polder::test

// Seeds of a test, in parts that run beside each other.
#pragma once

#include "core/seed_range.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace polder::test {

// Runs run(seed) for the seeds of `part` of `parts`, `many` in all, until one fails.
template <class Run>
void run_seeds(std::uint64_t part, std::uint64_t parts, std::uint64_t many, Run&& run) {
  const SeedRange seeds(part, parts, many);
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    run(seed);
    ASSERT_FALSE(testing::Test::HasFailure())
        << "POLDER_TEST_SEED=" << seed << " takes this course again, at commit " << POLDER_COMMIT;
  }
}

}  // namespace polder::test

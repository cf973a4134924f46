// Seeds of a test, in parts that run beside each other. POLDER_TEST_SEEDS says how many all parts have together;
// POLDER_TEST_SEED names one, which takes its course again.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace polder::test {

// Runs run(seed) for the seeds of `part` of `parts`, `many` in all, until one fails.
template <class Run>
void run_seeds(std::uint64_t part, std::uint64_t parts, std::uint64_t many, Run&& run) {
  const char *const one = std::getenv("POLDER_TEST_SEED"), *const number = std::getenv("POLDER_TEST_SEEDS");
  const std::uint64_t each = (number == nullptr ? many : std::strtoull(number, nullptr, 10)) / parts;
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1 + part * each;
  for (std::uint64_t seed = first; seed < first + (one != nullptr ? 1 : each); ++seed) {
    run(seed);
    ASSERT_FALSE(testing::Test::HasFailure())
        << "POLDER_TEST_SEED=" << seed << " takes this course again, at commit " << POLDER_COMMIT;
  }
}

}  // namespace polder::test

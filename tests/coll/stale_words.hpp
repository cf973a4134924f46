// Vectors for tests of the stale-synchronous allreduce that say themselves what was added up: each element of a sum
// counts the contributions of every member, and has the sum of noise that tells them apart.
#pragma once

#include "util/random.hpp"

#include <polder/types.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::test {

struct StaleWords {
  using Words = std::vector<std::uint64_t>;
  static constexpr unsigned kBits = 7;  // of a count
  static constexpr Rank kMembers = 7;
  static constexpr std::uint64_t kMost = (1u << kBits) - 1;

  Rank members = 1;
  std::size_t count = 0;  // elements
  std::uint64_t seed = 0;

  // The n-th contribution of a member, from 1 on.
  std::uint64_t given(Rank member, std::uint64_t n, std::size_t i) const {
    const std::uint64_t noise = util::mix(util::mix(seed * 128 + n) ^ (member * 100'003 + i));
    return (noise << kBits * kMembers) + (std::uint64_t{1} << kBits * member);
  }
  Words given(Rank member, std::uint64_t n) const {
    Words words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = given(member, n, i);
    return words;
  }

  static std::uint64_t counted(std::uint64_t element, Rank member) { return element >> kBits * member & kMost; }

  // Each contribution that is in it is in it once, and they are the first ones of their member.
  void expect_whole(const Words& sum) const {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t expected = 0;
      for (Rank member = 0; member < members; ++member)
        for (std::uint64_t n = 1; n <= counted(sum[i], member); ++n) expected += given(member, n, i);
      ASSERT_EQ(sum[i], expected) << "element " << i;
    }
  }

  std::uint64_t least(const Words& sum, Rank member) const {
    std::uint64_t least = kMost;
    for (const std::uint64_t element : sum) least = std::min(least, counted(element, member));
    return least;
  }
  std::uint64_t most(const Words& sum, Rank member) const {
    std::uint64_t most = 0;
    for (const std::uint64_t element : sum) most = std::max(most, counted(element, member));
    return most;
  }
};

}  // namespace polder::test

#include "util/copy_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace polder::util {
namespace {

constexpr std::size_t kPage = 4096, kMost = 70'000;

// Every way in which both may lie to each other and to cache lines, with what is in front and behind left as it was.
template <class Copy>
void check(Copy&& copy) {
  std::vector<unsigned char> from(kMost + 2 * kPage), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 251);
  for (const std::size_t bytes : {0, 1, 63, 64, 1023, 1024, 4095, 4096, 4097, 65'536, 70'000})
    for (const std::size_t begin : {0, 1, 48, 63})
      for (const std::size_t behind : {0, 1, 15, 16, 31, 32, 63, 64, 4095}) {
        std::fill(to.begin(), to.end(), 0xa5);
        const std::size_t place = (begin + behind) % kPage;
        copy(to.data() + place, from.data() + begin, bytes);
        const auto written = to.begin() + std::ptrdiff_t(place), end = written + std::ptrdiff_t(bytes);
        const auto untouched = [](unsigned char byte) { return byte == 0xa5; };
        ASSERT_TRUE(std::equal(written, end, from.begin() + std::ptrdiff_t(begin)))
            << bytes << " " << begin << " " << behind;
        ASSERT_TRUE(std::all_of(to.begin(), written, untouched) && std::all_of(end, to.end(), untouched)) << bytes;
      }
}

TEST(CopyBlock, IsMemcpyWhereverBothLie) {
  check(copy_block);
}

TEST(CopyBlock, IsMemcpyPastTheCache) {
  check(copy_block_past_cache);
}

}  // namespace
}  // namespace polder::util

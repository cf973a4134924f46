// Any words as where the copies of an epoch lie: refused, or places that do not overlap, in a job of as many ranks.
#include "ckpt/epoch_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace polder;
  using namespace polder::ckpt;
  constexpr Rank kJob = 40;
  std::vector<std::uint64_t> words(size / 8);
  if (!words.empty()) std::memcpy(words.data(), bytes, words.size() * 8);
  const auto saved = decode_epoch(words, kJob);
  if (!saved.ok()) {
    if (saved.status().code() != Code::system) std::abort();
    return 0;
  }
  if (encode_epoch(*saved) != words) std::abort();
  const CopyLayout& layout = saved->layout;
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> taken(layout.members());  // by keeper: begin, end
  for (std::size_t member = 0; member < layout.members(); ++member) {
    if (saved->ranks[member] >= kJob || layout.keepers(member).size() != layout.mirrors() + 1) std::abort();
    for (const std::size_t keeper : layout.keepers(member))
      for (const unsigned half : {0u, 1u}) {
        const std::uint64_t place = layout.place(member, keeper, half);
        taken[keeper].emplace_back(place, place + sizeof(CopyHeader) + layout.bytes(member));
      }
  }
  for (std::size_t keeper = 0; keeper < taken.size(); ++keeper) {
    std::sort(taken[keeper].begin(), taken[keeper].end());
    for (std::size_t i = 1; i < taken[keeper].size(); ++i)
      if (taken[keeper][i].first < taken[keeper][i - 1].second) std::abort();
    if (!taken[keeper].empty() && taken[keeper].back().second > layout.memory(keeper)) std::abort();
  }
  return 0;
}

// Where the copies of an epoch are comes from another member, and is checked before memory is taken for it.
#include "ckpt/epoch_words.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace polder::ckpt {
namespace {

constexpr Rank kJob = 9;

SavedEpoch three_parts() {
  SavedEpoch saved;
  saved.epoch = 12;
  saved.segment = 3;
  saved.ranks = {1, 4, 8};
  saved.layout = CopyLayout({{100, 0}, {0, 1}, {70'000, 1}}, 2);
  return saved;
}

TEST(EpochWords, AreWhatWasSaid) {
  const SavedEpoch said = three_parts();
  const auto words = encode_epoch(said);
  EXPECT_EQ(words.size(), words_of_epoch(3));
  const auto heard = decode_epoch(words, kJob);
  ASSERT_TRUE(heard.ok());
  EXPECT_EQ(heard->epoch, 12u);
  EXPECT_EQ(heard->segment, 3u);
  EXPECT_EQ(heard->ranks, said.ranks);
  EXPECT_EQ(heard->layout.mirrors(), 2u);
  for (std::size_t member = 0; member < 3; ++member) {
    EXPECT_EQ(heard->layout.bytes(member), said.layout.bytes(member));
    EXPECT_EQ(heard->layout.keepers(member), said.layout.keepers(member));
    for (const std::size_t keeper : said.layout.keepers(member))
      EXPECT_EQ(heard->layout.place(member, keeper, 1), said.layout.place(member, keeper, 1));
  }
}

TEST(EpochWords, OfAnotherJobAreRefused) {
  const auto words = encode_epoch(three_parts());
  const auto refused = [&](std::size_t place, std::uint64_t word) {
    auto changed = words;
    changed[place] = word;
    return decode_epoch(changed, kJob).status().code() == Code::system;
  };
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  EXPECT_TRUE(refused(1, kSegmentIdLimit));
  EXPECT_TRUE(refused(2, 3));      // as many mirrors as there are parts
  EXPECT_TRUE(refused(2, kHuge));  // for each of which there would be an entry
  EXPECT_TRUE(refused(3, kJob));   // a rank
  EXPECT_TRUE(refused(4, kHuge));  // bytes: their sum would begin anew
  EXPECT_TRUE(refused(4, kHuge / 8));
  EXPECT_FALSE(refused(5, kHuge));  // nodes have any names
  for (std::size_t many = 0; many < words.size(); ++many)
    EXPECT_FALSE(decode_epoch(std::span(words).first(many), kJob).ok()) << many;
  EXPECT_FALSE(decode_epoch(words, 2).ok()) << "more parts than ranks";
}

}  // namespace
}  // namespace polder::ckpt

#include "ckpt/epoch_words.hpp"

namespace polder::ckpt {
namespace {

constexpr std::size_t kHeadWords = 3, kPartWords = 3;

}  // namespace

std::size_t words_of_epoch(std::size_t parts) {
  return kHeadWords + kPartWords * parts;
}

std::vector<std::uint64_t> encode_epoch(const SavedEpoch& saved) {
  std::vector<std::uint64_t> words = {saved.epoch, saved.segment, saved.layout.mirrors()};
  for (std::size_t i = 0; i < saved.ranks.size(); ++i)
    for (const std::uint64_t word :
         {std::uint64_t(saved.ranks[i]), saved.layout.parts()[i].bytes, saved.layout.parts()[i].node})
      words.push_back(word);
  return words;
}

SavedEpoch decode_epoch(std::span<const std::uint64_t> words) {
  SavedEpoch saved;
  saved.epoch = words[0];
  saved.segment = SegmentId(words[1]);
  std::vector<MemberPart> parts;
  for (std::size_t at = kHeadWords; at < words.size(); at += kPartWords) {
    saved.ranks.push_back(Rank(words[at]));
    parts.push_back({.bytes = words[at + 1], .node = words[at + 2]});
  }
  saved.layout = CopyLayout(std::move(parts), std::uint32_t(words[2]));
  return saved;
}

}  // namespace polder::ckpt

#include "ckpt/epoch_words.hpp"

#include <string>
#include <utility>

namespace polder::ckpt {
namespace {

constexpr std::size_t kHeadWords = 3, kPartWords = 3;
constexpr std::uint64_t kAddressable = std::uint64_t{1} << 60;  // bytes, more than any machine has

Status wrong(const std::string& what) {
  return Status(Code::system, "checkpoint: what a member says of an epoch is not of this job: " + what);
}

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

Result<SavedEpoch> decode_epoch(std::span<const std::uint64_t> words, Rank job_size) {
  const std::size_t parts = words.size() / kPartWords - 1;
  if (words.size() < words_of_epoch(1) || words.size() != words_of_epoch(parts) || parts > job_size)
    return wrong("its parts fill " + std::to_string(words.size()) + " words");
  if (words[1] >= kSegmentIdLimit || words[2] >= parts)
    return wrong(std::to_string(words[2]) + " mirrors in segment " + std::to_string(words[1]));
  SavedEpoch saved;
  saved.epoch = words[0];
  saved.segment = SegmentId(words[1]);
  std::vector<MemberPart> layout;
  for (std::size_t at = kHeadWords; at < words.size(); at += kPartWords) {
    // A member keeps two halves of at most one copy of each part.
    if (words[at] >= job_size || words[at + 1] > kAddressable / 2 / parts)
      return wrong("a part of " + std::to_string(words[at + 1]) + " bytes of rank " + std::to_string(words[at]));
    saved.ranks.push_back(Rank(words[at]));
    layout.push_back({.bytes = words[at + 1], .node = words[at + 2]});
  }
  saved.layout = CopyLayout(std::move(layout), std::uint32_t(words[2]));
  return saved;
}

}  // namespace polder::ckpt

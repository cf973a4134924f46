#include "coll/agreement/opinion.hpp"

#include "util/assert.hpp"

namespace polder::coll {

void Opinion::encode(std::span<std::uint64_t> words) const {
  const std::uint64_t head[kHead] = {number,
                                     ballot,
                                     std::uint64_t(stage),
                                     accepted_in,
                                     value.bits,
                                     value.dissenter,
                                     value.incarnation,
                                     previous.bits,
                                     previous.dissenter,
                                     previous.incarnation};
  auto at = std::copy(std::begin(head), std::end(head), words.begin());
  at = std::copy(value.failed.words().begin(), value.failed.words().end(), at);
  std::copy(previous.failed.words().begin(), previous.failed.words().end(), at);
}

void Opinion::decode(std::span<const std::uint64_t> words) {
  POLDER_ASSERT(words.size() >= kHead + 2 * value.failed.words().size());
  number = words[0];
  ballot = Rank(words[1]);
  stage = Stage(std::min(words[2], std::uint64_t(Stage::committed)));
  accepted_in = Rank(words[3]);
  value.bits = words[4];
  value.dissenter = Rank(words[5]);
  value.incarnation = words[6];
  previous.bits = words[7];
  previous.dissenter = Rank(words[8]);
  previous.incarnation = words[9];
  const std::size_t set = value.failed.words().size();
  std::copy_n(words.begin() + kHead, set, value.failed.words().begin());
  std::copy_n(words.begin() + std::ptrdiff_t(kHead + set), set, previous.failed.words().begin());
}

}  // namespace polder::coll

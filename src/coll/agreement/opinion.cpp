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

bool Opinion::decode(std::span<const std::uint64_t> words, Rank members) {
  POLDER_ASSERT(words.size() >= Opinion::words(members) &&
                value.failed.words().size() == MemberSet(members).words().size());
  const auto is_member = [&](std::uint64_t word) { return word < members; };
  const auto is_member_or_none = [&](std::uint64_t word) { return word < members || word == kNoMember; };
  if (!is_member(words[1]) || words[2] > std::uint64_t(Stage::committed)) return false;
  if (!is_member_or_none(words[3]) || !is_member_or_none(words[5]) || !is_member_or_none(words[8])) return false;
  // Whoever did not set all bits has a name, once there is a value.
  const bool has_previous = words[0] > 1, has_value = has_previous || Stage(words[2]) != Stage::entered;
  if (has_value && words[4] != ~std::uint64_t{0} && !is_member(words[5])) return false;
  if (has_previous && words[7] != ~std::uint64_t{0} && !is_member(words[8])) return false;
  number = words[0];
  ballot = Rank(words[1]);
  stage = Stage(words[2]);
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
  return true;
}

}  // namespace polder::coll

// Any words as what a member of an agreement shows: refused, or an opinion that names members only and travels as it came.
#include "coll/agreement/opinion.hpp"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace polder;
  using namespace polder::coll;
  if (size < 1) return 0;
  const Rank members = 1 + bytes[0] % 200;
  std::vector<std::uint64_t> words(Opinion::words(members));
  std::memcpy(words.data(), bytes + 1, std::min(size - 1, words.size() * 8));
  Opinion opinion = Opinion::of(members);
  if (!opinion.decode(words, members)) return 0;
  const auto none_or_member = [&](Rank member) { return member == kNoMember || member < members; };
  if (opinion.ballot >= members || !none_or_member(opinion.accepted_in) || !none_or_member(opinion.value.dissenter) ||
      !none_or_member(opinion.previous.dissenter) || opinion.stage > Stage::committed)
    std::abort();
  for (Rank member = 0; member < members; ++member) (void)opinion.value.failed.has(member);
  std::vector<std::uint64_t> again(words.size());
  opinion.encode(again);
  if (again != words) std::abort();
  return 0;
}

// What a member of an agreement shows to the others.
#pragma once

#include <polder/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::coll {

// Some of 0 .. size-1.
class MemberSet {
 public:
  MemberSet() = default;
  explicit MemberSet(Rank size) : words_((std::size_t{size} + 63) / 64) {}

  bool has(Rank member) const { return (words_[member / 64] >> (member % 64) & 1) != 0; }
  void add(Rank member) { words_[member / 64] |= std::uint64_t{1} << (member % 64); }
  void add(const MemberSet& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }
  std::span<std::uint64_t> words() { return words_; }
  std::span<const std::uint64_t> words() const { return words_; }
  bool operator==(const MemberSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

inline constexpr Rank kNoMember = ~Rank{0};

// What is agreed on.
struct Decision {
  std::uint64_t bits = 0;      // set at all that took part
  Rank dissenter = kNoMember;  // the lowest member that did not set all
  MemberSet failed;            // took no part, or was known to be gone before the end
  // Which one of the groups of these ranks, one after the other, has decided: the lowest name that a member gave it.
  std::uint64_t incarnation = ~std::uint64_t{0};
  bool operator==(const Decision&) const = default;

  void combine(const Decision& other) {
    bits &= other.bits;
    dissenter = std::min(dissenter, other.dissenter);
    failed.add(other.failed);
    incarnation = std::min(incarnation, other.incarnation);
  }
};

// How far a member has come in a ballot.
enum class Stage : std::uint8_t {
  entered,       // it takes no part in earlier ballots any more
  contributed,   // `value` is that of the member and of all below it
  accepted,      // `value` is what the leader proposes
  acknowledged,  // so have all below it
  committed,     // so have all: it is decided
};

struct Opinion {
  std::uint64_t number = 0;  // of the agreement
  Rank ballot = 0;           // the member that leads it
  Stage stage = Stage::entered;
  Rank accepted_in = kNoMember;  // the latest ballot in which `value` was proposed; kNoMember: in none
  Decision value;
  Decision previous;  // of the agreement before this one
  bool operator==(const Opinion&) const = default;

  static Opinion of(Rank members) {
    Opinion empty;
    empty.value.failed = empty.previous.failed = MemberSet(members);
    return empty;
  }

  static constexpr std::size_t kHead = 10;
  static std::size_t words(Rank members) { return kHead + 2 * MemberSet(members).words().size(); }
  void encode(std::span<std::uint64_t> words) const;
  // Of words() words of another member, which are not believed. False: no member says that, and nothing has changed.
  // REQUIRES: made by of(), for as many members.
  [[nodiscard]] bool decode(std::span<const std::uint64_t> words, Rank members);
};

}  // namespace polder::coll

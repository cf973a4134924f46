#include "local_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace terasort {
namespace {

constexpr int kFirstBits = 11;
constexpr int kNextBits = 8;
constexpr std::size_t kFew = 24;  // insertion sort is faster below

void insertion_sort(std::span<PlacedKey> entries) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const PlacedKey entry = entries[i];
    std::size_t to = i;
    for (; to > 0 && entry < entries[to - 1]; --to) entries[to] = entries[to - 1];
    entries[to] = entry;
  }
}

// Which bits of a key make a digit. Bits are counted from the lowest of the 80 of a key.
class Digit {
 public:
  // The digit from the highest bit down in which any two of `entries` differ; none if all keys are equal.
  static Digit highest_difference(std::span<const PlacedKey> entries) {
    std::uint64_t prefix = 0;
    std::uint64_t tail = 0;
    for (const PlacedKey& entry : entries) {
      prefix |= entry.prefix ^ entries[0].prefix;
      tail |= entry.tail ^ entries[0].tail;
    }
    tail >>= kPositionBits;
    if (prefix != 0) return Digit(true, std::max(0, int(std::bit_width(prefix)) - kNextBits));
    if (tail != 0) return Digit(false, std::max(0, int(std::bit_width(tail)) - kNextBits) + kPositionBits);
    return Digit(false, -1);
  }

  bool none() const { return shift_ < 0; }
  std::size_t of(const PlacedKey& entry) const {
    return ((in_prefix_ ? entry.prefix : entry.tail) >> shift_) & ((1u << kNextBits) - 1);
  }

 private:
  Digit(bool in_prefix, int shift) : in_prefix_(in_prefix), shift_(shift) {}

  bool in_prefix_;
  int shift_;
};

// Moves `from` to `to`, ordered by `digit_of`, which is below starts.size(). Afterwards starts[d] is where digit d
// ends.
template <class DigitOf>
void scatter(std::span<const PlacedKey> from, std::span<PlacedKey> to, std::span<std::size_t> starts,
             DigitOf&& digit_of) {
  std::fill(starts.begin(), starts.end(), 0);
  for (const PlacedKey& entry : from) ++starts[digit_of(entry)];
  std::size_t sum = 0;
  for (std::size_t& start : starts) start = std::exchange(sum, sum + start);
  for (const PlacedKey& entry : from) to[starts[digit_of(entry)]++] = entry;
}

// Sorts `entries`; the result is in `other` if `into_other`, else in place. Both are as long.
void sort_bucket(std::span<PlacedKey> entries, std::span<PlacedKey> other, bool into_other) {
  const auto deliver = [&] {
    if (into_other) std::copy(entries.begin(), entries.end(), other.begin());
  };
  if (entries.size() <= kFew) {
    insertion_sort(entries);
    return deliver();
  }
  const Digit digit = Digit::highest_difference(entries);
  if (digit.none()) return deliver();

  std::array<std::size_t, std::size_t{1} << kNextBits> ends;
  scatter(entries, other, ends, [&](const PlacedKey& entry) { return digit.of(entry); });
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::size_t count = end - begin;
    if (count > 0) sort_bucket(other.subspan(begin, count), entries.subspan(begin, count), !into_other);
    begin = end;
  }
}

}  // namespace

void sort_entries(std::span<PlacedKey> entries, std::span<PlacedKey> scratch, PrefixRange range) {
  if (entries.size() < (std::size_t{1} << kFirstBits)) return sort_bucket(entries, scratch, false);
  const int shift = std::max(0, int(std::bit_width(range.highest - range.lowest)) - kFirstBits);
  std::vector<std::size_t> ends(std::size_t{1} << kFirstBits);
  scatter(entries, scratch, ends,
          [&](const PlacedKey& entry) { return std::size_t((entry.prefix - range.lowest) >> shift); });
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::size_t count = end - begin;
    if (count > 0) sort_bucket(scratch.subspan(begin, count), entries.subspan(begin, count), true);
    begin = end;
  }
}

}  // namespace terasort

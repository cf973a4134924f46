// A sum of floating-point numbers that does not depend on the order in which they are added, nor on who adds which of
// them: a member adds up its own in it, and exact reductions (collective.hpp) combine it.
//
//   ExactSum sum, all;
//   for (const double x : mine) sum.add(x);
//   Status status = allreduce(group, exact_sums(1), &sum, &all, 1s);   // all.number() is the same for any number of members
//
// How: a number is cut into pieces of 32 bits at fixed places, and pieces of the same place are added as integers, which
// is exact. Five places are kept, from the one that the largest number reaches downwards. So each number is cut off at
// less than 2^-116 of the largest one, wherever it is added: the sum of n numbers is off by less than n 2^-116 of the
// largest, and is rounded once. 48 bytes.
// After Demmel and Nguyen, "Parallel Reproducible Summation", IEEE Trans. Comp. 2015 (ReproBLAS), and Collange, Defour,
// Graillat and Iakymchuk, "Numerical reproducibility for the parallel reduction on multi- and many-core architectures",
// Parallel Computing 2015.
#pragma once

#include <polder/export.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace polder {

// Of up to 2^31 numbers, those of sums that are added to it included. All bytes 0 are the sum of none.
class ExactSum {
 public:
  void add(double number) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(number);
    const auto exponent = std::uint32_t(bits >> 52 & 0x7ff);
    std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
    const bool is_negative = (bits >> 63) != 0;
    if (exponent == 0x7ff) {
      odd_ |= digits != 0 ? kNoNumber : is_negative ? kBelowAll : kAboveAll;
      return;
    }
    if (exponent != 0) digits |= std::uint64_t{1} << 52;
    if (digits == 0) return;
    // The last digit counts 2^(exponent - 1075); places begin 1088 below 1.
    const std::uint32_t at = (exponent != 0 ? exponent : 1) - 1075 + 1088, place = at / kWidth, shift = at % kWidth;
    raise(place + 2);
    const std::uint64_t sign = is_negative ? ~std::uint64_t{0} : 0;
    add_piece(place, digits << shift & kPiece, sign);
    add_piece(place + 1, digits >> (kWidth - shift) & kPiece, sign);
    if (shift != 0) add_piece(place + 2, digits >> (2 * kWidth - shift), sign);
  }

  void add(const ExactSum& other) {
    odd_ |= other.odd_;
    raise(other.top_);
    const std::uint32_t below = top_ - other.top_;
    for (std::uint32_t i = 0; i + below < kPlaces; ++i) pieces_[i + below] += other.pieces_[i];
  }

  // To the nearest, ties to even. An infinity or what is no number comes out as IEEE 754 adds them; a zero is positive.
  POLDER_API double number() const;
  POLDER_API float single() const;
  // The next float towards 0, with an odd last digit unless it is the sum itself: what is rounded once more to at most
  // 22 digits is rounded as the sum would be.
  POLDER_API float odd_single() const;

 private:
  static constexpr std::uint32_t kPlaces = 5, kWidth = 32;
  static constexpr std::uint64_t kPiece = 0xffffffff;
  static constexpr std::uint32_t kAboveAll = 1, kBelowAll = 2, kNoNumber = 4;  // bits of odd_

  void raise(std::uint32_t top) {
    if (top <= top_) return;
    const std::uint32_t by = top - top_;
    for (std::uint32_t i = kPlaces; i-- > 0;) pieces_[i] = i >= by ? pieces_[i - by] : 0;
    top_ = top;
  }
  void add_piece(std::uint32_t place, std::uint64_t piece, std::uint64_t sign) {
    const std::uint32_t below = top_ - place;
    if (below < kPlaces) pieces_[below] += std::int64_t((piece ^ sign) - sign);
  }
  long double rounded_to_odd() const;

  std::uint32_t top_ = 0;  // pieces_[i] counts 2^(32 (top_ - i) - 1088); 0: no number has been added
  std::uint32_t odd_ = 0;
  std::int64_t pieces_[kPlaces] = {};
};
static_assert(sizeof(ExactSum) == 48);

}  // namespace polder

// One line of a .prv, as numbers: most of its text is numbers, and shorter as such.
#pragma once

#include <polder/types.hpp>

#include <cstdint>
#include <string>

namespace polder::trace::paraver {

struct PrvRecord {
  enum class What : std::uint8_t { state, event, communication };
  static constexpr int kMostNumbers = 12;

  std::int64_t time = 0;
  Rank rank = 0;
  std::uint16_t thread = 0;
  What what = What::event;
  std::uint8_t count = 0;              // of numbers
  std::int64_t numbers[kMostNumbers];  // the first `count`; the rest is not set, for there are four records an event

  void add(std::int64_t number) {
    if (count < kMostNumbers) numbers[count++] = number;
  }
  void add(int type, std::int64_t value) {
    add(std::int64_t(type));
    add(value);
  }
};

// The line, with its end.
void append_line(std::string& text, const PrvRecord& record);

// A record without its time, in some ten bytes: what is near the time, or to the first event type, as the difference.
// As bytes because five hundred million of them are sorted on disk.
// `bytes` has room for kMostPacked. Behind those that it took.
char* pack(char* bytes, const PrvRecord& record);
// The other way, for a record whose time is set. REQUIRES: pack() made them.
const char* unpack(const char* bytes, PrvRecord& record);

// Numbers of 7 bits a byte, negative ones beside positive ones of their size.
char* pack_number(char* bytes, std::int64_t number);
const char* unpack_number(const char* bytes, std::int64_t& number);
inline constexpr std::size_t kMostPackedNumber = 10;
inline constexpr std::size_t kMostPacked = 1 + (2 + PrvRecord::kMostNumbers) * kMostPackedNumber;

}  // namespace polder::trace::paraver

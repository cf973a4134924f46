// Which events are wanted: by kind, size and time. What is left out is counted.
#pragma once

#include "trace/format/event.hpp"

#include <polder/status.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::trace {

// Read by all threads while one adds to it.
class KindSet {
 public:
  KindSet() = default;
  KindSet(const KindSet& other) { *this = other; }
  KindSet& operator=(const KindSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = other.words_[i].load(std::memory_order_relaxed);
    return *this;
  }

  bool has(EventKind kind) const {
    return (word(kind).load(std::memory_order_relaxed) >> (std::uint16_t(kind) % 64) & 1) != 0;
  }
  void add(EventKind kind) {
    word(kind).fetch_or(std::uint64_t{1} << (std::uint16_t(kind) % 64), std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kWords = 1024;  // all that 16 bits can say
  const std::atomic<std::uint64_t>& word(EventKind kind) const { return words_[std::uint16_t(kind) / 64]; }
  std::atomic<std::uint64_t>& word(EventKind kind) { return words_[std::uint16_t(kind) / 64]; }

  std::array<std::atomic<std::uint64_t>, kWords> words_ = {};
};

class EventSelection {
 public:
  // True if everything is wanted: then nobody needs to ask.
  bool all() const { return !by_kind_ && least_bytes_ == 0 && !window_; }

  bool wants(const Event& event) const {
    if (by_kind_ && !kinds_.has(event.kind)) return false;
    if (event.bytes < least_bytes_ && carry_data_.has(event.kind)) return false;
    return !window_ || (event.end_ns >= from_ && event.begin_ns <= to_);
  }

  // Names of kinds or of categories, separated by commas: "put_notify,sync". Kinds that are named later (of doors, of
  // users) are judged when add() hears of them: by their own words and by those of the shared kind that they are like.
  // Empty: all.
  void set_kinds(std::string_view names);
  void add(std::span<const KindName> names);
  // Words of set_kinds() that no kind which add() heard of is called, nor its category, separated by commas.
  std::string unknown_words() const;

  // Puts, gets and what is like them are left out if they have fewer bytes.
  void set_least_bytes(std::uint64_t bytes) { least_bytes_ = bytes; }

  // Ticks; what touches the window is in it.
  bool has_window() const { return window_; }
  std::int64_t from() const { return from_; }
  std::int64_t to() const { return to_; }
  void set_window(std::int64_t from, std::int64_t to) {
    window_ = true;
    from_ = from;
    to_ = to;
  }

 private:
  static bool carries_data(EventKind like) {
    return like >= EventKind::put && like <= EventKind::accumulate && like != EventKind::notify;
  }
  // Whether one of the words means it; those that do are known from now on.
  bool named_as(const KindName& entry);

  bool by_kind_ = false;
  bool window_ = false;
  std::uint64_t least_bytes_ = 0;
  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
  struct Word {
    std::string text;
    bool known = false;
  };
  std::vector<Word> words_;
  KindSet kinds_, carry_data_;
};

// Whether `ranks`, as in "0,4-7", names `rank`; an empty text names all. invalid_argument: it says something else.
Result<bool> names_rank(std::string_view ranks, Rank rank);

// "2..5", "2.." or "..5", in seconds. invalid_argument: it says something else.
struct Window {
  double from_s = 0;
  double to_s = 1e9;
};
Result<Window> window_of(std::string_view text);

}  // namespace polder::trace

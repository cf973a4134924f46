#include "rating_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace mf {
namespace {

constexpr std::size_t kChunk = 1 << 20, kLongest = 1 << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kFields = 4;
constexpr const char* kNames[kFields] = {"a user", "an item", "a rating", "a time"};

std::string_view separator_of(Format format) {
  switch (format) {
    case Format::colons: return "::";
    case Format::commas: return ",";
    case Format::tabs: break;
  }
  return "\t";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \r") - begin + 1);
}

template <class T>
bool parse_number(std::string_view word, T& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

// Whether a field is what it should be.
bool parse_field(std::string_view word, std::size_t field, Rating& rating) {
  std::int64_t time = 0;
  switch (field) {
    case 0: return parse_number(word, rating.user);
    case 1: return parse_number(word, rating.item);
    case 2: return parse_number(word, rating.value) && std::abs(rating.value) <= 1e9;
    default: return parse_number(word, time);
  }
}

}  // namespace

Result<Format> format_of(std::string_view first_line) {
  if (first_line.find("::") != std::string_view::npos) return Format::colons;
  if (first_line.find(',') != std::string_view::npos) return Format::commas;
  if (first_line.find('\t') != std::string_view::npos) return Format::tabs;
  return Status(
      Code::invalid_argument,
      "line 1 has none of the separators of ratings: '::' (ratings.dat), ',' (ratings.csv) or a tab (u.data)");
}

bool names_columns(std::string_view line) {
  line = trimmed(line);
  return !line.empty() && (line[0] < '0' || line[0] > '9') && line.find(',') != std::string_view::npos;
}

ParsedLine parse_line(std::string_view line, Format format, bool wants_value) {
  const std::string_view separator = separator_of(format);
  const std::size_t needed = wants_value ? 3 : 2;
  ParsedLine parsed;
  std::size_t at = 0, fields = 0;
  for (bool is_last = false; !is_last; ++fields) {
    const std::size_t end = line.find(separator, at);
    is_last = end == std::string_view::npos;
    const std::string_view word = trimmed(line.substr(at, is_last ? end : end - at));
    parsed.column = at + 1;
    if (fields == kFields) {
      parsed.wrong = "has more than the fields user, item, rating, time";
      return parsed;
    }
    if (!parse_field(word, fields, parsed.rating)) {
      parsed.wrong = "has '" + std::string(word.substr(0, 40)) + "' where " + kNames[fields] + " is expected";
      return parsed;
    }
    at = is_last ? line.size() : end + separator.size();
  }
  parsed.column = line.size() + 1;
  if (fields < needed) parsed.wrong = "ends where " + std::string(kNames[fields]) + " is expected";
  return parsed;
}

Status RatingLines::run() {
  const std::uint64_t begin = at_;
  std::string line;
  if (begin != 0) {
    // The line that the part begins in the middle of is the previous part's; the byte before tells.
    at_ = begin - 1;
    if (Status status = next_line(line); !status.ok()) return status;
  }
  while (at_ < end_ && last_.wrong.empty()) {
    const bool is_first = at_ == 0;
    line.clear();
    if (Status status = next_line(line); !status.ok()) return status;
    ++lines;
    if (is_first && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (!last_.wrong.empty() || trimmed(line).empty()) continue;
    if (is_first && format_ == Format::commas && names_columns(line)) continue;
    last_ = parse_line(line, format_, wants_value_);
    if (last_.wrong.empty()) ratings.push_back(last_.rating);
  }
  return {};
}

// The line at `at_`, which then is behind it.
Status RatingLines::next_line(std::string& line) {
  while (at_ < size_) {
    if (at_ < chunk_begin_ || at_ >= chunk_begin_ + chunk_.size())
      if (Status status = read_chunk(); !status.ok()) return status;
    const std::string_view rest = std::string_view(chunk_).substr(at_ - chunk_begin_);
    const std::size_t end = rest.find('\n');
    line.append(rest.substr(0, end));
    at_ += end == std::string_view::npos ? rest.size() : end + 1;
    if (end != std::string_view::npos) return {};
    if (line.size() > kLongest) {
      last_ = {.rating = {}, .wrong = "is longer than any line of ratings", .column = 1};
      return {};
    }
  }
  return {};
}

Status RatingLines::read_chunk() {
  chunk_begin_ = at_;
  chunk_.resize(std::min<std::uint64_t>(kChunk, size_ - at_));
  return file_.read_at(at_, std::as_writable_bytes(std::span(chunk_)));
}

}  // namespace mf

#include "topology/json_cursor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace polder::topology {

char JsonCursor::peek() {
  at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::take(char wanted) {
  if (peek() != wanted || at_ == text_.size()) return false;
  ++at_;
  return true;
}

Result<std::string_view> JsonCursor::string() {
  if (!take('"')) return wrong("no text in quotes");
  const std::size_t begin = at_;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (static_cast<unsigned char>(text_[at_]) < 0x20) return wrong("a control character in a text");
    if (text_[at_] == '\\') ++at_;  // what it escapes is no end
  }
  if (at_ >= text_.size()) {
    at_ = text_.size();
    return wrong("a text without an end");
  }
  return text_.substr(begin, at_++ - begin);
}

Result<double> JsonCursor::number() {
  const char first = peek();
  if (first != '-' && !(first >= '0' && first <= '9')) return wrong("no number");
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return wrong("no number that fits");
  at_ = std::size_t(end - text_.data());
  return value;
}

Status JsonCursor::skip_below(int depth) {
  if (depth == kDeepest) return wrong("values in each other more than " + std::to_string(kDeepest) + " deep");
  switch (peek()) {
    case '{': return members([&](std::string_view) { return skip_below(depth + 1); });
    case '[': return items([&] { return skip_below(depth + 1); });
    case '"': return string().status();
    case 't': return skip_word("true");
    case 'f': return skip_word("false");
    case 'n': return skip_word("null");
    default: return number().status();
  }
}

Status JsonCursor::skip_word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return wrong("no value");
  at_ += word.size();
  return {};
}

Status JsonCursor::wrong(const std::string& what) const {
  return {Code::invalid_argument, "byte " + std::to_string(at_) + ": " + what};
}

}  // namespace polder::topology

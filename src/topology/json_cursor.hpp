// JSON, read from front to back, of which nothing is kept: whoever reads it takes what it wants and skips the rest. RFC 8259.
#pragma once

#include <polder/status.hpp>

#include <string>
#include <string_view>

namespace polder::topology {

// Errors are invalid_argument and begin with the byte at which they were met.
class JsonCursor {
 public:
  // `text` outlives it.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // The next character that is no space; 0 at the end.
  char peek();
  bool at_end() { return peek() == '\0' && at_ == text_.size(); }
  // Passes it, if it is that one.
  bool take(char wanted);

  // Between its quotes, with escapes as they are written.
  Result<std::string_view> string();
  Result<double> number();
  // Any value.
  Status skip() { return skip_below(0); }

  // read(name) reads the value of each member; a Status that is not ok ends it.
  template <class Read>
  Status members(Read&& read);
  // read() reads each item of a list.
  template <class Read>
  Status items(Read&& read);

  // "byte 17: " and what is wrong there.
  Status wrong(const std::string& what) const;

 private:
  static constexpr int kDeepest = 64;  // lists and objects in each other

  Status skip_below(int depth);
  Status skip_word(std::string_view word);

  std::string_view text_;
  std::size_t at_ = 0;
};

template <class Read>
Status JsonCursor::members(Read&& read) {
  if (!take('{')) return wrong("no object");
  if (take('}')) return {};
  do {
    const auto name = string();
    if (!name.ok()) return name.status();
    if (!take(':')) return wrong("no ':' after a name");
    if (Status status = read(*name); !status.ok()) return status;
  } while (take(','));
  return take('}') ? Status() : wrong("neither ',' nor '}' after a member");
}

template <class Read>
Status JsonCursor::items(Read&& read) {
  if (!take('[')) return wrong("no list");
  if (take(']')) return {};
  do
    if (Status status = read(); !status.ok()) return status;
  while (take(','));
  return take(']') ? Status() : wrong("neither ',' nor ']' after an item");
}

}  // namespace polder::topology

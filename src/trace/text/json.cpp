#include "trace/text/json.hpp"

#include <cmath>
#include <cstdio>

namespace polder::trace {

namespace {

// Length of the well-formed UTF-8 character at the front of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? std::uint8_t(text[i]) : std::uint8_t(0); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool overlong = lead == 0xe0 && byte(1) < 0xa0, surrogate = lead == 0xed && byte(1) >= 0xa0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool overlong = lead == 0xf0 && byte(1) < 0x90, too_high = lead == 0xf4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

void append_escaped(std::string& to, char c) {
  if (c == '"' || c == '\\') {
    to += '\\';
    to += c;
  } else if (std::uint8_t(c) < 0x20 || c == 0x7f) {
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", unsigned(std::uint8_t(c)));
    to += text;
  } else {
    to += c;
  }
}

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 1)
      append_escaped(to, text[0]);
    else if (length == 0)
      to += "\xef\xbf\xbd";
    else
      to += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  to += '"';
}

std::string json_text(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

JsonObject& JsonObject::add(std::string_view name, const std::string& json) {
  text_ += text_.empty() ? "{" : ",";
  append_json_string(text_, name);
  text_ += ":" + json;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::int64_t number) {
  return add(name, std::to_string(number));
}

JsonObject& JsonObject::add(std::string_view name, double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::isfinite(number) ? number : 0);
  return add(name, std::string(text));
}

}  // namespace polder::trace

#include "common/text.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace apps {
namespace {

void append_values(std::string& text, const char* format, va_list values) {
  std::array<char, 512> line;
  std::vsnprintf(line.data(), line.size(), format, values);
  text += line.data();
}

}  // namespace

void append(std::string& text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  append_values(text, format, values);
  va_end(values);
}

void append_line(std::string& text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  append_values(text, format, values);
  va_end(values);
  text += '\n';
}

std::string megabytes(unsigned long long bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

}  // namespace apps

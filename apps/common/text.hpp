// Reports are put together line by line.
#pragma once

#include <string>

namespace apps {

// printf at the end of `text`; what is longer than 511 bytes is cut.
[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...);
// The same and an end of line.
[[gnu::format(printf, 2, 3)]] void append_line(std::string& text, const char* format, ...);

// "12 MB", rounded up.
std::string megabytes(unsigned long long bytes);

}  // namespace apps

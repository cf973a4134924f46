#include "trace/convert/chrome.hpp"
#include "trace/convert/streaming.hpp"

namespace polder::trace {

Result<ConvertReport> convert_to_chrome(Job& job, const std::string& output) {
  return convert_streaming<ChromeWriter>(job, output);
}

}  // namespace polder::trace

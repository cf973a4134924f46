#include "util/options.hpp"

#include "util/log.hpp"

#include <cstdlib>
#include <optional>

namespace polder::util {
namespace {

std::optional<std::int64_t> parse_number(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || value > kLargestNumber || value < -kLargestNumber) return std::nullopt;
  int shift = 0;
  switch (*end) {
    case '\0': return value;
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    default: return std::nullopt;
  }
  if (end[1] != '\0') return std::nullopt;
  if (const std::int64_t most = kLargestNumber >> shift; value > most || value < -most) return std::nullopt;
  return value * (std::int64_t{1} << shift);
}

std::optional<bool> parse_flag(const std::string& text) {
  for (const char* word : {"1", "on", "true", "yes"})
    if (text == word) return true;
  for (const char* word : {"0", "off", "false", "no"})
    if (text == word) return false;
  return std::nullopt;
}

template <class Parse>
auto parsed(const Option& option, Parse parse) {
  const std::string text = option_text(option);
  if (auto value = parse(text)) return *value;
  report_misunderstood(option, text);
  return *parse(option.default_value);
}

}  // namespace

std::string option_text(const Option& option) {
  const char* value = std::getenv(option.name);
  return value != nullptr && *value != '\0' ? value : option.default_value;
}

void report_misunderstood(const Option& option, const std::string& text) {
  log(LogLevel::warning, "%s=%s is not understood; using %s (%s)", option.name, text.c_str(), option.default_value,
      option.help);
}

std::int64_t option_number(const Option& option) {
  return parsed(option, [&](const std::string& text) {
    const auto value = parse_number(text);
    return value && *value >= option.least ? value : std::nullopt;
  });
}

bool option_flag(const Option& option) {
  return parsed(option, parse_flag);
}

std::optional<bool> option_flag_or_auto(const Option& option) {
  const std::string text = option_text(option);
  if (text == "auto") return std::nullopt;
  const auto flag = parse_flag(text);
  if (!flag) report_misunderstood(option, text);
  return flag;
}

}  // namespace polder::util

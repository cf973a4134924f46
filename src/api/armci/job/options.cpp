#include "api/armci/job/options.hpp"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace polder::armci {
namespace {

// Whether the variable names the second of two choices; the first is the default.
Result<bool> is_second(const char* variable, const std::string& first, const std::string& second) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0' || value == first) return false;
  if (value == second) return true;
  return Status(Code::invalid_argument,
                std::string(variable) + "=" + value + ": there are '" + first + "' and '" + second + "'");
}

Result<std::uint64_t> bytes_of_kilobytes(const char* variable, std::uint64_t otherwise) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return otherwise;
  constexpr std::uint64_t kMost = std::uint64_t(1) << 50;
  const std::string_view text(value);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number <= kMost) return number * 1024;
  return Status(Code::invalid_argument, std::string(variable) + "=" + value + ": not a number of kB");
}

}  // namespace

Result<Options> read_options() {
  auto returned = is_second("POLDER_ARMCI_ERRORS", "abort", "return");
  if (!returned.ok()) return std::move(returned).status();
  auto nodes = is_second("POLDER_ARMCI_TOPOLOGY", "flat", "nodes");
  if (!nodes.ok()) return std::move(nodes).status();
  auto spare = bytes_of_kilobytes("POLDER_ARMCI_SPARE_KB", Options().spare_bytes);
  if (!spare.ok()) return std::move(spare).status();
  return Options{.abort_on_error = !*returned, .tell_the_nodes = *nodes, .spare_bytes = *spare};
}

}  // namespace polder::armci

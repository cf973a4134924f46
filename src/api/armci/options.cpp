#include "api/armci/options.hpp"

#include <cstdlib>
#include <string>

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

}  // namespace

Result<Options> read_options() {
  auto returned = is_second("POLDER_ARMCI_ERRORS", "abort", "return");
  if (!returned.ok()) return std::move(returned).status();
  auto nodes = is_second("POLDER_ARMCI_TOPOLOGY", "flat", "nodes");
  if (!nodes.ok()) return std::move(nodes).status();
  return Options{.abort_on_error = !*returned, .tell_the_nodes = *nodes};
}

}  // namespace polder::armci

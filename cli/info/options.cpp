#include "bootstrap/gathered/options.hpp"
#include "core/options.hpp"
#include "device/shm/options.hpp"
#include "info/sections.hpp"
#include "util/options.hpp"

#include <fmt/format.h>

#include <span>
#include <string>

namespace polder::cli {
namespace {

struct Module {
  const char* name;
  std::span<const util::Option> options;
};

constexpr util::Option kLogOptions[] = {
    {"POLDER_LOG", "warning", "what to say on standard error: error, warning, info, debug"}};

std::string quoted(const std::string& value) {
  return value.empty() ? "(empty)" : value;
}

std::string option_line(const util::Option& option) {
  const std::string value = util::option_text(option);
  const std::string origin =
      value == option.default_value ? "default" : fmt::format("default {}", quoted(option.default_value));
  return fmt::format("    {:26}{}  ({})\n      {}\n", option.name, quoted(value), origin, option.help);
}

}  // namespace

std::string options_text() {
  const Module modules[] = {
      {"util", kLogOptions},
      {"device/shm", device::shm::options()},
      {"bootstrap/gathered", bootstrap::gathered::options()},
      {"core", core::options()},
  };
  std::string out = "  Environment variables; polder run --env NAME=VALUE sets one for all ranks.\n";
  for (const Module& module : modules) {
    out += fmt::format("  {}\n", module.name);
    for (const util::Option& option : module.options) out += option_line(option);
  }
  return out;
}

}  // namespace polder::cli

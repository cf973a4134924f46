#include "bootstrap/gathered/options.hpp"
#include "coll/lane/options.hpp"
#include "coll/table/options.hpp"
#include "core/engine/options.hpp"
#include "core/engine/plugin.hpp"
#include "device/shm/options.hpp"
#include "info/sections.hpp"
#include "topology/network_place.hpp"
#include "trace/record/options.hpp"
#include "util/options.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

namespace polder::cli {
namespace {

struct Module {
  std::string name;
  std::span<const util::Option> options;
};

constexpr util::Option kLogOptions[] = {
    {"POLDER_LOG", "warning", "what to say on standard error: error, warning, info, debug"}};

// Of libraries that are no part of this program: they read these words by themselves.
constexpr util::Option kWorkingSetOptions[] = {
    {"POLDER_SPARES", "0", "how many of the ranks are spares; polder run --spares sets it"}};
constexpr util::Option kGaspiOptions[] = {
    {"POLDER_GASPI_ERRORS", "", "quiet: the reason of a GASPI_ERROR is not printed"}};
constexpr util::Option kArmciOptions[] = {
    {"POLDER_ARMCI_ERRORS", "abort", "what an error does: abort (end the job), return (a code)"},
    {"POLDER_ARMCI_TOPOLOGY", "flat", "what programs are told of nodes: flat (each rank is one), nodes"},
    {"POLDER_ARMCI_SPARE_KB", "16384", "kilobytes of freed memory that a rank keeps for each group"}};

std::string quoted(const std::string& value) {
  return value.empty() ? "(empty)" : value;
}

std::string option_line(const util::Option& option) {
  const std::string value = util::option_text(option);
  const std::string origin =
      value == option.default_value ? "default" : fmt::format("default {}", quoted(option.default_value));
  return fmt::format("    {:27} {}  ({})\n      {}\n", option.name, quoted(value), origin, option.help);
}

// Of a plug-in that is installed; loading it takes a moment.
std::span<const util::Option> options_of_plugin(const char* kind, const char* name) {
  std::span<const util::Option> options;
  const auto found = core::find_in_plugin(kind, name, "polder_plugin_options");
  if (found.ok()) reinterpret_cast<void (*)(std::span<const util::Option>&)> (*found)(options);
  return options;
}

}  // namespace

std::string options_text() {
  std::vector<Module> modules = {
      {"util", kLogOptions},
      {"device/shm", device::shm::options()},
      {"bootstrap/gathered", bootstrap::gathered::options()},
      {"core", core::options()},
      {"coll/table", coll::table_options()},
      {"coll/lane", coll::lane_options()},
      {"trace", trace::options()},
      {"topology", topology::options()},
      {"ckpt", kWorkingSetOptions},
      {"api/gaspi", kGaspiOptions},
      {"api/armci", kArmciOptions},
  };
  for (const char* network : {"tcp", "ucx", "ofi"})
    if (const auto known = options_of_plugin("device", network); !known.empty())
      modules.push_back({std::string("device/") + network, known});
  std::string out = "  Environment variables; polder run --env NAME=VALUE sets one for all ranks.\n";
  for (const Module& module : modules) {
    out += fmt::format("  {}\n", module.name);
    for (const util::Option& option : module.options) out += option_line(option);
  }
  return out;
}

}  // namespace polder::cli

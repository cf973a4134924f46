#include "command.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace polder::cli {
namespace {

struct Section {
  const char* name;
  std::string (*text)();
};

constexpr Section kSections[] = {{"build", build_text},     {"parts", parts_text},   {"devices", device_text},
                                 {"machine", machine_text}, {"limits", limits_text}, {"collectives", collectives_text},
                                 {"options", options_text}};

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const Section& section : kSections) names.emplace_back(section.name);
  return names;
}

}  // namespace

int info_command(const Arguments& arguments) {
  CLI::App app("Shows how this Polder was built, what it finds on this machine, and what can be set.", "polder info");
  std::vector<std::string> wanted;
  app.add_option("SECTION", wanted, "only these sections")->check(CLI::IsMember(section_names()));
  bool gpi2_prefix = false;
  app.add_flag("--gpi2-prefix", gpi2_prefix, "print only the directory that has libGPI2, its headers and gaspi_run");
  std::string armci_mpi;
  app.add_option("--armci-prefix", armci_mpi, "print only the directory that has ARMCI for this MPI")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  bool dart_prefix = false;
  app.add_flag("--dart-prefix", dart_prefix, "print only the directory that has DART for a build of DASH");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  if (gpi2_prefix) return print_gpi2_prefix();
  if (!armci_mpi.empty()) return print_armci_prefix(armci_mpi);
  if (dart_prefix) return print_dart_prefix();
  for (const Section& section : kSections)
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), section.name) != wanted.end())
      fmt::print("{}{}:\n{}", &section == kSections || wanted.size() == 1 ? "" : "\n", section.name, section.text());
  return 0;
}

}  // namespace polder::cli

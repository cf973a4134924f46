// `polder tune` and `polder explain`: both start polder-tune as the ranks of a job, because what is measured is ranks.
#include "coll/lane/call_record.hpp"
#include "command.hpp"
#include "launch/run_options.hpp"
#include "quantities.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

namespace polder::cli {
namespace {

namespace fs = std::filesystem;

struct TuneWords {
  Rank ranks = 4;
  double seconds = 10;
  std::string kinds, bytes = "8", output, device;
};

// Beside this executable, or in ../libexec/polder. Empty: in neither.
fs::path find_program() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {here / "polder-tune", here / "../libexec/polder/polder-tune"})
    if (!error && fs::exists(path, error)) return path.lexically_normal();
  return {};
}

std::string all_kinds() {
  std::string all;
  for (std::uint8_t kind = 1; kind <= std::uint8_t(coll::kLastKind); ++kind)
    all += (all.empty() ? "" : ",") + std::string(to_string(coll::Kind(kind)));
  return all;
}

// Empty if all are kinds.
std::string unknown_kind(std::string_view kinds) {
  while (!kinds.empty()) {
    const std::string_view word = kinds.substr(0, kinds.find(','));
    if (!coll::kind_of(word)) return std::string(word);
    kinds.remove_prefix(std::min(kinds.size(), word.size() + 1));
  }
  return {};
}

void add_common(CLI::App& app, TuneWords& words) {
  app.add_option("-n,--ranks", words.ranks, fmt::format("how many (default: {})", words.ranks))
      ->check(CLI::Range(1, 4096));
  app.add_option("--seconds", words.seconds, fmt::format("to measure for, about (default: {:g})", words.seconds))
      ->check(CLI::Range(0.01, 3600.0));
  app.add_option("--device", words.device, "reach peers through this device");
}

int start(const TuneWords& words, const char* task, const std::string& last) {
  if (const std::string kind = unknown_kind(words.kinds); !kind.empty()) {
    fmt::print(stderr, "polder {}: there is no collective '{}'\n", task, kind);
    return kExitUsage;
  }
  const fs::path program = find_program();
  if (program.empty()) {
    fmt::print(stderr, "polder {}: polder-tune is neither beside this program nor in ../libexec/polder\n", task);
    return kExitNotFound;
  }
  Arguments run{"-n", fmt::format("{}", words.ranks)};
  if (!words.device.empty()) run.insert(run.end(), {"--device", words.device});
  run.insert(run.end(), {"--", program.string(), task, fmt::format("{}", words.seconds), words.kinds, last});
  return run_command(run);
}

}  // namespace

int tune_command(const Arguments& arguments) {
  CLI::App app(
      "Measures the algorithms of collectives among ranks of this machine, and prints a table of those that are faster "
      "than what is built in.",
      "polder tune");
  TuneWords words;
  words.kinds = all_kinds();
  add_common(app, words);
  app.add_option("--kinds", words.kinds, "with commas between them (default: all)");
  app.add_option("-o,--output", words.output, "for POLDER_COLL_TABLE (default: standard output)")->option_text("FILE");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  return start(words, "tune", words.output);
}

int explain_command(const Arguments& arguments) {
  CLI::App app("Says which algorithm a collective takes and why, and measures it beside the others.", "polder explain");
  TuneWords words;
  words.seconds = 1;
  app.add_option("COLLECTIVE", words.kinds, "one of `polder info collectives`")->required();
  app.add_option("BYTES", words.bytes,
                 "of a rank's vector, of all parts, or of a block of an alltoall, as in 64k (default: 8)");
  add_common(app, words);
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  if (words.kinds.find(',') != std::string::npos) {
    fmt::print(stderr, "polder explain: '{}' is no single collective\n", words.kinds);
    return kExitUsage;
  }
  const auto sizes = read_sizes(words.bytes);
  if (!sizes || sizes->size() != 1) {
    fmt::print(stderr, "polder explain: '{}' is no size, as in 64k\n", words.bytes);
    return kExitUsage;
  }
  return start(words, "explain", words.bytes);
}

}  // namespace polder::cli

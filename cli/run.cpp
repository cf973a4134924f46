#include "command.hpp"

#include "bootstrap/local/job_page.hpp"
#include "launch/core_order.hpp"
#include "launch/run_job.hpp"
#include "launch/run_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace polder::cli {
namespace {

constexpr Rank kMaxRanks = bootstrap::local::kMaxRanks;
constexpr double kMaxSeconds = 1e9;

// As the command line has them; times are seconds.
struct RunWords {
  RunOptions options;
  double timeout = 0;
  double grace = 2;
  std::string bind = "none";
  std::string map_by = "core";
};

// CLI11 would not mention the program, which is none of its options.
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: polder run -n N [OPTION]... [--] PROGRAM [ARGUMENT]...\n";
  }
};

// As the library reads it: "500M".
std::string check_bytes(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = text.substr(digits);
  const bool known = unit.empty() || (unit.size() == 1 && std::string("kKmMgG").find(unit) != std::string::npos);
  return digits > 0 && known ? "" : "'" + text + "' is no number of bytes, as in 500M";
}

void declare(CLI::App& app, RunWords& words) {
  RunOptions& options = words.options;
  app.formatter(std::make_shared<RunFormatter>());
  app.add_option("-n,--ranks", options.ranks, "number of ranks")
      ->required()
      ->check(CLI::Range(Rank{1}, kMaxRanks))
      ->option_text("N");
  app.add_option("--spares", options.spares, "start K more ranks, to stand in for ranks that fail")
      ->check(CLI::Range(Rank{0}, kMaxRanks - 1))
      ->option_text("K");
  app.add_option("--bind", words.bind, "core: pin rank i to core i, physical cores first (default: none)")
      ->check(CLI::IsMember({"none", "core"}))
      ->option_text("none|core");
  app.add_option(
         "--map-by", words.map_by,
         "how ranks take cores, each pinned to one: neighbours first, sockets or NUMA nodes in turn, as a grid, "
         "or by who sends how much to whom")
      ->option_text("core|socket|node|grid:AxB|matrix:FILE");
  app.add_option("--env", options.environment, "set NAME for every rank; may be given more than once")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
  app.add_option("--timeout", words.timeout, "end the job after S seconds, exit code 124")
      ->check(CLI::Range(1e-3, kMaxSeconds))
      ->option_text("S");
  app.add_option("--grace", words.grace,
                 "seconds from a failure to SIGTERM for the others, and on to SIGKILL (default: 2)")
      ->check(CLI::Range(0.0, kMaxSeconds))
      ->option_text("S");
  app.add_flag("--tag-output", options.tag_output, "begin each line that a rank prints with [rank]");
  app.add_flag("--watch", options.watch, "show what each rank does, twice a second");
  app.add_flag("--keep-going", options.keep_going, "let the other ranks run on when one fails; they see it as a state");
  app.add_option("--trace", options.trace_directory, "write traces to DIR; see polder trace")->option_text("DIR");
  app.add_option("--trace-limit", options.trace_limit,
                 "bytes of trace files of all ranks, as in 500M; what comes later is counted and not kept")
      ->check(check_bytes)
      ->option_text("BYTES");
  app.add_option("--trace-counters", options.trace_counters,
                 "counters of the processor to read in regions of the program, as in cycles,instructions,cache-misses")
      ->option_text("NAMES");
  app.add_option("--device", options.device, "reach peers through this device; see polder info")->option_text("NAME");
}

bool takes_value(const CLI::App& app, const std::string& word) {
  const CLI::Option* option = app.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

// Where the program begins: what follows it is its own, even if it looks like an option of ours.
std::size_t position_of_program(const CLI::App& app, const Arguments& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with('-') && arguments[at] != "--")
    at += takes_value(app, arguments[at]) ? 2 : 1;
  return std::min(at, arguments.size());
}

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

// What CLI11 cannot check or make of words; an empty string if all is well.
std::string check(RunWords& words) {
  RunOptions& options = words.options;
  if (options.command.empty()) return "no program given";
  if (options.processes() > kMaxRanks) return fmt::format("-n and --spares together: at most {} ranks", kMaxRanks);
  auto order = read_rank_order(words.map_by, options.ranks);
  if (!order.ok()) return std::string(order.status().message());
  options.rank_order = *std::move(order);
  return "";
}

}  // namespace

int run_command(const Arguments& arguments) {
  CLI::App app("Starts PROGRAM as the ranks of a job on this machine, and ends with its exit code.", "polder run");
  RunWords words;
  declare(app, words);

  const std::size_t program = position_of_program(app, arguments);
  const auto split = arguments.begin() + std::ptrdiff_t(program);
  int exit_code = 0;
  if (!parse(app, {arguments.begin(), split}, exit_code)) return exit_code;

  RunOptions& options = words.options;
  options.command.assign(split, arguments.end());
  if (!options.command.empty() && options.command.front() == "--") options.command.erase(options.command.begin());
  if (app.count("--timeout") > 0) options.timeout = nanoseconds(words.timeout);
  if (words.bind == "core" || app.count("--map-by") > 0) options.binding = Binding::core;
  options.grace = nanoseconds(words.grace);
  if (const std::string wrong = check(words); !wrong.empty()) {
    fmt::print(stderr, "polder run: {}\nRun with --help for more information.\n", wrong);
    return kExitUsage;
  }
  return run_job(options);
}

}  // namespace polder::cli

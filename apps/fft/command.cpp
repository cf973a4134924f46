#include "command.hpp"

#include "common/command_line.hpp"
#include "common/output_file.hpp"
#include "common/program.hpp"
#include "result_file.hpp"

#include <charconv>
#include <map>
#include <vector>

namespace fft {
namespace {

constexpr int kWrongResult = 3;

const std::map<std::string, Cut> kCuts{{"slabs", Cut::slabs}, {"pencils", Cut::pencils}};
const std::map<std::string, Effort> kEfforts{{"estimate", Effort::estimate}, {"measure", Effort::measure}};

// "64x64x32": `number` of them.
std::vector<std::uint64_t> extents_of(const std::string& option, const std::string& word, std::size_t number) {
  std::vector<std::uint64_t> all;
  const char *at = word.data(), *const end = word.data() + word.size();
  for (;;) {
    std::uint64_t extent = 0;
    const auto [after, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent == 0) break;
    all.push_back(extent);
    if (after == end && all.size() == number) return all;
    if (after == end || *after != 'x') break;
    at = after + 1;
  }
  throw CLI::ValidationError(option,
                             "'" + word + "' is not " + std::to_string(number) + " numbers from 1 on with x between");
}

void add_field(CLI::App& app, Options& options) {
  const auto set = [&options](const std::string& option) {
    return [&options, option](const std::string& word) {
      const auto extents = extents_of(option, word, 3);
      options.extents = Extents{extents[0], extents[1], extents[2]};
    };
  };
  CLI::Option* file = app.add_option("FILE", options.input, "a .npy file of three dimensions, or a raw one");
  CLI::Option* shape = app.add_option_function<std::string>(
      "--shape", set("--shape"), "FILE has nothing but complex128, so many of them: 64x64x32");
  shape->needs(file);
  app.add_option_function<std::string>("--generate", set("--generate"), "instead of a file: random numbers, 64x64x32")
      ->excludes(file);
  app.add_option("--seed", options.seed, "of what is drawn")->capture_default_str();
  app.add_option("-o,--output", options.output, "write the result here: a .npy file, or a raw one by any other name");
  app.callback([&options] {
    if (options.input.empty() && !options.extents)
      throw CLI::ValidationError("a field is wanted: a file, or --generate");
  });
}

void add_method(CLI::App& app, Options& options) {
  app.add_flag("--inverse", options.inverse, "from frequencies back; the result is divided by the number of elements");
  CLI::Option* cut =
      apps::add_choice(app, "--cut", options.cut, kCuts,
                       "how ranks share the field (default: slabs, as long as there are planes for all)");
  app.add_option_function<std::string>(
         "--grid",
         [&options](const std::string& word) {
           const auto grid = extents_of("--grid", word, 2);
           if (grid[0] * grid[1] > 1'000'000) throw CLI::ValidationError("--grid", "'" + word + "' is too large");
           options.grid = Grid{unsigned(grid[0]), unsigned(grid[1])};
         },
         "of ranks, rows x columns: 4x2")
      ->excludes(cut);
  app.add_option("--pieces", options.tuning.pieces,
                 "of an exchange, each sent as soon as it is computed (default: up to 4, of 512 kB at least)")
      ->check(apps::between(1U, 4096U));
  apps::add_choice(app, "--effort", options.effort, kEfforts,
                   "of FFTW's search for plans (default: measure with --repeat, else estimate)");
}

}  // namespace

void add_arguments(CLI::App& app, Options& options) {
  add_field(app, options);
  add_method(app, options);
  app.add_option("--memory", options.memory, "bytes that the ranks of a node may use (default: what is available)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--sample", options.samples,
                 "elements that are computed anew, to check, a pass over the field for each")
      ->check(apps::between(std::uint64_t{0}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "make the transform so often; the shortest time counts")
      ->check(apps::between(1U, 100'000U));
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--patience", options.patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("!--no-progress", options.progress, "no progress line, not even on a terminal, and no need of memory");
}

int run(const Options& options) {
  return apps::run_in_job("fft", options.patience, [&](const apps::Team& team) -> apps::Outcome {
    Status status = team.agree(options.json.empty() || team.rank() != 0 ? Status() : apps::check_output(options.json));
    if (!status.ok()) return {status};
    const Result<Report> report = run_job(team, options);
    if (!report.ok()) return {report.status()};
    return {apps::tell(team, to_table(*report), to_json(*report), options.json), report->wrong() ? kWrongResult : 0};
  });
}

}  // namespace fft

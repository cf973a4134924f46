#include "command.hpp"

#include "common/command_line.hpp"
#include "common/output_file.hpp"
#include "common/program.hpp"

#include <charconv>
#include <map>

namespace contract {
namespace {

constexpr int kWrongResult = 3;
constexpr std::uint64_t kMost = std::uint64_t{1} << 40;

const std::map<std::string, Distribution> kDistributions{
    {"regular", Distribution::regular}, {"random", Distribution::random}, {"cyclic", Distribution::cyclic}};
const std::map<std::string, apps::Number> kNumbers{{"float32", apps::Number::float32},
                                                   {"float64", apps::Number::float64},
                                                   {"complex64", apps::Number::complex64},
                                                   {"complex128", apps::Number::complex128}};

// "a=100"
void take_extent(const std::string& word, std::map<char, std::uint64_t>& extents) {
  std::uint64_t extent = 0;
  const char* const end = word.data() + word.size();
  const bool named = word.size() > 2 && word[1] == '=';
  const auto [after, error] = std::from_chars(word.data() + (named ? 2 : 0), end, extent);
  if (!named || error != std::errc() || after != end || extent > kMost)
    throw CLI::ValidationError("--generate", "'" + word + "' is no extent of an index, as in i=1000");
  extents[word[0]] = extent;
}

void add_operands(CLI::App& app, Options& options) {
  app.add_option("NOTATION", options.notation, "as of numpy.einsum: \"abcd,cdij->abij\"")->required();
  CLI::Option* first = app.add_option("FIRST", options.first, "a .npy file");
  CLI::Option* second = app.add_option("SECOND", options.second, "a .npy file");
  CLI::Option* made_up =
      app.add_option_function<std::vector<std::string>>(
             "--generate",
             [&options](const std::vector<std::string>& words) {
               for (const std::string& word : words) take_extent(word, options.made_up);
             },
             "instead of files: operands of random numbers, an extent for each index: i=1000,k=500,j=20")
          ->delimiter(',')
          ->excludes(first)
          ->excludes(second);
  apps::add_choice(app, "--type", options.number, kNumbers, "of generated operands (default: float64)")->needs(made_up);
  app.add_option("-o,--output", options.output, "write the result here, a .npy file");
  app.add_flag("--check-finite", options.finite, "refuse operands with an element that is infinite or not a number");
  app.callback([&options] {
    if (options.made_up.empty() && options.second.empty())
      throw CLI::ValidationError("two operands are wanted: two files, or --generate");
  });
}

void add_blocks(CLI::App& app, Options& options) {
  const auto add = [&app](const char* name, std::uint64_t& size, const char* description) {
    app.add_option(name, size, description)->check(apps::between(std::uint64_t{1}, kMost));
  };
  add("--rows", options.rows, "of a block of the result (default: by extent and ranks)");
  add("--columns", options.columns, "of a block of the result");
  add("--inner", options.inner, "columns of a block of the first operand, rows of one of the second");
  app.add_option_function<std::uint64_t>(
         "--block", [&options](std::uint64_t size) { options.rows = options.columns = options.inner = size; },
         "all three")
      ->check(apps::between(std::uint64_t{1}, kMost));
  apps::add_choice(app, "--distribution", options.distribution, kDistributions,
                   "of blocks to ranks (default: regular)");
  app.add_option(
      "--owners", options.owners,
      "a JSON file that gives the rank of each block: {\"first\": [...], \"second\": [...], \"result\": [...]}");
  app.add_option("--seed", options.seed, "of what is drawn")->capture_default_str();
}

}  // namespace

void add_arguments(CLI::App& app, Options& options) {
  add_operands(app, options);
  add_blocks(app, options);
  app.add_option("--threads", options.threads, "of each rank (default: its share of the cores)")
      ->check(apps::between(1U, 4096U));
  app.add_option("--memory", options.memory, "bytes that the ranks of a node may use (default: what is available)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--sample", options.samples, "elements whose sums are made again, to check; 0: none")
      ->check(apps::between(std::uint64_t{0}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "make the product so often; the shortest time counts")
      ->check(apps::between(1U, 1000U));
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--patience", options.patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("!--no-progress", options.progress, "no progress line, not even on a terminal, and no need of memory");
}

int run(const Options& options) {
  return apps::run_in_job("contract", options.patience, [&](const apps::Team& team) -> apps::Outcome {
    Status status = team.agree(options.json.empty() || team.rank() != 0 ? Status() : apps::check_output(options.json));
    if (!status.ok()) return {status};
    const Result<Report> report = run_job(team, options);
    if (!report.ok()) return {report.status()};
    return {apps::tell(team, to_table(*report), to_json(*report), options.json), report->wrong() ? kWrongResult : 0};
  });
}

}  // namespace contract

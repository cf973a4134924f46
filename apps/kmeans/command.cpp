#include "command.hpp"

#include "common/command_line.hpp"
#include "common/output_file.hpp"
#include "common/program.hpp"

#include <csignal>
#include <cstdio>
#include <map>
#include <string>

namespace kmeans {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 40;

const std::map<std::string, Start> kStarts{
    {"random", Start::random}, {"k-means++", Start::plusplus}, {"k-means||", Start::oversampled}};
const std::map<std::string, Layout> kLayouts{{"npy", Layout::npy}, {"csv", Layout::csv}, {"raw", Layout::raw}};

// "120:3"
void take_kill(const std::string& word, std::vector<KillAt>& kills) {
  KillAt kill;
  const std::size_t colon = word.find(':');
  const bool parsed = colon != std::string::npos && apps::read_unsigned(word.substr(0, colon), kill.iteration) &&
                      apps::read_unsigned(word.substr(colon + 1), kill.rank) && kill.iteration > 0;
  if (!parsed) throw CLI::ValidationError("--kill-at", "'" + word + "' is no ITERATION:RANK, as in 120:3");
  kills.push_back(kill);
}

void add_points(CLI::App& app, SourceOptions& source) {
  auto* points = app.add_option_group("points", "where they come from");
  points->add_option("FILE", source.path, ".npy, .csv, or raw numbers");
  points->add_option("--generate", source.recipe.points, "make so many: clouds around centres that are drawn")
      ->check(apps::between(std::uint64_t{1}, kMost));
  points->require_option(1);
  apps::add_choice(app, "--format", source.layout, kLayouts, "of the file (default: by its name)");
  app.add_option_function<std::uint64_t>(
         "--dims", [&source](std::uint64_t dims) { source.raw_dims = source.recipe.dims = dims; },
         "coordinates of a point, in raw files and where points are made (default there: 10)")
      ->check(apps::between(std::uint64_t{1}, std::uint64_t{1'000'000}));
  app.add_flag("--single", source.raw_single, "numbers of a raw file have 4 bytes and not 8");
  app.add_option("--clouds", source.recipe.clouds, "of points that are made")
      ->check(apps::between(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--spread", source.recipe.spread, "of a cloud; centres lie between -10 and 10")
      ->check(apps::between(0.0, 1e6))
      ->capture_default_str();
}

void add_method(CLI::App& app, Options& options) {
  app.add_option("-k,--clusters", options.clusters, "how many")
      ->check(apps::between(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  CLI::Option* start = apps::add_choice(app, "--start", options.start, kStarts, "first centroids (default: k-means||)");
  app.add_option("--from", options.from, "first centroids: a .npy file, as -o writes it")->excludes(start);
  app.add_option("--iterations", options.stop.iterations, "at most")
      ->check(apps::between(std::uint64_t{0}, kMost))
      ->capture_default_str();
  app.add_option("--tolerance", options.stop.tolerance, "end when no centroid moves further")
      ->check(apps::between(0.0, 1e300))
      ->capture_default_str();
  app.add_option_function<std::uint64_t>(
      "--seed", [&options](std::uint64_t seed) { options.seed = options.source.recipe.seed = seed; },
      "of all that is drawn (default: 1)");
}

// The ranks of the job that are to die, do: without a word, as by kill -9.
std::function<void(std::uint64_t)> killer(unsigned rank, const std::vector<KillAt>& kills) {
  return [rank, &kills](std::uint64_t iteration) {
    for (const KillAt& kill : kills)
      if (kill.rank == rank && kill.iteration == iteration) std::raise(SIGKILL);
  };
}

}  // namespace

void add_arguments(CLI::App& app, Command& command) {
  Options& options = command.options;
  add_points(app, options.source);
  add_method(app, options);
  app.add_option("-o,--centroids", options.centroids, "write the centroids here, a .npy file");
  app.add_option("--labels", options.labels, "write the cluster of each point here, a .npy file");
  app.add_option(
         "--spares", options.spares,
         "of the ranks, so many wait to take the place of one that dies (default: what polder run --spares says)")
      ->envname("POLDER_SPARES")
      ->check(apps::between(0U, 1'000'000U));
  app.add_option_function<std::vector<std::string>>(
         "--kill-at",
         [&command](const std::vector<std::string>& words) {
           for (const std::string& word : words) take_kill(word, command.kills);
         },
         "ITERATION:RANK, for demonstrations: after that iteration, that rank of the job kills itself")
      ->delimiter(',');
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--patience", options.patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("!--no-progress", options.progress, "no progress line, not even on a terminal, and no need of memory");
}

int run(const Command& command) {
  return apps::run_in_job("kmeans", command.options.patience, [&](const apps::Team& world) -> apps::Outcome {
    Options options = command.options;
    if (options.spares >= world.size())
      return {Status(Code::invalid_argument,
                     "--spares leaves no rank that works: there are " + std::to_string(world.size()) + " in all")};
    if (!command.kills.empty()) options.at_iteration = killer(world.rank(), command.kills);
    bool speaks = false;
    const Result<Report> report = run_job(world.runtime(), options, speaks);
    if (!report.ok()) return {report.status()};
    if (!speaks) return {};
    std::fputs(to_table(*report).c_str(), stdout);
    return {options.json.empty() ? Status() : apps::write_text(to_json(*report), options.json)};
  });
}

}  // namespace kmeans

#include "command.hpp"

#include "common/command_line.hpp"
#include "common/program.hpp"
#include "job.hpp"

#include <polder/simulate.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>

namespace mf {
namespace {

constexpr int kNotReached = 3;  // the exit code; the model is written all the same

const std::map<std::string, polder::StaleShape> kShapes{{"hypercube", polder::StaleShape::hypercube},
                                                        {"flat", polder::StaleShape::flat},
                                                        {"sharded", polder::StaleShape::sharded}};

void add_ratings(CLI::App& app, TrainOptions& options) {
  constexpr std::uint64_t kMost = 10'000'000;
  auto* source = app.add_option_group("ratings", "where they come from");
  source->add_option("FILE", options.input, "ratings.dat, ratings.csv or u.data, as MovieLens has them");
  source->add_flag("--generate", options.generates, "make them: a product of two thin matrices, with noise");
  source->require_option(1);
  app.add_option("--users", options.recipe.users, "of generated ratings")
      ->check(apps::between(std::uint64_t{1}, kMost))
      ->capture_default_str();
  app.add_option("--items", options.recipe.items, "of generated ratings")
      ->check(apps::between(std::uint64_t{1}, kMost))
      ->capture_default_str();
  app.add_option("--true-factors", options.recipe.factors, "of generated ratings")
      ->check(apps::between(1U, 1000U))
      ->capture_default_str();
  app.add_option("--observed", options.recipe.observed, "share of the places with a rating, where generated")
      ->check(apps::between(1e-6, 1.0))
      ->capture_default_str();
  app.add_option("--noise", options.recipe.noise, "of generated ratings, whose standard deviation is 1 without it")
      ->check(apps::between(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--held-out", options.held_out, "share of the ratings that is not learned and shows the error")
      ->check(apps::between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--seed", options.training.seed, "of all that is drawn")->capture_default_str();
}

void add_method(CLI::App& app, Training& training, TrainOptions& options) {
  app.add_option("--factors", options.factors,
                 "length of the vectors that are learned; a model that is resumed has its own")
      ->check(apps::between(1U, 4096U))
      ->capture_default_str();
  app.add_option("--iterations", training.iterations, "how often each rank goes through its ratings")
      ->check(apps::between(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--slack", training.slack, "iterations that what others have learned may be older; 0: none")
      ->check(apps::between(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  CLI::Option* const shape =
      apps::add_choice(app, "--shape", training.shape, kShapes, "of the exchange (default: hypercube)");
  app.add_flag("--rows", training.by_rows, "items are rows of a table: a rank exchanges those it has ratings of")
      ->excludes(shape);
  app.add_option_function<double>(
         "--rate", [&training](double rate) { training.rates.user = training.rates.item = rate; },
         "of learning (default: 0.02)")
      ->check(apps::between(1e-9, 10.0));
  app.add_option("--regularisation", training.rates.regularisation, "how strongly vectors are pulled towards 0")
      ->check(apps::between(0.0, 100.0))
      ->capture_default_str();
  app.add_option("--target", options.target,
                 "an error; tells when it was reached (default for generated ratings: 1.25 times the least there is)")
      ->check(apps::between(1e-9, 1e9));
}

void add_stragglers(CLI::App& app, TrainOptions& options) {
  Stragglers& late = options.training.stragglers;
  app.add_option("--late", late.share, "share of the iterations in which a rank is late, drawn from the seed")
      ->check(apps::between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--late-by", late.pause, "seconds that it sleeps then")->check(apps::between(0.0, 3600.0));
  app.add_option("--work", late.work, "seconds that every iteration sleeps, in the place of work")
      ->check(apps::between(0.0, 3600.0));
  app.add_option("--simulate", options.simulate,
                 "so many ranks in virtual time in this process, where only --work and --late-by take time")
      ->check(apps::between(1U, 1000U));
}

void add_results(CLI::App& app, TrainOptions& options) {
  CLI::Option* model = app.add_option("-o,--model", options.training.model, "save the model here");
  app.add_option("--checkpoint", options.training.checkpoint_every, "save it after so many iterations, again and again")
      ->needs(model)
      ->check(apps::between(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  app.add_option("--resume", options.resume, "go on from this model");
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--patience", options.patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("!--no-progress", options.progress, "no progress line, not even on a terminal");
}

int train_in(const apps::Team& team, const TrainOptions& options, const Time& time, Status& outcome) {
  const Result<Report> report = train(team, options, time);
  outcome = report.status();
  if (report.ok()) outcome = apps::tell(team, to_table(*report), to_json(*report), options.json);
  const bool misses = report.ok() && options.target > 0 && report->misses_target();
  return misses ? kNotReached : 0;
}

int run_train(const TrainOptions& options) {
  if (options.simulate == 0)
    return apps::run_in_job("mf", options.patience, [&](const apps::Team& team) {
      apps::Outcome outcome;
      outcome.code = train_in(team, options, real_time(), outcome.status);
      return outcome;
    });
  // Virtual time costs nothing, and --work and --iterations may ask for years: half of what the clock can count.
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 2;
  polder::Simulation simulation(options.simulate,
                                {.max_delay_ns = 10'000, .deterministic = true, .limit_ns = kNoLimit});
  const Time time{[&] { return double(simulation.now_ns()) * 1e-9; },
                  [&](double seconds) { simulation.sleep(std::int64_t(seconds * 1e9)); }};
  int code = 0;
  const Status status = simulation.run([&](polder::Runtime& runtime) {
    const apps::Team team(runtime, options.patience);
    Status outcome;
    const int mine = train_in(team, options, time, outcome);
    apps::print_error("mf", outcome, team.rank());
    code = std::max(code, outcome.ok() ? mine : 1);
  });
  if (!status.ok()) std::fprintf(stderr, "mf: cannot simulate: %s\n", status.to_string().c_str());
  return status.ok() ? code : 1;
}

int run_predict(const PredictOptions& options) {
  return apps::run_in_job("mf", options.patience, [&](const apps::Team& team) -> apps::Outcome {
    const Result<Predicted> predicted = predict(team, options);
    if (predicted.ok() && team.rank() == 0)
      std::printf("%llu predictions; %llu of users or items that the model does not know, as the mean\n",
                  static_cast<unsigned long long>(predicted->lines),
                  static_cast<unsigned long long>(predicted->unknown));
    return {predicted.status()};
  });
}

}  // namespace

void add_train(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "learns from ratings");
  add_ratings(*command, *options);
  add_method(*command, options->training, *options);
  add_stragglers(*command, *options);
  add_results(*command, *options);
  command->callback([command, &chosen, options] {
    options->factors_requested = command->count("--factors") > 0;
    options->recipe.seed = options->training.seed;
    chosen = [options] { return run_train(*options); };
  });
}

void add_predict(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "what users would think of items");
  command->add_option("MODEL", options->model, "that train has saved")->required();
  command->add_option("FILE", options->input, "lines of user and item, as in a file of ratings")->required();
  command->add_option("-o,--output", options->output, "user, item and prediction, a line each, with tabs between")
      ->required();
  command->add_option("--patience", options->patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  command->callback([&chosen, options] { chosen = [options] { return run_predict(*options); }; });
}

}  // namespace mf

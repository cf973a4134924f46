#include "command.hpp"

#include "common/command_line.hpp"
#include "common/program.hpp"
#include "order.hpp"

#include <map>

namespace fmm {
namespace {

const std::map<std::string, FileFormat> kFormats{
    {"auto", FileFormat::by_name}, {"text", FileFormat::text}, {"binary", FileFormat::binary}};
const std::map<std::string, Charges> kCharges{{"equal", Charges::equal}, {"mixed", Charges::mixed}};

constexpr int kNotReached = 3;  // the exit code; results are written all the same
constexpr std::uint64_t kMostParticles = std::uint64_t{1} << 40;

void add_source(CLI::App& app, Options& options) {
  auto* source = app.add_option_group("particles", "where they come from");
  const auto count = [&options](Shape shape) {
    return [&options, shape](std::uint64_t particles) {
      options.recipe.shape = shape;
      options.recipe.total = particles;
    };
  };
  const CLI::Validator possible = apps::between(std::uint64_t{1}, kMostParticles);
  source->add_option("FILE", options.input, "a file of particles: x y z charge");
  source->add_option_function<std::uint64_t>("--cube", count(Shape::cube), "so many, uniform in a unit cube")
      ->check(possible);
  source->add_option_function<std::uint64_t>("--plummer", count(Shape::plummer), "so many in a Plummer sphere")
      ->check(possible);
  source->require_option(1);
  apps::add_choice(app, "--format", options.input_format, kFormats,
                   "of FILE: text, binary (auto: binary if it ends with .bin)");
  apps::add_choice(app, "--charges", options.recipe.charges, kCharges,
                   "of generated particles: equal (1/N) or mixed (+1/N, -1/N)");
  app.add_option("--seed", options.recipe.seed, "of generated particles")->capture_default_str();
}

void add_method(CLI::App& app, Options& options) {
  app.add_option("--accuracy", options.accuracy, "relative error of potentials and fields, root mean square")
      ->check(apps::between(kFinestAccuracy, kCoarsestAccuracy))
      ->capture_default_str();
  app.add_option("--order", options.order, "degrees of the expansions, instead of what the accuracy asks for")
      ->check(apps::between(kMinOrder, kMaxOrder));
  app.add_option("--leaf", options.leaf_size,
                 "a cell with more particles is divided (default: 64 to 256, by the order)")
      ->check(apps::between(std::size_t{1}, std::size_t{100'000}));
  app.add_option("--sample", options.samples, "particles to check by direct summation; 0: none")
      ->check(apps::between(std::uint64_t{0}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "evaluations, balanced by the costs of the one before")
      ->check(apps::between(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--time-step", options.time_step, "between them particles move, attracted like masses; 0: they stay")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--kernels", options.kernels, "avx512, avx2 or portable (default: the best of this processor)");
  app.callback([&app, &options] { options.accuracy_requested = app.count("--accuracy") > 0 || options.order == 0; });
}

void add_results(CLI::App& app, Options& options) {
  app.add_option("-o,--output", options.output, "potentials and forces, in the order of the particles");
  apps::add_choice(app, "--output-format", options.output_format, kFormats,
                   "text or binary (auto: binary if the name ends with .bin)");
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--memory", options.memory, "bytes that the ranks of a node may use (default: what is available)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--patience", options.patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "no line about what is going on");
}

}  // namespace

void add_arguments(CLI::App& app, Options& options) {
  add_source(app, options);
  add_method(app, options);
  add_results(app, options);
}

int run(const Options& options) {
  return apps::run_in_job("fmm", options.patience, [&](const Team& team) -> apps::Outcome {
    const Result<JobReport> report = run_job(team, options);
    if (!report.ok()) return {report.status()};
    return {apps::tell(team, to_table(*report), to_json(*report), options.json), report->reached() ? 0 : kNotReached};
  });
}

}  // namespace fmm

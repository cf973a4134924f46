#include "report.hpp"

#include "common/text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace fmm {
namespace {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values.front(), (values[(n - 1) / 2] + values[n / 2]) / 2, values.back()};
}

// What a rank computed, without sharing out and waiting.
double computing(const StepNumbers& numbers) {
  double sum = 0;
  for (const Phase phase : {Phase::tree, Phase::upward, Phase::walk, Phase::far, Phase::near, Phase::downward})
    sum += numbers.seconds[std::size_t(phase)];
  return sum;
}

void append_phases(const StepReport& step, std::string& table) {
  apps::append(table, "phase      min [s]    median       max\n");
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const Spread& spread = step.phases[phase];
    apps::append(table, "%-8s %9.3f %9.3f %9.3f\n", kPhaseNames[phase], spread.minimum, spread.median, spread.maximum);
  }
}

void append_steps(const JobReport& report, std::string& table) {
  apps::append(table, "step   total [s]   order  imbalance      field error\n");
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    const StepReport& step = report.steps[i];
    apps::append(table, "%4zu %11.3f %7u %8.1f %%", i + 1, step.seconds(), step.order, step.imbalance * 100);
    apps::append(table, step.accuracy.samples > 0 ? " %16.1e\n" : "                -\n", step.accuracy.field);
  }
}

void append_accuracy(const JobReport& report, std::string& table) {
  const Accuracy& accuracy = report.last().accuracy;
  if (accuracy.samples == 0) return;
  apps::append(table, "error at %llu particles: potential %.1e, field %.1e",
               static_cast<unsigned long long>(accuracy.samples), accuracy.potential, accuracy.field);
  if (report.accuracy > 0)
    apps::append(table, " (requested %.1e: %s)", report.accuracy, report.reached() ? "reached" : "NOT reached");
  apps::append(table, "; worst %.1e, %.1e\n", accuracy.worst_potential, accuracy.worst_field);
  apps::append(table, "direct summation of all would take %.3g s on these ranks: %.4g times as long\n",
               report.direct_seconds(), report.direct_seconds() / std::max(report.last().seconds(), 1e-9));
}

nlohmann::ordered_json json_of(const StepReport& step) {
  nlohmann::ordered_json json{{"order", step.order},
                              {"imbalance", step.imbalance},
                              {"cells", step.cells},
                              {"depth", step.depth},
                              {"translations", step.translations},
                              {"body_pairs", step.body_pairs},
                              {"essential_bytes", step.essential_bytes},
                              {"bytes", step.bytes}};
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const Spread& spread = step.phases[phase];
    json["phases"][kPhaseNames[phase]] = {
        {"min_s", spread.minimum}, {"median_s", spread.median}, {"max_s", spread.maximum}};
  }
  if (step.accuracy.samples == 0) return json;
  json["error"] = {{"samples", step.accuracy.samples},
                   {"potential", step.accuracy.potential},
                   {"field", step.accuracy.field},
                   {"worst_potential", step.accuracy.worst_potential},
                   {"worst_field", step.accuracy.worst_field}};
  return json;
}

}  // namespace

double JobReport::direct_seconds() const {
  return last().accuracy.seconds_per_target * double(particles);
}

double JobReport::bytes_per_particle() const {
  return particles == 0 ? 0 : double(last().bytes) / double(particles);
}

Result<StepReport> collect(const Team& team, const StepNumbers& numbers) {
  const Result<std::vector<StepNumbers>> all = team.allgather(numbers);
  if (!all.ok()) return all.status();
  StepReport report;
  double sum = 0, most = 0;
  for (const StepNumbers& rank : *all) {
    sum += computing(rank);
    most = std::max(most, computing(rank));
    report.cells += rank.cells;
    report.depth = std::max(report.depth, rank.depth);
    report.translations += rank.translations;
    report.body_pairs += rank.body_pairs;
    report.essential_bytes += rank.essential_bytes;
    report.bytes += rank.bytes;
  }
  report.imbalance = sum > 0 ? most * double(all->size()) / sum - 1 : 0;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    std::vector<double> seconds;
    for (const StepNumbers& rank : *all) seconds.push_back(rank.seconds[phase]);
    report.phases[phase] = spread_of(std::move(seconds));
  }
  return report;
}

std::string to_table(const JobReport& report) {
  const StepReport& last = report.last();
  std::string table;
  apps::append(table,
               "%llu particles (%.200s) on %u ranks, order %u, leaves of up to %zu, %s kernels, %s translations\n",
               static_cast<unsigned long long>(report.particles), report.source.c_str(), report.ranks, last.order,
               report.leaf_size, report.kernels.c_str(), report.precision.c_str());
  if (report.steps.size() > 1) append_steps(report, table);
  append_phases(last, table);
  apps::append(table, "%llu cells on %llu levels, %llu translations, %.3g pairs of bodies, imbalance %.1f %%\n",
               static_cast<unsigned long long>(last.cells), static_cast<unsigned long long>(last.depth),
               static_cast<unsigned long long>(last.translations), double(last.body_pairs), last.imbalance * 100);
  apps::append(table, "memory: %.0f bytes a particle; %.1f MB read from other ranks\n", report.bytes_per_particle(),
               double(last.essential_bytes) / 1e6);
  append_accuracy(report, table);
  return table;
}

std::string to_json(const JobReport& report) {
  nlohmann::ordered_json json{{"source", report.source},
                              {"particles", report.particles},
                              {"ranks", report.ranks},
                              {"accuracy", report.accuracy},
                              {"leaf_size", report.leaf_size},
                              {"kernels", report.kernels},
                              {"precision", report.precision},
                              {"memory_bound", report.memory_bound},
                              {"bytes_per_particle", report.bytes_per_particle()},
                              {"seconds", report.last().seconds()},
                              {"direct_seconds", report.direct_seconds()}};
  for (const StepReport& step : report.steps) json["steps"].push_back(json_of(step));
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fmm

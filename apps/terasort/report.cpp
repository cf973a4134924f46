#include "report.hpp"

#include "record.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

namespace terasort {
namespace {

struct RankNumbers {
  std::array<double, kPhases> seconds;
  std::uint64_t held;
};

PhaseSpread spread(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  return {seconds.front(), (seconds[(n - 1) / 2] + seconds[n / 2]) / 2, seconds.back()};
}

double imbalance(const std::vector<RankNumbers>& ranks) {
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const RankNumbers& rank : ranks) {
    sum += rank.held;
    most = std::max(most, rank.held);
  }
  return sum == 0 ? 0 : double(most) * double(ranks.size()) / double(sum) - 1;
}

std::string format_row(const char* name, const PhaseSpread& spread, double rate) {
  std::array<char, 128> row;
  std::snprintf(row.data(), row.size(), "%-10s %9.3f %9.3f %9.3f %10.2f\n", name, spread.minimum, spread.median,
                spread.maximum, rate);
  return row.data();
}

std::string format_lost(const Replacement& replacement) {
  std::string ranks;
  for (const unsigned rank : replacement.lost) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  std::array<char, 64> seconds;
  std::snprintf(seconds.data(), seconds.size(), "%.3f", replacement.seconds);
  return "rank " + ranks + " died; the others went on after " + seconds.data() + " s\n";
}

}  // namespace

void PhaseTimes::end(Phase phase) {
  const Clock::time_point now = Clock::now();
  const Clock::time_point from = phase == Phase::total ? start_ : since_;
  seconds_[std::size_t(phase)] += std::chrono::duration<double>(now - from).count();
  since_ = now;
}

double SortReport::gigabytes() const {
  return double(records * kRecordBytes) / 1e9;
}

double SortReport::rate(Phase phase) const {
  const double seconds = phases[std::size_t(phase)].maximum;
  return seconds > 0 ? gigabytes() / seconds : 0;
}

Status collect(Team& team, const PhaseTimes& times, std::uint64_t held, SortReport& report) {
  const Result<std::vector<RankNumbers>> all = allgather(team, RankNumbers{times.seconds(), held});
  if (!all.ok()) return all.status();
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    std::vector<double> seconds;
    for (const RankNumbers& rank : *all) seconds.push_back(rank.seconds[phase]);
    report.phases[phase] = spread(std::move(seconds));
  }
  report.imbalance = imbalance(*all);
  return {};
}

std::string to_table(const SortReport& report) {
  std::array<char, 256> line;
  std::snprintf(line.data(), line.size(),
                "%s: %llu records (%.2f GB) on %u ranks, largest share %.1f %% above the mean\n",
                report.program.c_str(), static_cast<unsigned long long>(report.records), report.gigabytes(),
                report.ranks, report.imbalance * 100);
  std::string table = line.data();
  table += "phase      min [s]    median       max       GB/s\n";
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    table += format_row(kPhaseNames[phase], report.phases[phase], report.rate(Phase(phase)));
  for (const Replacement& replacement : report.replacements) table += format_lost(replacement);
  return table;
}

std::string to_json(const SortReport& report) {
  nlohmann::ordered_json json{
      {"program", report.program},
      {"input", report.input},
      {"output", report.output},
      {"records", report.records},
      {"bytes", report.records * kRecordBytes},
      {"ranks", report.ranks},
      {"buffer_bytes", report.buffer_bytes},
      {"memory_bound", report.memory_bound},
      {"imbalance", report.imbalance},
  };
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const PhaseSpread& spread = report.phases[phase];
    json["phases"][kPhaseNames[phase]] = {{"min_s", spread.minimum},
                                          {"median_s", spread.median},
                                          {"max_s", spread.maximum},
                                          {"gb_per_s", report.rate(Phase(phase))}};
  }
  json["replacements"] = nlohmann::ordered_json::array();
  for (const Replacement& replacement : report.replacements)
    json["replacements"].push_back({{"lost", replacement.lost}, {"seconds", replacement.seconds}});
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace terasort

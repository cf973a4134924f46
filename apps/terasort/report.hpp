// What a sort did, phase by phase, for a person and for a program.
#pragma once

#include "team.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace terasort {

enum class Phase : std::uint8_t { sample, shuffle, sort, write, total };
inline constexpr std::array<const char*, 5> kPhaseNames{"sample", "shuffle", "sort", "write", "total"};
inline constexpr std::size_t kPhases = kPhaseNames.size();

// Seconds that this rank spent in each phase. `shuffle` includes reading the input.
class PhaseTimes {
 public:
  // Ends the phase that began with the previous call, or with the construction. Phases that come again add up.
  void end(Phase phase);

  const std::array<double, kPhases>& seconds() const { return seconds_; }
  // Time that passes between two phases (waiting for others) belongs to `total` alone.
  void resume() { since_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::array<double, kPhases> seconds_{};
  Clock::time_point start_ = Clock::now();
  Clock::time_point since_ = start_;
};

struct PhaseSpread {
  double minimum = 0;
  double median = 0;
  double maximum = 0;
};

// Ranks that died, and how long it took until others had their places.
struct Replacement {
  std::vector<unsigned> lost;
  double seconds = 0;
};

struct SortReport {
  std::string program;  // "polder", "openmpi", ...
  std::string input;
  std::string output;
  std::uint64_t records = 0;
  unsigned ranks = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint64_t memory_bound = 0;             // bytes per rank
  double imbalance = 0;                       // the largest rank's records over the mean, less 1
  std::array<PhaseSpread, kPhases> phases{};  // over ranks, seconds
  std::vector<Replacement> replacements;

  double gigabytes() const;
  // Records over the time of the slowest rank, in GB/s.
  double rate(Phase phase) const;
};

// Collective. Fills in what needs all ranks: the spread of times, and the imbalance from the `held` records of each.
Status collect(Team& team, const PhaseTimes& times, std::uint64_t held, SortReport& report);

std::string to_table(const SortReport& report);
std::string to_json(const SortReport& report);

}  // namespace terasort

#include "tune/measurement.hpp"

#include <polder/collective.hpp>
#include <polder/neighbours.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace polder::tune {
namespace {

constexpr std::size_t kMostMemory = std::size_t{256} << 20;

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds patience_at(const Runtime& runtime, Rank rank) {
  constexpr std::chrono::milliseconds kLeast{60'000}, kForEach{100}, kAfterRankZero{10'000};
  return kLeast + kForEach * runtime.size() + (rank == 0 ? std::chrono::milliseconds(0) : kAfterRankZero);
}

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

std::size_t parts_of(coll::Kind kind, Rank ranks) {
  if (kind == coll::Kind::neighbours) return 2;
  return kind == coll::Kind::alltoall ? ranks : 1;
}

// Equal parts, as far as whole ones go.
std::vector<std::size_t> split(std::size_t whole, Rank ranks) {
  std::vector<std::size_t> parts;
  for (Rank rank = 0; rank < ranks; ++rank) parts.push_back(whole * (rank + 1) / ranks - whole * rank / ranks);
  return parts;
}

// With those in front of and behind it on a ring.
Result<Collective> on_a_ring(Runtime& runtime, std::size_t bytes, const double* send, double* receive) {
  const GridDimension ring{runtime.size(), true};
  auto neighbours = Neighbours::grid(runtime.world(), {&ring, 1});
  if (!neighbours) return neighbours.status();
  if (Status status = neighbours->commit(patience_of(runtime)); !status.ok()) return status;
  return Collective::neighbour_alltoall(*neighbours, bytes, send, receive);
}

bool has_root(coll::Kind kind) {
  using K = coll::Kind;
  return kind == K::broadcast || kind == K::reduce || kind == K::gather || kind == K::scatter;
}

// Which take turns as roots: with one alone, that runs ahead of those that it serves, what would be measured is how often it may begin.
std::vector<Rank> roots_of(coll::Kind kind, Rank ranks) {
  constexpr Rank kMost = 8;
  const Rank count = has_root(kind) ? std::min(ranks, kMost) : 1;
  std::vector<Rank> roots;
  for (Rank i = 0; i < count; ++i) roots.push_back(Rank(std::uint64_t{ranks} * i / count));
  return roots;
}

Result<Collective> make(Runtime& runtime, const Subject& subject, Rank root, double* send, double* receive) {
  const std::size_t bytes = subject.bytes, count = bytes / sizeof(double);
  const auto sum = reduction(Reduction::sum, DataType::float64, count);
  if (!sum) return sum.status();
  Group& group = runtime.world();
  const Rank ranks = runtime.size();
  switch (subject.kind) {
    case coll::Kind::broadcast: return Collective::broadcast(group, root, receive, bytes);
    case coll::Kind::reduce: return Collective::reduce(group, root, *sum, send, receive);
    case coll::Kind::allreduce: return Collective::allreduce(group, *sum, send, receive);
    case coll::Kind::reduce_scatter: return Collective::reduce_scatter(group, *sum, split(count, ranks), send, receive);
    case coll::Kind::allgather: return Collective::allgather(group, split(bytes, ranks), send, receive);
    case coll::Kind::gather: return Collective::gather(group, root, split(bytes, ranks), send, receive);
    case coll::Kind::scatter: return Collective::scatter(group, root, split(bytes, ranks), send, receive);
    case coll::Kind::alltoall: return Collective::alltoall(group, bytes, send, receive);
    case coll::Kind::neighbours: return on_a_ring(runtime, bytes, send, receive);
    case coll::Kind::scan: return Collective::scan(group, *sum, send, receive);
    case coll::Kind::exscan: return Collective::exscan(group, *sum, send, receive);
    default: return Collective::barrier(group);
  }
}

struct Candidate {
  Timing timing;
  std::vector<Collective> of_root;
  std::vector<double> turns;
  bool is_out = false;  // hopeless: it has no more turns
};

// us for each of `calls`, at the rank that took longest.
Result<double> time_of(Runtime& runtime, std::vector<Collective>& of_root, std::size_t calls) {
  const Timeout patience = patience_of(runtime);
  Group& group = runtime.world();
  if (Status status = group.barrier(patience); !status.ok()) return status;
  const Clock::time_point begin = Clock::now();
  for (std::size_t call = 0; call < calls; ++call)
    if (Status status = of_root[call % of_root.size()].run(patience); !status.ok()) return status;
  const double mine = us_since(begin) / double(calls);
  double longest = 0;
  if (Status status = allreduce(group, Reduction::max, DataType::float64, &mine, &longest, 1, patience); !status.ok())
    return status;
  return longest;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Nothing in it: the algorithm cannot serve the call.
Result<Candidate> candidate(Runtime& runtime, const Subject& subject, coll::Algorithm algorithm, double* send,
                            double* receive) {
  Candidate found{{algorithm, 0, false}, {}, {}, false};
  for (const Rank root : roots_of(subject.kind, runtime.size())) {
    auto collective = make(runtime, subject, root, send, receive);
    if (!collective) return collective.status();
    found.timing.chosen = collective->algorithm() == to_string(algorithm);
    if (!collective->use(to_string(algorithm)).ok()) return Candidate{};
    found.of_root.push_back(std::move(*collective));
  }
  return found;
}

Result<std::vector<Candidate>> candidates_for(Runtime& runtime, const Subject& subject, double* send, double* receive) {
  std::vector<Candidate> all;
  for (auto each = std::uint8_t(coll::Algorithm::choose) + 1; each <= std::uint8_t(coll::kLastAlgorithm); ++each) {
    auto found = candidate(runtime, subject, coll::Algorithm(each), send, receive);
    if (!found) return found.status();
    if (!found->of_root.empty()) all.push_back(std::move(*found));
  }
  return all;
}

// Those that took so many times as long as the fastest one in their last turn.
void leave_out_hopeless(std::vector<Candidate>& all, double times) {
  double fastest = all.front().turns.back();
  for (const Candidate& each : all) fastest = std::min(fastest, each.turns.back());
  for (Candidate& each : all) each.is_out = each.is_out || each.turns.back() > times * fastest;
}

Status named(const Runtime& runtime, coll::Kind kind, coll::Algorithm algorithm, const Status& status) {
  const std::string call = fmt::format("{} by {}", to_string(kind), to_string(algorithm));
  if (!status.timed_out()) return {status.code(), fmt::format("{}: {}", call, status.to_string())};
  return {Code::timeout,
          fmt::format("{} has not ended within {:.0f} s among {} ranks, which may be too many for the cores here", call,
                      std::chrono::duration<double>(patience_at(runtime, 0)).count(), runtime.size())};
}

}  // namespace

Timeout patience_of(const Runtime& runtime) {
  return patience_at(runtime, runtime.rank());
}

bool Measurement::fits(const Subject& subject) const {
  return subject.bytes <= kMostMemory / (2 * parts_of(subject.kind, runtime_.size()));
}

void Measurement::make_buffers(const Subject& subject) {
  const std::size_t doubles = subject.bytes * parts_of(subject.kind, runtime_.size()) / sizeof(double) + 1;
  send_.resize(std::max(send_.size(), doubles), 1);
  receive_.resize(std::max(receive_.size(), doubles), 0);
}

Result<std::vector<Timing>> Measurement::algorithms(const Subject& subject) {
  make_buffers(subject);
  const auto candidates = candidates_for(runtime_, subject, send_.data(), receive_.data());
  if (!candidates) return candidates.status();
  std::vector<Timing> all;
  for (const Candidate& each : *candidates) all.push_back(each.timing);
  return all;
}

Result<std::vector<Timing>> Measurement::of(const Subject& subject, double seconds) {
  make_buffers(subject);
  auto candidates = candidates_for(runtime_, subject, send_.data(), receive_.data());
  if (!candidates) return candidates.status();
  constexpr double kCold = 4, kWarm = 2;  // times as long as the fastest one is hopeless
  const double most = seconds * 1e6;
  double spent = 0;  // us, the same at all ranks
  // The turn before the first one warms up, with a call of each, and says how many calls fill a slice. Where calls are longer than that
  // all have one turn more.
  for (int turn = -1; turn < kTurns && (turn <= 0 || spent < most); ++turn) {
    const auto in = std::ranges::count_if(*candidates, [](const Candidate& each) { return !each.is_out; });
    const double slice = turn < 0 ? 0 : (most - spent) / double((kTurns - turn) * in);
    for (Candidate& each : *candidates) {
      if (each.is_out) continue;
      const double expected = turn < 0 ? 1 : std::max(each.turns.front(), 1e-3);
      const auto calls = std::size_t(std::clamp(std::floor(slice / expected), 1.0, 5000.0));
      auto time = time_of(runtime_, each.of_root, calls);
      if (!time) return named(runtime_, subject.kind, each.timing.algorithm, time.status());
      if (turn == 0) each.turns.clear();
      each.turns.push_back(*time);
      spent += double(calls) * *time;
    }
    leave_out_hopeless(*candidates, turn < 0 ? kCold : kWarm);
  }
  std::vector<Timing> timings;
  for (Candidate& each : *candidates) {
    each.timing.us = median(std::move(each.turns));
    timings.push_back(each.timing);
  }
  return timings;
}

}  // namespace polder::tune

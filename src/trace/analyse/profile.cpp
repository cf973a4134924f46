#include "trace/analyse/profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace polder::trace {

namespace {

constexpr std::size_t kCells = 1 << 17;  // of the picture
constexpr std::size_t kMostBins = 2048, kMostRows = 256, kMostLong = 6000;
constexpr std::uint64_t kTinyBytes = 1024, kTinyRun = 16, kCompletionRun = 8;

std::size_t bits(std::uint64_t value) {
  return std::size_t(std::bit_width(value));
}

bool longer_call(const LongCall& a, const LongCall& b) {
  return a.end_ns - a.begin_ns > b.end_ns - b.begin_ns;
}

}  // namespace

Profiler::Profiler(const Job& job, std::int64_t duration_ns, Analysis& to, LossBook& book) : to_(to), book_(book) {
  const std::size_t rows = std::min<std::size_t>(job.size(), kMostRows);
  Timeline& timeline = to_.timeline;
  timeline.ranks_per_row = Rank((job.size() + rows - 1) / rows);
  const auto enough = std::size_t(std::min<std::uint64_t>(std::bit_ceil(job.events() | 1), kMostBins));
  timeline.bins = std::clamp<std::size_t>(std::min(kCells / rows, enough), 64, kMostBins);
  timeline.rows.assign(rows, std::vector<std::array<float, kActivities>>(timeline.bins));
  bin_ns_ = std::max(1.0, double(duration_ns) / double(timeline.bins));
}

void Profiler::take(const TraceFile& file, const Event& event) {
  const EventKind like = Job::like(file, event.kind);
  if (event.phase == Phase::counter && like == EventKind::hardware)
    note_hardware(threads_[event.thread], event);
  else if (event.phase == Phase::counter)
    note_counter(file.name_of(event.kind).name, event);
  if (event.phase == Phase::counter || event.phase == Phase::mark) return;
  if (to_.profiles.empty() || to_.profiles.back().rank != file.rank()) {
    RankProfile fresh;
    fresh.rank = file.rank();
    fresh.host = file.host();
    to_.profiles.push_back(std::move(fresh));
  }
  RankProfile& profile = to_.profiles.back();
  const std::string name = file.name_of(event.kind).name;
  count(profile, name, like, event);
  count_algorithm(name, file.algorithm_of(event), event);
  if (event.phase == Phase::async) return;
  if (like == EventKind::runtime) {
    profile.startup_ns += event.end_ns - event.begin_ns;
    book_.add(Cause::startup, file.rank(), ~Rank{0}, name, event.end_ns - event.begin_ns, 1,
              {file.rank(), event.begin_ns, event.end_ns});
  }
  if (like == EventKind::recording_off) profile.off_ns += event.end_ns - event.begin_ns;
  Thread& thread = threads_[event.thread];
  if (is_call(like) || like == EventKind::runtime) {
    if (event.thread == 0)
      thread.calls.add({event.begin_ns, event.end_ns, activity_of(like)},
                       [&](const Interval& interval, int sign) { settle(profile, interval, sign); });
    follow(file.rank(), thread, name, like, event);
    keep_if_long(file, name, like, event);
  } else if (like == EventKind::room) {
    const std::int64_t ns = event.end_ns - event.begin_ns;
    thread.room_ns += ns;
    book_.add_own(Cause::queue_full, file.rank(), ~Rank{0}, name, ns, 1, {file.rank(), event.begin_ns, event.end_ns});
  } else if (like == EventKind::region) {
    count_hardware(file, thread, name, event);
    keep_if_long(file, name, like, event);
  }
}

// The first ones met are kept, where a program has more counters than a page should hold.
void Profiler::note_counter(const std::string& name, const Event& event) {
  constexpr std::size_t kMostCounters = 20, kCounterBins = 100;
  if (to_.counters.size() >= kMostCounters && !to_.counters.contains(name)) return;
  CounterCurve& curve = to_.counters[name];
  curve.bins.resize(kCounterBins);
  const double share = double(event.begin_ns) / std::max(1.0, double(to_.duration_ns));
  for (CounterCurve::Bin* bin :
       {&curve.all, &curve.bins[std::min(std::size_t(share * kCounterBins), kCounterBins - 1)]}) {
    ++bin->events;
    bin->least = std::min(bin->least, event.bytes);
    bin->most = std::max(bin->most, event.bytes);
    bin->sum += double(event.bytes);
  }
}

// Regions lie within each other, so few readings wait for the ends of theirs; more than that is a damaged file.
void Profiler::note_hardware(Thread& thread, const Event& event) {
  constexpr std::size_t kDeepest = 1000;
  thread.hardware[event.begin_ns][event.kind] = event.bytes;
  if (thread.hardware.size() > kDeepest) thread.hardware.erase(thread.hardware.begin());
}

void Profiler::count_hardware(const TraceFile& file, Thread& thread, const std::string& region, const Event& event) {
  const auto first = thread.hardware.find(event.begin_ns), last = thread.hardware.find(event.end_ns);
  if (first == thread.hardware.end() || last == thread.hardware.end()) return;
  RegionCounts& sums = to_.hardware[region];
  ++sums.times;
  for (const auto& [kind, count] : last->second) {
    const auto before = first->second.find(kind);
    if (before == first->second.end() || count < before->second) continue;
    sums.counts[file.name_of(kind).name] += count - before->second;
  }
  thread.hardware.erase(first, thread.hardware.end());
}

void Profiler::count(RankProfile& profile, const std::string& name, EventKind like, const Event& event) {
  CallTotals& totals = profile.calls[name];
  const std::int64_t ns = event.end_ns - event.begin_ns;
  ++totals.count;
  totals.ns += ns;
  totals.bytes += event.bytes;
  if (event.outcome != Code::ok) ++totals.failures;
  ++to_.durations[name][bits(std::uint64_t(ns))];
  if (event.outcome != Code::ok || event.peer == kNoPeer) return;
  if (!is_transfer(like) && like != EventKind::message) return;
  ++to_.sizes[bits(event.bytes)];
  const bool reads = like == EventKind::get;
  PairTraffic& traffic = to_.traffic[reads ? std::pair(event.peer, profile.rank) : std::pair(profile.rank, event.peer)];
  traffic.bytes += event.bytes;
  ++traffic.messages;
  traffic.ns += ns;
}

void Profiler::count_algorithm(const std::string& name, std::string_view algorithm, const Event& event) {
  if (algorithm.empty()) return;
  CallTotals& totals = to_.algorithms[{name, std::string(algorithm)}];
  ++totals.count;
  totals.ns += event.end_ns - event.begin_ns;
  totals.bytes += event.bytes;
  if (event.outcome != Code::ok) ++totals.failures;
}

void Profiler::settle(RankProfile& profile, const Interval& interval, int sign) {
  profile.calls_ns += sign * (interval.end_ns - interval.begin_ns);
  paint(profile.rank, interval, sign);
}

void Profiler::paint(Rank rank, const Interval& interval, int sign) {
  auto& row = to_.timeline.rows[rank / to_.timeline.ranks_per_row];
  const auto bin = [&](std::int64_t ns) { return std::min(row.size() - 1, std::size_t(double(ns) / bin_ns_)); };
  for (std::size_t at = bin(interval.begin_ns); at <= bin(interval.end_ns); ++at) {
    const double from = std::max(double(interval.begin_ns), double(at) * bin_ns_);
    const double to = std::min(double(interval.end_ns), double(at + 1) * bin_ns_);
    if (to > from) row[at][std::size_t(interval.activity)] += float(sign * (to - from));
  }
}

// ---- what one rank's calls tell ----

void Profiler::follow(Rank rank, Thread& thread, const std::string& name, EventKind like, const Event& event) {
  const std::int64_t ns = event.end_ns - event.begin_ns - std::exchange(thread.room_ns, 0);
  const bool puts = like == EventKind::put && event.outcome == Code::ok;
  const bool completes = like == EventKind::queue_wait || like == EventKind::fence;
  const bool same_place = event.peer == thread.puts.peer && event.segment == thread.puts.segment;
  if (thread.puts.count > 0 && (!puts || !same_place || event.bytes > kTinyBytes)) end_puts(rank, thread);
  if (puts && event.bytes <= kTinyBytes) {
    thread.puts.peer = event.peer;
    thread.puts.segment = event.segment;
    thread.puts.call = name;
    if (thread.puts.count == 0) thread.puts.begin_ns = event.begin_ns;
    thread.puts.end_ns = event.end_ns;
    ++thread.puts.count;
    thread.puts.ns += ns;
  }
  if (event.outcome == Code::queue_full) {
    if (!thread.queue_was_full) thread.full_since = event.begin_ns;
    thread.queue_was_full = true;
    thread.full_ns += ns;
  } else if (completes && thread.queue_was_full) {
    book_.add_own(Cause::queue_full, rank, ~Rank{0}, name, thread.full_ns + ns, 1,
                  {rank, thread.full_since, event.end_ns});
    thread.queue_was_full = false;
    thread.full_ns = 0;
    thread.puts_since = 0;
    return;
  }
  if (puts) {
    ++thread.puts_since;
  } else if (completes && thread.puts_since == 1) {
    ++thread.completions.count;
    if (thread.completions.count == 1) thread.completions.begin_ns = event.begin_ns;
    thread.completions.end_ns = event.end_ns;
    thread.completions.ns += ns;
    thread.completions.call = name;
    thread.last_completion_ns = ns;
    thread.puts_since = 0;
  } else {
    end_completions(rank, thread);
    thread.puts_since = 0;
  }
}

// One put of all would take about as long as one of them.
void Profiler::end_puts(Rank rank, Thread& thread) {
  const Run run = std::exchange(thread.puts, Run());
  if (run.count < kTinyRun) return;
  book_.add_own(Cause::tiny_puts, rank, run.peer, run.call, run.ns - run.ns / std::int64_t(run.count), run.count,
                {rank, run.begin_ns, run.end_ns});
}

// Only the last one of a row of them is needed.
void Profiler::end_completions(Rank rank, Thread& thread) {
  const Run run = std::exchange(thread.completions, Run());
  if (run.count < kCompletionRun) return;
  book_.add_own(Cause::remote_completion, rank, ~Rank{0}, run.call, run.ns - thread.last_completion_ns, run.count - 1,
                {rank, run.begin_ns, run.end_ns});
}

void Profiler::finish(const TraceFile& file) {
  for (auto& [number, thread] : threads_) {
    end_puts(file.rank(), thread);
    end_completions(file.rank(), thread);
  }
  threads_.clear();
  if (to_.profiles.empty() || to_.profiles.back().rank != file.rank()) return;
  RankProfile& profile = to_.profiles.back();
  profile.run_delay_ns = file.run_delay_ns;
  profile.useful_ns = std::max<std::int64_t>(to_.duration_ns - profile.off_ns - profile.calls_ns, 0);
}

void Profiler::finish_timeline() {
  for (auto& row : to_.timeline.rows)
    for (auto& bin : row) {
      float called = 0;
      for (float& ns : bin) called += ns = std::max(ns, 0.0f);
      bin[0] = std::max(0.0f, float(bin_ns_) * float(to_.timeline.ranks_per_row) - called);
    }
  std::sort(to_.longest.begin(), to_.longest.end(), longer_call);
  if (to_.longest.size() > kMostLong) to_.longest.resize(kMostLong);
}

void Profiler::keep_if_long(const TraceFile& file, const std::string& name, EventKind like, const Event& event) {
  auto& kept = to_.longest;
  if (event.end_ns - event.begin_ns < shortest_kept_ns_) return;
  kept.push_back({file.rank(), event.thread, name, like, event.begin_ns, event.end_ns, event.peer, event.bytes});
  if (kept.size() < 2 * kMostLong) return;
  std::nth_element(kept.begin(), kept.begin() + kMostLong, kept.end(), longer_call);
  kept.resize(kMostLong);
  shortest_kept_ns_ = kept.back().end_ns - kept.back().begin_ns;
}

}  // namespace polder::trace

#include "trace/read/job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polder::trace {

namespace {

constexpr double kWander = 1e-5;                           // clocks do not keep to lines: by so much of the time
constexpr std::int64_t kFarthest = std::int64_t{1} << 60;  // a machine is not up for 36 years

std::int64_t rounded(double ns) {
  return std::int64_t(std::llround(std::clamp(ns, double(-kFarthest), double(kFarthest))));
}

// Two readings that are far enough apart, of all ranks of a machine.
struct Extremes {
  ClockReading first{.ticks = std::numeric_limits<std::int64_t>::max()};
  ClockReading last{.ticks = std::numeric_limits<std::int64_t>::min()};

  void take(const ClockReading& reading) {
    if (reading.ticks < first.ticks) first = reading;
    if (reading.ticks > last.ticks) last = reading;
  }
};

}  // namespace

Result<Job> Job::open(const std::string& directory) {
  auto paths = find_traces(directory);
  if (!paths) return paths.status();
  Job job;
  for (const std::string& path : *paths) {
    auto file = survey_trace(path);
    if (!file) return file.status();
    job.files_.push_back(*std::move(file));
  }
  std::sort(job.files_.begin(), job.files_.end(),
            [](const TraceFile& a, const TraceFile& b) { return a.rank() < b.rank(); });
  if (Status status = job.check_same_job(); !status.ok()) return status;
  job.number_hosts();
  job.measure_rates();
  job.take_syncs();
  job.refit();
  return job;
}

std::uint64_t Job::events() const {
  std::uint64_t sum = 0;
  for (const TraceFile& file : files_) sum += file.events;
  return sum;
}

Status Job::check_same_job() const {
  const TraceFile& first = files_.front();
  for (std::size_t i = 1; i < files_.size(); ++i) {
    const TraceFile& file = files_[i];
    if (file.header.job != first.header.job || file.header.size != first.header.size)
      return Status(Code::invalid_argument, "trace: " + first.path + " and " + file.path +
                                                " are of different jobs; remove the files of the older one");
    if (file.rank() == files_[i - 1].rank())
      return Status(Code::invalid_argument, "trace: " + files_[i - 1].path + " and " + file.path +
                                                " are both of rank " + std::to_string(file.rank()));
    if (file.header.source != first.header.source && file.host() == first.host())
      return Status(Code::invalid_argument,
                    "trace: " + first.path + " and " + file.path + " tell the time of one machine in two ways");
  }
  return {};
}

void Job::number_hosts() {
  for (const TraceFile& file : files_) {
    const auto known = std::find(hosts_.begin(), hosts_.end(), file.host());
    host_numbers_[file.rank()] = std::size_t(known - hosts_.begin());
    if (known == hosts_.end()) hosts_.push_back(file.host());
  }
}

void Job::measure_rates() {
  std::vector<Extremes> readings(hosts_.size());
  for (const TraceFile& file : files_)
    for (const ClockReading& reading : file.clocks) readings[host_of(file)].take(reading);
  std::int64_t reference = 0;
  start_ns_ = std::numeric_limits<std::int64_t>::max();
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    const ClockReading &a = readings[host].first, &b = readings[host].last;
    const double ticks = double(b.ticks) - double(a.ticks), ns = double(b.monotonic_ns) - double(a.monotonic_ns);
    const bool sane = ticks > 0 && ns > 0 && ns / ticks < 1000 && ns / ticks > 0.001;
    rates_.push_back({a.ticks, a.monotonic_ns, sane ? ns / ticks : 1});
    const std::int64_t offset = rounded(double(a.realtime_ns) - double(a.monotonic_ns));
    if (host == 0) reference = offset;
    guesses_.push_back(rounded(double(offset) - double(reference)));
    const std::int64_t begin = rounded(double(a.monotonic_ns) + double(guesses_.back()));
    start_ns_ = std::min(start_ns_, begin);
    length_ns_ = std::max(length_ns_, ns);
    fits_.emplace_back(a.monotonic_ns, b.monotonic_ns);
  }
}

// Questions to ranks of the first machine bound the offset from both sides at once.
void Job::take_syncs() {
  std::map<Rank, std::size_t> number;
  for (std::size_t i = 0; i < files_.size(); ++i) number[files_[i].rank()] = i;
  for (const TraceFile& file : files_) {
    const std::size_t host = host_of(file);
    for (const SyncRecord& sync : file.syncs) {
      const auto peer = host_numbers_.find(sync.peer);
      if (host == 0 || peer == host_numbers_.end() || peer->second != 0) continue;
      const std::int64_t asked = host_time(host, sync.asked), answered = host_time(host, sync.answered);
      const std::int64_t there = host_time(0, sync.peer_ticks);
      fits_[host].at_most(asked, there - asked);
      fits_[host].at_least(answered, there - answered);
    }
  }
}

void Job::refit() {
  lines_.assign(1, ClockLine{.error_ns = 0});
  for (std::size_t host = 1; host < hosts_.size(); ++host) lines_.push_back(fits_[host].line(double(guesses_[host])));
  start_ns_ = std::numeric_limits<std::int64_t>::max();
  for (const TraceFile& file : files_) {
    const std::size_t host = host_of(file);
    start_ns_ = std::min(start_ns_, lines_[host].correct(host_time(host, file.header.clocks.ticks)));
  }
}

std::int64_t Job::apart_ns(std::size_t one, std::size_t other) const {
  if (one == other) return 0;
  // Where there is no gap between the bounds, the worst of them runs backwards by twice of what is missing.
  const auto error = [this](std::size_t host) {
    const double ns = lines_[host].error_ns;
    return ns < 0 ? -2 * ns : ns;
  };
  return rounded(error(one) + error(other) + kWander * length_ns_);
}

std::int64_t Job::uncorrected(std::size_t host, std::int64_t time_ns) const {
  const ClockLine& line = lines_[host];
  const double corrected = double(time_ns) + double(start_ns_);
  return rounded((corrected - line.offset_ns + line.drift * line.at_ns) / (1 + line.drift));
}

std::int64_t Job::host_time(std::size_t host, std::int64_t ticks) const {
  const Rate& rate = rates_[host];
  if (rate.ns_per_tick == 1 && std::abs(double(ticks)) < double(kFarthest) &&
      std::abs(double(rate.ticks)) < double(kFarthest))
    return rate.monotonic_ns + (ticks - rate.ticks);  // exact
  return rounded(double(rate.monotonic_ns) + std::floor((double(ticks) - double(rate.ticks)) * rate.ns_per_tick));
}

std::int64_t Job::time_of(std::size_t host, std::int64_t ticks) const {
  const std::int64_t here = std::clamp(host_time(host, ticks), -kFarthest, kFarthest);
  return lines_[host].correct(here) - start_ns_;
}

bool Job::put_right(const TraceFile& file, std::size_t host, Event& event) const {
  if (event.phase > Phase::counter) return false;
  event.begin_ns = std::max<std::int64_t>(time_of(host, event.begin_ns), 0);
  event.end_ns = std::max(time_of(host, event.end_ns), event.begin_ns);
  if (event.peer >= file.header.size) event.peer = kNoPeer;
  return event.end_ns < kFarthest;
}

Status Job::for_each_of(const TraceFile& file, const Visitor& visit) {
  const std::size_t host = host_of(file);
  std::uint64_t& odd = odd_[file.rank()];
  odd = 0;  // a pass before met the same
  const auto read = read_trace(file.path, [&](std::span<const Event> events) {
    for (Event event : events) {
      if (put_right(file, host, event))
        visit(file, event);
      else
        ++odd;
    }
  });
  return read.status();
}

Status Job::for_each(const Visitor& visit) {
  for (const TraceFile& file : files_)
    if (Status status = for_each_of(file, visit); !status.ok()) return status;
  return {};
}

EventKind Job::like(const TraceFile& file, EventKind kind) {
  const auto found = file.names.find(std::uint16_t(kind));
  return found == file.names.end() ? kind : found->second.like;
}

}  // namespace polder::trace

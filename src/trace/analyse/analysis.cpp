#include "trace/analyse/analysis.hpp"

#include "trace/analyse/path.hpp"
#include "trace/analyse/profile.hpp"
#include "trace/analyse/sentences.hpp"
#include "trace/analyse/survey.hpp"
#include "trace/analyse/waits.hpp"

#include <algorithm>
#include <exception>

namespace polder::trace {

namespace {

// The kernel counts every short wait for a core; below this share it is no matter.
constexpr std::int64_t kDelayShare = 100;

void note_run_delays(const Analysis& analysis, LossBook& book) {
  for (const RankProfile& profile : analysis.profiles)
    if (std::int64_t(profile.run_delay_ns) > analysis.duration_ns / kDelayShare)
      book.add(Cause::oversubscribed, profile.rank, ~Rank{0}, "", std::int64_t(profile.run_delay_ns));
}

// Rosas, Giménez, Labarta 2014, "Scalability prediction for fundamental performance factors".
void rate(Analysis& analysis) {
  if (analysis.profiles.empty() || analysis.duration_ns <= 0) return;
  double sum = 0, most = 0;
  for (const RankProfile& profile : analysis.profiles) {
    sum += double(profile.useful_ns);
    most = std::max(most, double(profile.useful_ns));
  }
  // What was recorded of the rank of which most was; of a window this is the window.
  const auto least_off = std::ranges::min(analysis.profiles, {}, &RankProfile::off_ns).off_ns;
  if (least_off >= analysis.duration_ns) return;
  const double duration = double(analysis.duration_ns - least_off), average = sum / double(analysis.profiles.size());
  std::int64_t transfer = analysis.path_transfer_ns;
  for (const PathShare& share : analysis.path) transfer += share.ns[std::size_t(Activity::transfer)];
  Efficiencies& rated = analysis.efficiencies;
  rated.parallel = average / duration;
  rated.load_balance = most > 0 ? average / most : 1;
  rated.communication = most / duration;
  // Without transfers no rank could be faster than the one with most to do.
  rated.transfer = std::clamp(1 - double(transfer) / duration, std::max(rated.communication, 1e-9), 1.0);
  rated.serialisation = rated.communication / rated.transfer;
}

Status read_path(Job& job, const std::vector<PathPiece>& pieces, Analysis& analysis) {
  PathReader reader(pieces);
  for (const TraceFile& file : job.files()) {
    Status status = job.for_each_of(file, [&](const TraceFile& of, const Event& event) { reader.take(of, event); });
    if (!status.ok()) return status;
    reader.finish(file);
  }
  reader.tell(analysis);
  return {};
}

}  // namespace

Result<Analysis> analyse(Job& job) {
  Analysis analysis;
  LossBook book;
  Waits waits(analysis, book);
  const auto counts = survey(job, {.flow = [&](const Flow& flow) { waits.take(flow); },
                                   .meeting = [&](std::span<const Attendance> members) { waits.take(members); }});
  if (!counts) return counts.status();
  analysis.duration_ns = counts->end_ns;
  analysis.events = counts->events;
  analysis.ranks = job.size();
  Profiler profiler(job, counts->end_ns, analysis, book);
  for (const TraceFile& file : job.files()) {
    Status status = job.for_each_of(file, [&](const TraceFile& of, const Event& event) { profiler.take(of, event); });
    if (!status.ok()) return status;
    profiler.finish(file);
  }
  profiler.finish_timeline();
  if (Status status = read_path(job, waits.finish(), analysis); !status.ok()) return status;
  note_run_delays(analysis, book);
  analysis.losses = book.losses();
  std::stable_sort(analysis.losses.begin(), analysis.losses.end(),
                   [](const Loss& a, const Loss& b) { return a.ns > b.ns; });
  for (Loss& loss : analysis.losses) put_into_words(loss);
  rate(analysis);
  analysis.remarks = job.remarks();
  return analysis;
}

Result<Analysis> analyse_directory(const std::string& directory) {
  auto job = Job::open(directory);
  if (!job) return job.status();
  try {
    if (Status status = align_clocks(*job); !status.ok()) return status;
    return analyse(*job);
  } catch (const std::exception& problem) {
    return Status(Code::system, std::string("trace: ") + problem.what());
  }
}

}  // namespace polder::trace

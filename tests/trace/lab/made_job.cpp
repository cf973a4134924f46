#include "made_job.hpp"

#include "trace/record/recorder.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace bench {

namespace {

using namespace polder::trace;
using polder::Rank;
using polder::Result;
using polder::Status;

// Events are recorded with the times they say; nobody asks for the time.
class NoTime final : public polder::util::VirtualTime {
 public:
  std::int64_t now_ns() const override { return now; }
  std::uint64_t draw() override { return 0; }
  std::shared_ptr<Task> start(std::string, std::function<void()>) override { return nullptr; }
  void join(Task&) override {}

  std::int64_t now = 0;
};

constexpr std::int64_t kWork = 100'000, kCall = 2'000, kTravel = 3'000;  // ns
constexpr std::uint64_t kEventsOfStep = 6, kStepsBetweenMeetings = 10, kMeetingsBetweenSerial = 5;
constexpr EventKind kSweep = kind_of(EventKind::first_user, 0);
constexpr EventKind kResidual = kind_of(EventKind::first_user, 1);
constexpr KindName kNames[] = {{kSweep, EventKind::region, "sweep", "user"},
                               {kResidual, EventKind::region, "residual", "user"}};

class EventRing {
 public:
  EventRing(const MadeJob& job, std::vector<std::unique_ptr<Recorder>>& recorders)
      : recorders_(recorders), now_(job.ranks, 0), posted_(job.ranks, 0), slow_(job.ranks / 3) {}

  void start() {
    for (Rank rank = 0; rank < size(); ++rank) call(rank, EventKind::runtime, 50 * kWork + std::int64_t(rank) * kCall);
  }

  void step(std::uint64_t number) {
    const auto value = std::uint32_t(number + 1);
    for (Rank rank = 0; rank < size(); ++rank) work(rank, number);
    for (Rank rank = 0; rank < size(); ++rank) {
      posted_[rank] = now_[rank];
      const std::uint64_t bytes = std::uint64_t{64} << (number % 12);
      call(rank, EventKind::put_notify, kCall,
           {.peer = (rank + 1) % size(), .segment = 1, .bytes = bytes, .queue = 0, .notification = 7, .value = value});
    }
    for (Rank rank = 0; rank < size(); ++rank) {
      const std::int64_t there = posted_[(rank + size() - 1) % size()] + kTravel;
      call(rank, EventKind::wait_some, std::max(there - now_[rank], kCall / 10), {.segment = 1, .notification = 7});
      call(rank, EventKind::reset, kCall / 10, {.segment = 1, .notification = 7, .value = value});
    }
  }

  // What an iteration would tell of itself.
  void tell(std::uint64_t number) {
    for (Rank rank = 0; rank < size(); ++rank)
      recorders_[rank]->record(
          make_event(kResidual, Phase::counter, now_[rank], now_[rank], {.bytes = 1'000'000 / (number + 1) + rank}));
  }

  void serial_section() {
    meet(EventKind::barrier);
    now_[0] += 5 * kWork;
    meet(EventKind::barrier);
  }

  void meet(EventKind kind) {
    const std::int64_t last = *std::max_element(now_.begin(), now_.end()) + kCall;
    for (Rank rank = 0; rank < size(); ++rank) call(rank, kind, last - now_[rank], {.segment = 9, .bytes = 8});
  }

 private:
  Rank size() const { return Rank(now_.size()); }

  // A little different in each step, always the same for a rank and step.
  void work(Rank rank, std::uint64_t number) {
    const auto noise = std::int64_t((rank * 2654435761u + number * 40503u) % 1000) * kWork / 10'000;
    const std::int64_t ns = (rank == slow_ ? kWork * 13 / 10 : kWork) + noise;
    call(rank, kSweep, ns);
    // A put within the work, which the queue's wait completes.
    call(rank, EventKind::put, kCall, {.peer = (rank + 1) % size(), .segment = 1, .bytes = 4096, .queue = 1});
    call(rank, EventKind::queue_wait, kCall, {.queue = 1});
  }

  void call(Rank rank, EventKind kind, std::int64_t ns, const Details& details = {}) {
    recorders_[rank]->record(make_event(kind, Phase::span, now_[rank], now_[rank] + ns, details));
    now_[rank] += ns;
  }

  std::vector<std::unique_ptr<Recorder>>& recorders_;
  std::vector<std::int64_t> now_;
  std::vector<std::int64_t> posted_;
  const Rank slow_;
};

}  // namespace

Status make_job(const MadeJob& job) {
  NoTime time;
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    auto recorder = Recorder::open({.directory = job.directory,
                                    .rank = rank,
                                    .size = job.ranks,
                                    .job = 1,
                                    .host = "made-up",
                                    .local_ranks = job.ranks,
                                    .ring_events = 4096,
                                    .clock = polder::util::Clock(time)});
    if (!recorder) return recorder.status();
    if (Status status = (*recorder)->name_kinds(kNames); !status.ok()) return status;
    recorders.push_back(*std::move(recorder));
  }
  EventRing ring(job, recorders);
  ring.start();
  const std::uint64_t steps = job.events / (kEventsOfStep * job.ranks) + 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    ring.step(step);
    if (step % kStepsBetweenMeetings == kStepsBetweenMeetings - 1) ring.meet(EventKind::allreduce);
    if (step % (kStepsBetweenMeetings * kMeetingsBetweenSerial) == 0) {
      ring.serial_section();
      ring.tell(step);
    }
  }
  for (auto& recorder : recorders)
    if (Status status = recorder->close(); !status.ok()) return status;
  return {};
}

}  // namespace bench

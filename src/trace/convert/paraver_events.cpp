#include "trace/convert/paraver_events.hpp"

#include "trace/analyse/sorter.hpp"
#include "trace/convert/paraver_names.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

namespace polder::trace::paraver {

namespace {

constexpr int kRunning = 1;

// An event of a thread, in the order of beginnings; of those that begin together, the longer one is around the other.
struct Boundary {
  Event event;
  bool operator<(const Boundary& other) const {
    if (event.thread != other.event.thread) return event.thread < other.event.thread;
    if (event.begin_ns != other.event.begin_ns) return event.begin_ns < other.event.begin_ns;
    return event.end_ns > other.event.end_ns;
  }
};

int call_type(const TraceFile& file, EventKind kind, const Routine* routine) {
  if (kind >= EventKind::first_user) return kRegion;
  if (routine != nullptr) return kGaspiCall;
  return is_call(Job::like(file, kind)) ? kCall : kInner;
}

// What a file's kinds are called and drawn as, looked up once: an event is a few tens of nanoseconds, a look-up by name too.
class FileKinds {
 public:
  struct Facts {
    std::string name;
    const Routine* routine = nullptr;
    EventKind like = EventKind::none;
    int type = 0;            // of its calls
    int state = 0;           // while it lasts
    int counter = 0;         // the type, from its first event as a counter
    std::int64_t value = 0;  // of its calls, from the first one
    std::int64_t mark = 0;   // likewise of its marks
  };

  FileKinds(const TraceFile& file, Labels& labels) : file_(file), labels_(labels) {}

  const Facts& of(EventKind kind) { return known(kind); }
  const Facts& call(EventKind kind) {
    Facts& facts = known(kind);
    if (facts.value == 0)
      facts.value = facts.routine != nullptr ? facts.routine->value : labels_.value_of(facts.type, facts.name);
    return facts;
  }
  const Facts& mark(EventKind kind) {
    Facts& facts = known(kind);
    if (facts.mark == 0) facts.mark = labels_.value_of(kMark, facts.name);
    return facts;
  }
  const Facts& counter(EventKind kind) {
    Facts& facts = known(kind);
    if (facts.counter == 0) facts.counter = labels_.counter_type(facts.name);
    return facts;
  }

 private:
  Facts& known(EventKind kind) {
    const auto number = std::size_t(kind);
    if (number >= kinds_.size()) kinds_.resize(number + 1);
    if (kinds_[number] == nullptr) kinds_[number] = std::make_unique<Facts>(facts_of(kind));
    return *kinds_[number];
  }
  Facts facts_of(EventKind kind) const {
    Facts facts{.name = file_.name_of(kind).name, .like = Job::like(file_, kind)};
    facts.routine = find_routine(facts.name);
    facts.type = call_type(file_, kind, facts.routine);
    facts.state = facts.routine != nullptr ? facts.routine->state
                  : facts.type == kRegion  ? kRunning
                                           : state_of(facts.like);
    return facts;
  }

  const TraceFile& file_;
  Labels& labels_;
  std::vector<std::unique_ptr<Facts>> kinds_;
};

// Makes the lines of one thread. Its clock only goes forward: what overlaps by a nanosecond is moved by one.
class ThreadLines {
 public:
  ThreadLines(Rank rank, std::uint16_t thread, FileKinds& kinds, Labels& labels, PrvSorter& records)
      : rank_(rank), thread_(thread), kinds_(kinds), labels_(labels), records_(records) {}

  void take(const Event& event) {
    leave_until(event.begin_ns);
    if (event.phase == Phase::counter) return counter(event);
    if (event.phase == Phase::mark) return mark(event);
    enter(event);
  }

  // Up to where its states reach.
  std::int64_t finish() {
    leave_until(INT64_MAX);
    change_state(now_);
    return now_;
  }

 private:
  struct Open {
    Event event;
    const FileKinds::Facts* kind;
    std::int64_t entered;
  };

  PrvRecord record(PrvRecord::What what) const {
    PrvRecord made;
    made.time = now_;
    made.rank = rank_;
    made.thread = thread_;
    made.what = what;
    return made;
  }

  void leave_until(std::int64_t time) {
    while (!open_.empty() && open_.back().event.end_ns <= time) leave();
  }

  void enter(const Event& event) {
    const FileKinds::Facts& kind = kinds_.call(event.kind);
    change_state(event.begin_ns);
    Event kept = event;
    // What lies around this one must not end before it: clocks of a thread that is moved between cores may say so.
    if (!open_.empty()) kept.end_ns = std::min(kept.end_ns, std::max(open_.back().event.end_ns, now_ + 1));
    open_.push_back({kept, &kind, now_});
    PrvRecord line = record(PrvRecord::What::event);
    line.add(kind.type, kind.value);
    add_parameters(line, event, kind.type, kind.routine != nullptr ? kind.routine->entry : kAllParameters);
    records_.push(line);
  }

  void leave() {
    const Open last = open_.back();
    change_state(std::max(last.event.end_ns, last.entered + 1));
    open_.pop_back();
    PrvRecord line = record(PrvRecord::What::event);
    // Of several of one type within each other the outer one goes on: that is the value that holds from now on.
    const int type = last.kind->type;
    const auto outer = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& o) { return o.kind->type == type; });
    const bool outer_ends_too = outer != open_.rend() && outer->event.end_ns <= now_ && outer == open_.rbegin();
    if (!outer_ends_too) line.add(type, outer == open_.rend() ? 0 : outer->kind->value);
    if (last.kind->routine != nullptr && type == kGaspiCall && last.event.outcome == Code::ok)
      add_parameters(line, last.event, type, last.kind->routine->exit);
    const bool failed = last.event.outcome != Code::ok;
    if (failed || has_failed_) line.add(kOutcome, failed ? outcome_value(last.event.outcome) : 0);
    has_failed_ = failed;
    if (line.count > 0) records_.push(line);
  }

  void add_parameters(PrvRecord& line, const Event& event, int type, std::uint8_t which) {
    const int shift = type == kGaspiCall ? kGaspiSize - kSize : 0;
    if (type != kGaspiCall && type != kCall) return;
    if ((which & rank) != 0 && event.peer != kNoPeer) line.add(kRank + shift, std::int64_t(event.peer) + 1);
    if ((which & size) != 0 && (event.bytes != 0 || type == kGaspiCall))
      line.add(kSize + shift, std::int64_t(event.bytes & INT64_MAX));
    if ((which & queue) != 0 && event.queue != kNoQueue) number(line, kQueue + shift, event.queue);
    if ((which & notification) != 0 && event.notification != kNoNotification)
      number(line, kNotification + shift, event.notification);
    if ((which & old_value) != 0) number(line, kNotification + shift, event.value);
  }

  std::int64_t outcome_value(Code outcome) { return labels_.value_of(kOutcome, std::string(to_string(outcome))); }

  void number(PrvRecord& line, int type, std::int64_t value) {
    line.add(type, value + 1);
    labels_.use(type, value + 1);
  }

  void mark(const Event& event) {
    now_ = std::max(now_, event.begin_ns);
    PrvRecord line = record(PrvRecord::What::event);
    line.add(kMark, kinds_.mark(event.kind).mark);
    if (event.kind >= EventKind::first_user) {
      line.add(kMarkValue, std::int64_t(event.bytes & INT64_MAX));
    } else {
      if (event.peer != kNoPeer) line.add(kRank, std::int64_t(event.peer) + 1);
    }
    records_.push(line);
  }

  void counter(const Event& event) {
    now_ = std::max(now_, event.begin_ns);
    PrvRecord line = record(PrvRecord::What::event);
    line.add(kinds_.counter(event.kind).counter, std::int64_t(event.bytes & INT64_MAX));
    records_.push(line);
  }

  // The state so far ends at `time`, or now if that is later.
  void change_state(std::int64_t time) {
    now_ = std::max(now_, time);
    if (now_ == since_) return;  // Extrae drops states of no length
    PrvRecord line = record(PrvRecord::What::state);
    line.time = since_;
    line.add(now_);
    line.add(open_.empty() ? kRunning : open_.back().kind->state);
    records_.push(line);
    since_ = now_;
  }

  static constexpr std::uint8_t kAllParameters = rank | size | queue | notification;

  const Rank rank_;
  const std::uint16_t thread_;
  FileKinds& kinds_;
  Labels& labels_;
  PrvSorter& records_;
  std::vector<Open> open_;
  std::int64_t now_ = 0;
  std::int64_t since_ = 0;
  bool has_failed_ = false;  // the call that ended last: its outcome holds until the next one ends
};

// Puts whose completion somebody waited for, as communication from the put to that moment.
class Completions {
 public:
  Completions(Rank rank, PrvSorter& records) : rank_(rank), records_(records) {}

  void take(EventKind like, const Event& event) {
    if (event.outcome != Code::ok) return;
    if (like == EventKind::put && event.peer != kNoPeer) {
      auto& puts = pending_[event.queue];
      puts.push_back(event);
      if (puts.size() > kMostPending) puts.pop_front();
    } else if (like == EventKind::queue_wait) {
      complete(pending_[event.queue], event);
    } else if (like == EventKind::fence) {
      for (auto& [queue, puts] : pending_) complete(puts, event);
    }
  }

 private:
  static constexpr std::size_t kMostPending = 4096;
  static constexpr std::int64_t kTag = 1'000'000;  // beyond those of notifications that are likely

  void complete(std::deque<Event>& puts, const Event& wait) {
    for (const Event& put : puts) {
      if (put.begin_ns > wait.end_ns) continue;
      PrvRecord line;
      line.time = put.begin_ns;
      line.rank = rank_;
      line.thread = put.thread;
      line.what = PrvRecord::What::communication;
      const std::int64_t handed = std::min(std::max(put.end_ns, put.begin_ns), wait.end_ns);
      for (const std::int64_t number : {put.begin_ns, handed, std::int64_t(put.peer) + 1, std::int64_t{1}, wait.end_ns,
                                        wait.end_ns, std::int64_t(put.bytes & INT64_MAX), kTag})
        line.add(number);
      records_.push(line);
    }
    puts.clear();
  }

  const Rank rank_;
  PrvSorter& records_;
  std::map<std::uint16_t, std::deque<Event>> pending_;
};

}  // namespace

Status add_events(Job& job, const TraceFile& file, const PrvRows& rows, Labels& labels, PrvSorter& records,
                  Tiles& tiles, std::int64_t& end_ns) {
  Sorter<Boundary> boundaries;
  Completions completions(file.rank(), records);
  FileKinds kinds(file, labels);
  Status status = job.for_each_of(file, [&](const TraceFile&, const Event& event) {
    if (event.phase == Phase::async || event.thread >= rows.threads(file.rank())) return;
    boundaries.push({event});
    completions.take(kinds.of(event.kind).like, event);
  });
  if (!status.ok()) return status;
  std::unique_ptr<ThreadLines> lines;
  std::uint16_t thread = 0;
  const auto end_thread = [&] {
    if (lines == nullptr) return;
    const std::int64_t last = lines->finish();
    tiles.set_end(file.rank(), thread, last);
    end_ns = std::max(end_ns, last);
  };
  boundaries.for_each([&](const Boundary& boundary) {
    if (lines == nullptr || boundary.event.thread != thread) {
      end_thread();
      thread = boundary.event.thread;
      lines = std::make_unique<ThreadLines>(file.rank(), thread, kinds, labels, records);
    }
    lines->take(boundary.event);
  });
  end_thread();
  return {};
}

Tiles::Tiles(const PrvRows& rows, Rank ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) ends_.emplace_back(rows.threads(rank), 0);
}

void Tiles::close(std::int64_t end_ns, PrvSorter& records) const {
  for (std::size_t rank = 0; rank < ends_.size(); ++rank)
    for (std::size_t thread = 0; thread < ends_[rank].size(); ++thread) {
      if (ends_[rank][thread] >= end_ns) continue;
      PrvRecord line;
      line.time = ends_[rank][thread];
      line.rank = Rank(rank);
      line.thread = std::uint16_t(thread);
      line.what = PrvRecord::What::state;
      line.add(end_ns);
      line.add(1);
      records.push(line);
    }
}

}  // namespace polder::trace::paraver

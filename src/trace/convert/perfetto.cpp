// Perfetto's protobuf: TracePackets with TrackDescriptors and TrackEvents, written by a small encoder of its own. Fields
// are those of perfetto/trace/trace_packet.proto and track_event/*.proto, whose numbers are a public standard.
#include "trace/analyse/activity.hpp"
#include "trace/analyse/sorter.hpp"
#include "trace/convert/streaming.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace polder::trace {

namespace {

// A message under way: tags, varints, and lengths before what is nested.
class Message {
 public:
  Message& number(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  Message& fixed(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_ += char(value >> (8 * i));
    return *this;
  }
  Message& text(unsigned field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& nested(unsigned field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += char(value | 128);
    bytes_ += char(value);
  }
  std::string bytes_;
};

enum EventType : std::uint64_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };

std::uint64_t process_track(Rank rank) {
  return (std::uint64_t{rank} + 1) << 32;
}
std::uint64_t thread_track(Rank rank, std::uint16_t thread) {
  return process_track(rank) | (std::uint64_t{thread} + 1);
}

// Of events that begin in one nanosecond the viewer takes the one that is written first as the one around the others. Of
// those that end together, too, the one around was recorded last.
struct Slice {
  Event event;
  std::uint64_t number = 0;  // in the order in which they were recorded

  bool operator<(const Slice& other) const {
    if (event.begin_ns != other.event.begin_ns) return event.begin_ns < other.event.begin_ns;
    if (event.end_ns != other.event.end_ns) return event.end_ns > other.event.end_ns;
    return event.begin_ns == event.end_ns ? number < other.number : number > other.number;
  }
};

class PerfettoWriter {
 public:
  explicit PerfettoWriter(Output& out) : out_(out) {}

  void write_rank(const TraceFile& file) {
    const std::string title = "rank " + std::to_string(file.rank()) + " on " + file.host();
    Message process;
    process.number(1, std::uint64_t{file.rank()} + 1).text(6, title);
    Message track;
    track.number(1, process_track(file.rank())).text(2, title).nested(3, process);
    packet(Message().nested(60, track));
    for (const auto& [number, record] : file.threads)
      describe_thread(file, std::uint16_t(number), get_text(record.name));
  }

  void write_event(const TraceFile& file, const Event& event) {
    if (event.phase == Phase::counter) return level(file, event);
    if (&file != slices_of_) write_slices();
    slices_of_ = &file;
    slices_.push({event, slices_.size()});
    note_queue(file, event);
  }

  // Two instants that share the flow's number, within the calls that sent and received.
  void write_flow(const Flow& flow) {
    write_slices();  // arrows come behind all events, and stand within them
    const char* name = flow.what == Flow::What::message ? "message" : "notification";
    const std::uint64_t id = ++flows_;
    at(flow.sent_ns, end_of_flow(thread_track(flow.from, flow.from_thread), name, id));
    at(std::max({flow.received_ns - 1, flow.awaited_ns, flow.sent_ns}),
       end_of_flow(thread_track(flow.to, flow.to_thread), name, id));
    under_way(flow);
  }

 private:
  void write_slices() {
    if (slices_of_ == nullptr) return;
    slices_.for_each([&](const Slice& slice) { write_slice(*slices_of_, slice.event); });
    slices_of_ = nullptr;
  }

  void write_slice(const TraceFile& file, const Event& event) {
    const std::uint64_t track = thread_track(file.rank(), event.thread);
    const NameEntry name = file.name_of(event.kind);
    Message begin;
    begin.number(9, event.phase == Phase::mark ? instant : slice_begin).number(11, track).text(22, name.category);
    begin.text(23, name.name);
    annotate(begin, file, event);
    at(event.begin_ns, begin);
    if (event.phase != Phase::mark) at(event.end_ns, Message().number(9, slice_end).number(11, track));
  }

  static Message end_of_flow(std::uint64_t track, const char* name, std::uint64_t id) {
    Message event;
    event.number(9, instant).number(11, track).text(22, "flow").text(23, name).fixed(47, id);
    return event;
  }

  void describe_thread(const TraceFile& file, std::uint16_t number, std::string name) {
    if (name.empty()) name = "thread " + std::to_string(number);
    Message thread;
    thread.number(1, std::uint64_t{file.rank()} + 1).number(2, std::uint64_t{number} + 1).text(5, name);
    Message track;
    track.number(1, thread_track(file.rank(), number)).number(5, process_track(file.rank())).text(2, name);
    packet(Message().nested(60, track.nested(4, thread)));
  }

  // A counter's track is described where it is met first.
  std::uint64_t counter_track(Rank rank, const std::string& name) {
    const auto [at, fresh] = counters_.try_emplace({rank, name}, std::uint64_t{1} << 62 | (counters_.size() + 1));
    if (fresh) {
      Message track;
      track.number(1, at->second).number(5, process_track(rank)).text(2, name).nested(8, Message());
      packet(Message().nested(60, track));
    }
    return at->second;
  }

  void level(const TraceFile& file, const Event& event) {
    const std::uint64_t track = counter_track(file.rank(), file.name_of(event.kind).name);
    at(event.begin_ns, Message().number(9, counter).number(11, track).number(30, event.bytes));
  }

  // What a rank has posted to each queue since it waited for it last.
  void note_queue(const TraceFile& file, const Event& event) {
    if (file.rank() != queues_of_) write_queues();
    queues_of_ = file.rank();
    const EventKind like = Job::like(file, event.kind);
    const bool waits = like == EventKind::queue_wait;
    if (event.queue == kNoQueue || event.outcome != Code::ok || (!waits && !is_transfer(like))) return;
    queues_[event.queue].push_back({event.end_ns, waits});
    if (++queue_changes_ > kMostChanges) write_queues();
  }

  void write_queues() {
    for (auto& [queue, changes] : queues_) {
      std::sort(changes.begin(), changes.end());
      const std::uint64_t track =
          counter_track(queues_of_, "queue " + std::to_string(queue) + ": posted since the last wait");
      std::uint64_t depth = 0;
      for (const auto& [time, waits] : changes) {
        depth = waits ? 0 : depth + 1;
        at(time, Message().number(9, counter).number(11, track).number(30, depth));
      }
    }
    queues_.clear();
    queue_changes_ = 0;
  }

  // Bytes that have left `from` and have not been seen. Flows come in the order in which they ended, so what a rank began
  // is known late: of all ranks together so much is kept that few begin before what has been written.
  void under_way(const Flow& flow) {
    auto& changes = under_way_[flow.from].changes;
    changes.push_back({flow.sent_ns, std::int64_t(flow.bytes)});
    changes.push_back({std::max(flow.received_ns, flow.sent_ns), -std::int64_t(flow.bytes)});
    level_changes_ += 2;
    if (level_changes_ < kMostChanges) return;
    for (auto& [rank, level] : under_way_) write_levels(rank, level, level.changes.size() / 2);
  }

 public:
  void finish() {
    write_slices();
    write_queues();
    for (auto& [rank, level] : under_way_) write_levels(rank, level, level.changes.size());
  }

 private:
  struct UnderWay {
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // when, and by how many bytes
    std::int64_t bytes = 0, written_ns = 0;                      // of what is in the file already
  };

  // The first `count` changes.
  void write_levels(Rank rank, UnderWay& level, std::size_t count) {
    auto& changes = level.changes;
    std::sort(changes.begin(), changes.end());
    const std::uint64_t track = counter_track(rank, "bytes under way");
    for (std::size_t i = 0; i < count; ++i) {
      level.bytes += changes[i].second;
      level.written_ns = std::max(level.written_ns, changes[i].first);
      const auto bytes = std::uint64_t(std::max<std::int64_t>(level.bytes, 0));
      at(level.written_ns, Message().number(9, counter).number(11, track).number(30, bytes));
    }
    changes.erase(changes.begin(), changes.begin() + std::ptrdiff_t(count));
    level_changes_ -= count;
  }

  static void annotate(Message& to, const TraceFile& file, const Event& event) {
    const auto add = [&](bool given, const char* name, std::uint64_t value) {
      if (given) to.nested(4, Message().text(10, name).number(3, value));
    };
    add(event.peer != kNoPeer, "peer", event.peer);
    add(event.segment != kNoSegment, "segment", event.segment);
    add(event.bytes != 0, "bytes", event.bytes);
    const std::string_view algorithm = file.algorithm_of(event);
    add(event.queue != kNoQueue && algorithm.empty(), "queue", event.queue);
    if (!algorithm.empty()) to.nested(4, Message().text(10, "algorithm").text(6, algorithm));
    add(event.notification != kNoNotification, "notification", event.notification);
    add(event.value != 0, "value", event.value);
    if (event.outcome != Code::ok) to.nested(4, Message().text(10, "outcome").text(6, to_string(event.outcome)));
  }

  void at(std::int64_t time_ns, const Message& event) {
    Message message;
    message.number(8, std::uint64_t(time_ns)).number(10, 1).nested(11, event);
    if (first_) message.number(13, 1);  // the sequence's state begins here
    first_ = false;
    packet(message);
  }
  void packet(const Message& message) { out_.write(Message().nested(1, message).bytes()); }

  static constexpr std::size_t kMostChanges = 1 << 20;

  Output& out_;
  bool first_ = true;
  std::uint64_t flows_ = 0;
  Sorter<Slice> slices_;
  const TraceFile* slices_of_ = nullptr;
  std::map<std::pair<Rank, std::string>, std::uint64_t> counters_;
  std::map<Rank, UnderWay> under_way_;
  std::size_t level_changes_ = 0;  // of all ranks
  Rank queues_of_ = 0;
  std::map<std::uint16_t, std::vector<std::pair<std::int64_t, bool>>> queues_;  // when, and whether it was waited for
  std::size_t queue_changes_ = 0;
};

}  // namespace

Result<ConvertReport> convert_to_perfetto(Job& job, const std::string& output) {
  return convert_streaming<PerfettoWriter>(job, output);
}

}  // namespace polder::trace

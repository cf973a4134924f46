#include "trace/convert/chrome.hpp"

#include "trace/text/json.hpp"

#include <cstdio>

namespace polder::trace {

namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

void append_number(std::string& to, std::uint64_t value) {
  to += std::to_string(value);
}

void append_microseconds(std::string& to, std::int64_t nanoseconds) {
  char text[32];
  const std::uint64_t size = nanoseconds < 0 ? 0 - std::uint64_t(nanoseconds) : std::uint64_t(nanoseconds);
  std::snprintf(text, sizeof text, "%s%llu.%03llu", nanoseconds < 0 ? "-" : "", (unsigned long long)(size / 1000),
                (unsigned long long)(size % 1000));
  to += text;
}

}  // namespace

ChromeWriter::ChromeWriter(Output& out) : out_(out) {
  buffer_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

void ChromeWriter::write_rank(const TraceFile& file) {
  const std::string pid = std::to_string(file.header.pid);
  write_metadata("process_name", file.rank(), 0,
                 "rank " + std::to_string(file.rank()) + " (" + file.host() + ", pid " + pid + ")");
  for (const auto& [thread, record] : file.threads) {
    std::string name = get_text(record.name);
    if (name.empty()) name = "thread " + std::to_string(thread);
    write_metadata("thread_name", file.rank(), thread, name);
  }
  begin_record("M", file.rank(), 0);
  buffer_ += ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":";
  append_number(buffer_, file.rank());
  buffer_ += "}";
  end_record();
}

void ChromeWriter::write_metadata(std::string_view what, Rank rank, std::uint32_t thread, std::string_view text) {
  begin_record("M", rank, thread);
  buffer_ += ",\"name\":";
  append_json_string(buffer_, what);
  buffer_ += ",\"args\":{\"name\":";
  append_json_string(buffer_, text);
  buffer_ += "}";
  end_record();
}

void ChromeWriter::write_event(const TraceFile& file, const Event& event) {
  const NameEntry name = file.name_of(event.kind);
  if (event.phase == Phase::async) return write_async(file, event, name);
  const bool is_span = event.phase == Phase::span, is_counter = event.phase == Phase::counter;
  begin_record(is_span ? "X" : is_counter ? "C" : "i", file.rank(), event.thread);
  add_name(name);
  add_time("ts", event.begin_ns);
  if (is_counter) {
    buffer_ += ",\"args\":{\"value\":";
    append_number(buffer_, event.bytes);
    buffer_ += "}";
    return end_record();
  }
  if (is_span)
    add_time("dur", event.end_ns - event.begin_ns);
  else
    buffer_ += ",\"s\":\"t\"";
  add_args(file, event);
  end_record();
}

void ChromeWriter::write_async(const TraceFile& file, const Event& event, const NameEntry& name) {
  const std::uint64_t id = next_id_++;
  for (const bool begins : {true, false}) {
    begin_record(begins ? "b" : "e", file.rank(), event.thread);
    add_name(name);
    buffer_ += ",\"id\":";
    append_number(buffer_, id);
    add_time("ts", begins ? event.begin_ns : event.end_ns);
    if (begins) add_args(file, event);
    end_record();
  }
}

void ChromeWriter::write_flow(const Flow& flow) {
  const NameEntry name{flow.what == Flow::What::message ? "message" : "notification", "flow", EventKind::none};
  const std::uint64_t id = next_id_++;
  begin_record("s", flow.from, flow.from_thread);
  add_name(name);
  buffer_ += ",\"id\":";
  append_number(buffer_, id);
  add_time("ts", flow.sent_ns);
  end_record();
  // "bp":"e" ties the head of the arrow to the slice around it, not to the next one; one nanosecond before its end is
  // inside. A handler is met at its begin, and before that it is not yet there.
  begin_record("f", flow.to, flow.to_thread);
  add_name(name);
  buffer_ += ",\"bp\":\"e\",\"id\":";
  append_number(buffer_, id);
  add_time("ts", std::max({flow.received_ns - 1, flow.awaited_ns, flow.sent_ns}));
  end_record();
}

void ChromeWriter::finish() {
  buffer_ += "\n]}\n";
  drain(0);
}

void ChromeWriter::begin_record(std::string_view phase, Rank rank, std::uint32_t thread) {
  buffer_ += first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
  first_ = false;
  buffer_ += phase;
  buffer_ += "\",\"pid\":";
  append_number(buffer_, rank);
  buffer_ += ",\"tid\":";
  append_number(buffer_, thread);
}

void ChromeWriter::add_name(const NameEntry& name) {
  buffer_ += ",\"name\":";
  append_json_string(buffer_, name.name);
  buffer_ += ",\"cat\":";
  append_json_string(buffer_, name.category.empty() ? "polder" : name.category);
}

void ChromeWriter::add_time(std::string_view key, std::int64_t nanoseconds) {
  buffer_ += ",\"";
  buffer_ += key;
  buffer_ += "\":";
  append_microseconds(buffer_, nanoseconds);
}

void ChromeWriter::add_args(const TraceFile& file, const Event& event) {
  const char* separator = "";
  const auto add = [&](bool given, std::string_view key, std::uint64_t value) {
    if (!given) return;
    buffer_ += separator;
    buffer_ += '"';
    buffer_ += key;
    buffer_ += "\":";
    append_number(buffer_, value);
    separator = ",";
  };
  buffer_ += ",\"args\":{";
  add(event.peer != kNoPeer, "peer", event.peer);
  add(event.segment != kNoSegment, "segment", event.segment);
  add(event.bytes != 0, "bytes", event.bytes);
  const std::string_view algorithm = file.algorithm_of(event);
  add(event.queue != kNoQueue && algorithm.empty(), "queue", event.queue);
  add(event.notification != kNoNotification, "notification", event.notification);
  add(event.value != 0, "value", event.value);
  if (!algorithm.empty()) {
    buffer_ += separator;
    buffer_ += "\"algorithm\":";
    append_json_string(buffer_, algorithm);
    separator = ",";
  }
  if (event.outcome != Code::ok) {
    buffer_ += separator;
    buffer_ += "\"outcome\":";
    append_json_string(buffer_, to_string(event.outcome));
  }
  buffer_ += "}";
}

void ChromeWriter::end_record() {
  buffer_ += "}";
  drain(kBufferBytes);
}

void ChromeWriter::drain(std::size_t keep) {
  if (buffer_.size() <= keep) return;
  out_.write(buffer_);
  buffer_.clear();
}

}  // namespace polder::trace

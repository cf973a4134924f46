// Writes the JSON that chrome://tracing and ui.perfetto.dev read ("Trace Event Format", JSON object form).
//
// A rank is a process, a thread of it a thread, times are microseconds with three decimals.
#pragma once

#include "trace/analyse/flows.hpp"
#include "trace/convert/output.hpp"
#include "trace/read/reader.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace polder::trace {

class ChromeWriter {
 public:
  // `out` outlives the writer and keeps what goes wrong.
  explicit ChromeWriter(Output& out);

  // Names of the rank and its threads.
  void write_rank(const TraceFile& file);

  // Times of events and flows count from the start of the trace.
  void write_event(const TraceFile& file, const Event& event);

  void write_flow(const Flow& flow);

  // Closes the document. Call once, at the end.
  void finish();

 private:
  void write_metadata(std::string_view what, Rank rank, std::uint32_t thread, std::string_view text);
  void write_async(const TraceFile& file, const Event& event, const NameEntry& name);
  void begin_record(std::string_view phase, Rank rank, std::uint32_t thread);
  void add_name(const NameEntry& name);
  void add_time(std::string_view key, std::int64_t nanoseconds);
  void add_args(const TraceFile& file, const Event& event);
  void end_record();
  void drain(std::size_t keep);

  Output& out_;
  std::string buffer_;
  std::uint64_t next_id_ = 1;
  bool first_ = true;
};

}  // namespace polder::trace

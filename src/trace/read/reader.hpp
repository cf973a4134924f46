// Reads the trace file of one rank, whole or torn, in pieces.
#pragma once

#include "trace/format/event.hpp"
#include "trace/format/file.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::trace {

struct NameEntry {
  std::string name;
  std::string category;
  EventKind like = EventKind::none;
};

// What a file says besides its events.
struct TraceFile {
  std::string path;
  FileHeader header;
  std::map<std::uint16_t, NameEntry> names;           // by kind
  std::map<std::uint32_t, ThreadRecord> threads;      // by thread; the name given last
  std::vector<ClockReading> clocks;                   // the header's, those on the way, the last one
  std::map<std::uint32_t, std::vector<Rank>> groups;  // by tag
  std::vector<SyncRecord> syncs;
  std::uint64_t events = 0;
  Omissions omitted;  // events that the rank did not keep
  std::uint64_t run_delay_ns = 0;
  bool finished = false;  // the rank closed its recorder; false: it was killed or still runs
  std::string damage;     // empty, or where and how the file ends before its end

  Rank rank() const { return header.rank; }
  std::string host() const { return get_text(header.host); }
  // The name of a kind; "kind 4711" where the file has none.
  NameEntry name_of(EventKind kind) const;
  // By which a collective was done; empty for what is none, and where it is not known.
  std::string_view algorithm_of(const Event& event) const;
};

using EventVisitor = std::function<void(std::span<const Event>)>;

// Hands all events, with times in ticks as the file has them, to `visit`, in pieces, each thread's in the order in which they ended. A torn end is no error: what
// is whole is used and `damage` says what is not. system: the file cannot be read. invalid_argument: it is no trace
// file of this version.
Result<TraceFile> read_trace(const std::string& path, const EventVisitor& visit);

// The same without the events, over which it jumps.
Result<TraceFile> survey_trace(const std::string& path);

// The trace files of a directory, sorted by name. system: it cannot be read. invalid_argument: there are none.
Result<std::vector<std::string>> find_traces(const std::string& directory);

}  // namespace polder::trace

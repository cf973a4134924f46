// Reads the trace file of one rank, whole or torn, in pieces.
#pragma once

#include "trace/event.hpp"
#include "trace/format.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace polder::trace {

struct NameEntry {
  std::string name;
  std::string category;
};

// What a file says besides its events.
struct TraceFile {
  std::string path;
  FileHeader header;
  std::map<std::uint16_t, NameEntry> names;       // by kind
  std::map<std::uint32_t, ThreadRecord> threads;  // by thread; the name given last
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;  // events that the rank itself could not keep
  bool finished = false;      // the rank closed its recorder; false: it was killed or still runs
  std::string damage;         // empty, or where and how the file ends before its end

  Rank rank() const { return header.rank; }
  std::string host() const { return get_text(header.host); }
};

using EventVisitor = std::function<void(std::span<const Event>)>;

// Hands all events to `visit`, in pieces, each thread's in the order in which they ended. A torn end is no error: what
// is whole is used and `damage` says what is not. system: the file cannot be read. invalid_argument: it is no trace
// file of this version.
Result<TraceFile> read_trace(const std::string& path, const EventVisitor& visit);

// Only the header, with the same errors.
Result<TraceFile> read_trace_header(const std::string& path);

// The trace files of a directory, sorted by name. system: it cannot be read. invalid_argument: there are none.
Result<std::vector<std::string>> find_traces(const std::string& directory);

}  // namespace polder::trace

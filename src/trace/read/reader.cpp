#include "trace/read/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace polder::trace {

namespace {

// Larger payloads than this are no names or threads of ours; events are read in pieces, however many there are.
constexpr std::uint32_t kLargestText = 1 << 24;
constexpr std::size_t kPieceEvents = 4096;
constexpr std::size_t kMostGroups = 100'000, kMostSyncs = 1'000'000;

class FileReader {
 public:
  FileReader(const std::string& path, EventVisitor visit) : visit_(std::move(visit)) { file_.path = path; }

  Result<TraceFile> read() {
    if (Status status = open(); !status.ok()) return status;
    while (file_.damage.empty() && read_chunk()) {
    }
    if (stream_.bad()) return system_error("cannot read");
    return std::move(file_);
  }

 private:
  Status open() {
    stream_.open(file_.path, std::ios::binary);
    if (!stream_) return system_error("cannot open");
    std::error_code error;
    length_ = std::filesystem::file_size(file_.path, error);
    if (error) return Status(Code::invalid_argument, "trace: " + file_.path + " is no file: " + error.message());
    return read_header();
  }

  Status system_error(const char* what) const {
    return Status(Code::system,
                  std::string("trace: ") + what + " " + file_.path + ": " + std::generic_category().message(errno));
  }

  Status not_a_trace(const std::string& why) const {
    return Status(Code::invalid_argument, "trace: " + file_.path + " " + why);
  }

  template <class T>
  bool read_value(T& value) {
    return read_bytes(&value, sizeof value) == sizeof value;
  }

  std::size_t read_bytes(void* data, std::size_t size) {
    stream_.read(static_cast<char*>(data), std::streamsize(size));
    const auto got = std::size_t(stream_.gcount());
    offset_ += got;
    return got;
  }

  Status read_header() {
    FileHeader& header = file_.header;
    if (!read_value(header) || header.magic != kFileMagic) return not_a_trace("is no trace file");
    if (header.version != kFileVersion || header.event_bytes != sizeof(Event))
      return not_a_trace("is a trace of version " + std::to_string(header.version) + ", this program reads version " +
                         std::to_string(kFileVersion));
    if (header.source > ClockSource::cycles) return not_a_trace("has a clock that nobody knows");
    file_.clocks.push_back(header.clocks);
    if (header.rank >= header.size)
      return not_a_trace("says it is of rank " + std::to_string(header.rank) + " of " + std::to_string(header.size));
    return {};
  }

  // False at the end of the file.
  bool read_chunk() {
    chunk_start_ = offset_;
    ChunkHeader chunk;
    const std::size_t got = read_bytes(&chunk, sizeof chunk);
    if (got == 0) return false;
    if (got < sizeof chunk) return damaged("a torn chunk header");
    if (chunk.magic != kChunkMagic) return damaged("bytes that are no chunk");
    switch (chunk.type) {
      case ChunkType::events: return read_events(chunk);
      case ChunkType::names: return read_names(chunk);
      case ChunkType::thread: return read_thread(chunk);
      case ChunkType::finish: return read_finish(chunk);
      case ChunkType::clock: return read_clock(chunk);
      case ChunkType::group: return read_group(chunk);
      case ChunkType::sync: return read_syncs(chunk);
    }
    return skip(chunk);
  }

  bool damaged(const char* what) {
    file_.damage = std::string(what) + " at byte " + std::to_string(chunk_start_);
    return false;
  }

  bool read_events(const ChunkHeader& chunk) {
    if (chunk.bytes != chunk.count * std::uint64_t(sizeof(Event))) return damaged("an event chunk of an odd size");
    if (!visit_) return skip_events(chunk);
    pieces_.resize(std::min<std::size_t>(chunk.count, kPieceEvents));
    for (std::size_t left = chunk.count; left > 0;) {
      const std::size_t wanted = std::min(left, pieces_.size());
      const std::size_t got = read_bytes(pieces_.data(), wanted * sizeof(Event)) / sizeof(Event);
      file_.events += got;
      if (got > 0) visit_(std::span(pieces_.data(), got));
      if (got < wanted) return damaged("a torn event chunk");
      left -= got;
    }
    return true;
  }

  bool skip_events(const ChunkHeader& chunk) {
    const std::uint64_t whole = std::min<std::uint64_t>(chunk.bytes, length_ - std::min(length_, offset_));
    file_.events += whole / sizeof(Event);
    if (whole < chunk.bytes) return damaged("a torn event chunk");
    stream_.seekg(std::streamoff(chunk.bytes), std::ios::cur);
    offset_ += chunk.bytes;
    return true;
  }

  bool read_names(const ChunkHeader& chunk) {
    if (chunk.bytes > kLargestText) return damaged("a name chunk that is too large");
    std::string text(chunk.bytes, '\0');
    if (read_bytes(text.data(), text.size()) < text.size()) return damaged("a torn name chunk");
    std::string_view rest(text);
    for (std::uint32_t i = 0; i < chunk.count; ++i)
      if (!read_name(rest)) return damaged("a name chunk that ends early");
    return true;
  }

  bool read_name(std::string_view& rest) {
    constexpr std::size_t kFixed = 6;
    if (rest.size() < kFixed) return false;
    std::uint16_t kind, like;
    std::memcpy(&kind, rest.data(), sizeof kind);
    std::memcpy(&like, rest.data() + sizeof kind, sizeof like);
    const std::size_t name = std::uint8_t(rest[4]), category = std::uint8_t(rest[5]);
    if (rest.size() < kFixed + name + category) return false;
    file_.names[kind] = {std::string(rest.substr(kFixed, name)), std::string(rest.substr(kFixed + name, category)),
                         EventKind(like)};
    rest.remove_prefix(kFixed + name + category);
    return true;
  }

  bool read_thread(const ChunkHeader& chunk) {
    ThreadRecord record;
    if (chunk.bytes != sizeof record) return damaged("a thread chunk of an odd size");
    if (!read_value(record)) return damaged("a torn thread chunk");
    file_.threads[record.thread] = record;
    return true;
  }

  bool read_finish(const ChunkHeader& chunk) {
    FinishRecord record;
    if (chunk.bytes != sizeof record) return damaged("a finish chunk of an odd size");
    if (!read_value(record)) return damaged("a torn finish chunk");
    file_.finished = true;
    file_.omitted = record.omitted;
    file_.run_delay_ns = record.run_delay_ns;
    file_.clocks.push_back(record.clocks);
    return true;
  }

  bool read_clock(const ChunkHeader& chunk) {
    ClockReading reading;
    if (chunk.bytes != sizeof reading) return damaged("a clock chunk of an odd size");
    if (!read_value(reading)) return damaged("a torn clock chunk");
    // The first and the last tell the rate; those between are for the ranks that come to no last one.
    if (file_.clocks.size() > 1) file_.clocks.pop_back();
    file_.clocks.push_back(reading);
    return true;
  }

  bool read_group(const ChunkHeader& chunk) {
    GroupRecord record;
    if (chunk.bytes < sizeof record || chunk.bytes > kLargestText) return damaged("a group chunk of an odd size");
    if (!read_value(record)) return damaged("a torn group chunk");
    if (chunk.bytes - sizeof record != record.members * std::uint64_t(sizeof(Rank)))
      return damaged("a group chunk of an odd size");
    std::vector<Rank> members(record.members);
    if (read_bytes(members.data(), members.size() * sizeof(Rank)) < members.size() * sizeof(Rank))
      return damaged("a torn group chunk");
    if (file_.groups.size() < kMostGroups) file_.groups[record.tag] = std::move(members);
    return true;
  }

  bool read_syncs(const ChunkHeader& chunk) {
    if (chunk.bytes != chunk.count * std::uint64_t(sizeof(SyncRecord)) || chunk.bytes > kLargestText)
      return damaged("a sync chunk of an odd size");
    std::vector<SyncRecord> records(chunk.count);
    if (read_bytes(records.data(), chunk.bytes) < chunk.bytes) return damaged("a torn sync chunk");
    if (file_.syncs.size() < kMostSyncs) file_.syncs.insert(file_.syncs.end(), records.begin(), records.end());
    return true;
  }

  bool skip(const ChunkHeader& chunk) {
    if (chunk.bytes > length_ - std::min(length_, offset_)) return damaged("a torn chunk");
    stream_.seekg(std::streamoff(chunk.bytes), std::ios::cur);
    offset_ += chunk.bytes;
    return true;
  }

  const EventVisitor visit_;
  TraceFile file_;
  std::ifstream stream_;
  std::uint64_t offset_ = 0;
  std::uint64_t length_ = 0;  // of the file when it was opened
  std::uint64_t chunk_start_ = 0;
  std::vector<Event> pieces_;
};

}  // namespace

Result<TraceFile> read_trace(const std::string& path, const EventVisitor& visit) {
  return FileReader(path, visit).read();
}

Result<TraceFile> survey_trace(const std::string& path) {
  return FileReader(path, {}).read();
}

NameEntry TraceFile::name_of(EventKind kind) const {
  const auto found = names.find(std::uint16_t(kind));
  if (found != names.end()) return found->second;
  return {"kind " + std::to_string(std::uint16_t(kind)), "unnamed", kind};
}

std::string_view TraceFile::algorithm_of(const Event& event) const {
  if (event.queue == kNoQueue || event.kind < EventKind::barrier) return {};
  const auto kind = names.find(std::uint16_t(event.kind));
  const EventKind like = kind != names.end() ? kind->second.like : event.kind;
  if (!is_collective(like)) return {};
  const auto found = names.find(std::uint16_t(algorithm_kind(event.queue)));
  const bool known = found != names.end() && found->second.category == "algorithm";
  return known ? std::string_view(found->second.name) : std::string_view();
}

Result<std::vector<std::string>> find_traces(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kFileSuffix) paths.push_back(it->path().string());
  if (error) return Status(Code::system, "trace: cannot read the directory " + directory + ": " + error.message());
  if (paths.empty())
    return Status(Code::invalid_argument, "trace: no files rank-*" + std::string(kFileSuffix) + " in " + directory);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace polder::trace

// The Open Trace Format 2, by the library of its makers: a folder with an anchor, definitions, and a file a thread.
#include "trace/analyse/sorter.hpp"
#include "trace/analyse/survey.hpp"
#include "trace/convert/convert.hpp"
#include "trace/convert/otf2_archive.hpp"
#include "trace/convert/otf2_location.hpp"
#include "trace/format/kind.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace polder::trace {
namespace {

using What = Otf2Record::What;

void add_event(const TraceFile& file, const Event& event, Sorter<Otf2Record>& records) {
  const bool is_span = event.phase == Phase::span;
  records.push({file.rank(), event.thread, is_span ? What::span : What::instant, event});
  if (event.phase == Phase::async && is_collective(Job::like(file, event.kind)))
    records.push({file.rank(), event.thread, What::ended, event});
}

// Within the call that saw it. Where clocks of machines leave a message running backwards, it takes no time at all.
void add_flow(const Flow& flow, Sorter<Otf2Record>& records) {
  Event event;
  event.begin_ns = event.end_ns = std::max(flow.received_ns, flow.awaited_ns);
  event.peer = flow.from;
  event.segment = flow.what == Flow::What::message ? kNoSegment : flow.segment;
  records.push({flow.to, flow.to_thread, What::notified, event});
}

std::string name_of(const TraceFile* file, std::uint32_t thread) {
  if (file != nullptr)
    if (const auto known = file->threads.find(thread); known != file->threads.end())
      if (std::string name = get_text(known->second.name); !name.empty()) return name;
  return "thread " + std::to_string(thread);
}

// Writes the locations, one after the other.
class Otf2Locations {
 public:
  Otf2Locations(Job& job, Otf2Archive& archive) : archive_(archive), names_(job, archive) {
    for (const TraceFile& file : job.files()) files_[file.rank()] = &file;
    for (Rank rank = 0; rank < job.size(); ++rank) locations_.push_back({rank, name_of(file_of(rank), 0), 0, rank});
  }

  void add(const Otf2Record& record) {
    if (!current_ || std::pair(record.rank, record.thread) != at_) open(record.rank, record.thread);
    current_->add(record);
  }

  const std::vector<Otf2Archive::Location>& finish() {
    close();
    // Readers expect a file of every location, also of a rank of which nothing is known.
    for (Otf2Archive::Location& location : locations_)
      if (location.events == 0) archive_.close_events(archive_.open_events(location.number));
    return locations_;
  }

 private:
  const TraceFile* file_of(Rank rank) const {
    const auto known = files_.find(rank);
    return known == files_.end() ? nullptr : known->second;
  }

  void open(Rank rank, std::uint16_t thread) {
    close();
    at_ = {rank, thread};
    number_ = thread == 0 ? rank : locations_.size();
    if (thread != 0) locations_.push_back({number_, name_of(file_of(rank), thread), 0, rank});
    writer_ = archive_.open_events(number_);
    current_.emplace(names_, *file_of(rank), writer_);
  }

  void close() {
    if (!current_) return;
    current_->finish();
    current_.reset();
    locations_[number_].events = archive_.close_events(writer_);
  }

  Otf2Archive& archive_;
  Otf2Names names_;
  std::map<Rank, const TraceFile*> files_;
  std::vector<Otf2Archive::Location> locations_;
  std::pair<Rank, std::uint16_t> at_;
  std::uint64_t number_ = 0;
  OTF2_EvtWriter* writer_ = nullptr;
  std::optional<Otf2Location> current_;
};

Result<ConvertReport> convert_to_otf2(Job& job, const std::string& output) {
  Otf2Archive archive(output);
  Sorter<Otf2Record> records;
  Status status = job.for_each([&](const TraceFile& file, const Event& event) { add_event(file, event, records); });
  if (!status.ok()) return status;
  const auto has_file = [&](Rank rank) {
    return std::ranges::any_of(job.files(), [&](const TraceFile& file) { return file.rank() == rank; });
  };
  std::vector<bool> present(job.size());
  for (Rank rank = 0; rank < job.size(); ++rank) present[rank] = has_file(rank);
  const auto counts = survey(job, {.flow =
                                       [&](const Flow& flow) {
                                         if (present[flow.to]) add_flow(flow, records);
                                       },
                                   .meeting = {}});
  if (!counts) return counts.status();

  Otf2Locations locations(job, archive);
  records.for_each([&](const Otf2Record& record) { locations.add(record); });

  Otf2Archive::Place place{.hosts = job.hosts(),
                           .host_of = std::vector<std::size_t>(job.size(), 0),
                           .locations = locations.finish(),
                           .length_ns = counts->end_ns,
                           .realtime_ns = job.files().front().header.clocks.realtime_ns};
  for (const TraceFile& file : job.files()) place.host_of[file.rank()] = job.host_of(file);
  archive.define(place);
  archive.close();
  return ConvertReport{{output},      Rank(job.files().size()), counts->events,
                       counts->flows, counts->end_ns,           job.remarks()};
}

}  // namespace

Format otf2_format() {
  return {"otf2", ".otf2", "the Open Trace Format 2, for Vampir, Score-P and others: a folder", convert_to_otf2};
}

}  // namespace polder::trace

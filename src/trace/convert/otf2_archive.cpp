#include "trace/convert/otf2_archive.hpp"

#include "trace/convert/output.hpp"
#include "util/replaced_file.hpp"

#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace polder::trace {
namespace {

namespace fs = std::filesystem;

constexpr char kAnchor[] = "traces";  // as Score-P calls it
constexpr std::uint64_t kEventChunk = 1 << 20, kDefinitionChunk = 4 << 20;

OTF2_FlushType always_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// No records of it: the program that is shown did not wait for it.
constexpr OTF2_FlushCallbacks kFlush = {.otf2_pre_flush = always_flush, .otf2_post_flush = nullptr};

bool is_archive(const fs::path& path) {
  return fs::is_regular_file(path / (std::string(kAnchor) + ".otf2"));
}

// What has the name of a part is somebody's.
std::string free_part_name(const std::string& path) {
  int number = 1;
  while (fs::exists(fs::symlink_status(part_name(path, number)))) ++number;
  return part_name(path, number);
}

// The library would print it.
OTF2_ErrorCode keep_words(void* words, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char* format,
                          va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  *static_cast<std::string*>(words) = text;
  return code;
}

}  // namespace

Otf2Archive::Otf2Archive(const std::string& path, Unopened)
    : path_(util::target_of_links(path)), part_(free_part_name(path_)) {}

// From here on the object counts as made, so what fails below leaves nothing open.
Otf2Archive::Otf2Archive(const std::string& path) : Otf2Archive(path, Unopened()) {
  if (fs::exists(path_) && !is_archive(path_))
    throw std::runtime_error("cannot write " + path_ + ": it is there and no OTF2 archive, which is a folder");
  OTF2_Error_RegisterCallback(keep_words, &words_);
  archive_ = OTF2_Archive_Open(part_.c_str(), kAnchor, OTF2_FILEMODE_WRITE, kEventChunk, kDefinitionChunk,
                               OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) throw std::runtime_error("cannot write " + part_ + ": " + words_);
  check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  check(OTF2_Archive_SetCreator(archive_, "Polder"));
  check(OTF2_Archive_OpenEvtFiles(archive_));
  string("");
}

Otf2Archive::~Otf2Archive() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  std::error_code ignored;
  fs::remove_all(part_, ignored);
  OTF2_Error_RegisterCallback(nullptr, nullptr);
}

void Otf2Archive::check(OTF2_ErrorCode code) const {
  if (code == OTF2_SUCCESS) return;
  throw std::runtime_error("cannot write " + part_ + ": " +
                           (words_.empty() ? OTF2_Error_GetDescription(code) : words_));
}

// ---- events ----

OTF2_EvtWriter* Otf2Archive::open_events(std::uint64_t location) {
  OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, location);
  if (writer == nullptr) throw std::runtime_error("cannot write " + part_ + ": " + words_);
  return writer;
}

std::uint64_t Otf2Archive::close_events(OTF2_EvtWriter* writer) {
  std::uint64_t events = 0;
  check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  check(OTF2_Archive_CloseEvtWriter(archive_, writer));
  return events;
}

// ---- definitions ----

OTF2_StringRef Otf2Archive::string(std::string_view text) {
  const auto known = strings_.find(text);
  if (known != strings_.end()) return known->second;
  const auto [at, fresh] = strings_.emplace(text, OTF2_StringRef(strings_.size()));
  texts_.push_back(at->first);
  return at->second;
}

OTF2_RegionRef Otf2Archive::region(const std::string& name, const std::string& category, OTF2_RegionRole role) {
  const auto [at, fresh] = region_numbers_.try_emplace({name, category}, OTF2_RegionRef(regions_.size()));
  if (fresh) regions_.push_back({string(name), string(category), role});
  return at->second;
}

OTF2_CommRef Otf2Archive::communicator(const std::string& name, std::span<const Rank> ranks) {
  communicators_.push_back({string(name), {ranks.begin(), ranks.end()}});
  return OTF2_CommRef(communicators_.size() - 1);
}

OTF2_RmaWinRef Otf2Archive::window(const std::string& name, OTF2_CommRef communicator) {
  const auto [at, fresh] = window_numbers_.try_emplace(name, OTF2_RmaWinRef(windows_.size()));
  if (fresh) windows_.push_back({string(name), communicator});
  return at->second;
}

OTF2_MetricRef Otf2Archive::metric(const std::string& name, bool counts_up) {
  const auto [at, fresh] = metric_numbers_.try_emplace(name, OTF2_MetricRef(metrics_.size()));
  if (fresh) metrics_.push_back({string(name), counts_up});
  return at->second;
}

OTF2_AttributeRef Otf2Archive::attribute(const std::string& name, const std::string& description, OTF2_Type type) {
  attributes_.push_back({string(name), string(description), type});
  return OTF2_AttributeRef(attributes_.size() - 1);
}

void Otf2Archive::define(const Place& place) {
  check(OTF2_Archive_CloseEvtFiles(archive_));
  check(OTF2_Archive_OpenDefFiles(archive_));
  for (const Location& location : place.locations) {
    OTF2_DefWriter* const local = OTF2_Archive_GetDefWriter(archive_, location.number);
    check(OTF2_Archive_CloseDefWriter(archive_, local));
  }
  check(OTF2_Archive_CloseDefFiles(archive_));
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (definitions_ == nullptr) throw std::runtime_error("cannot write " + part_ + ": " + words_);
  check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, 0, std::uint64_t(place.length_ns) + 1,
                                                  std::uint64_t(place.realtime_ns)));
  // Strings first, also those that the rest brings along.
  const OTF2_StringRef polder = string("Polder"), machine = string("machine"), node = string("node"),
                       count = string("#"), everything = string("all ranks");
  for (const std::string& host : place.hosts) string(host);
  for (Rank rank = 0; rank < place.host_of.size(); ++rank) string("rank " + std::to_string(rank));
  for (const Location& location : place.locations) string(location.name);
  for (OTF2_StringRef number = 0; number < texts_.size(); ++number)
    check(OTF2_GlobalDefWriter_WriteString(definitions_, number, std::string(texts_[number]).c_str()));
  check(OTF2_GlobalDefWriter_WriteParadigm(definitions_, OTF2_PARADIGM_GASPI, polder, OTF2_PARADIGM_CLASS_PROCESS));
  for (OTF2_AttributeRef i = 0; i < attributes_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteAttribute(definitions_, i, attributes_[i].name, attributes_[i].description,
                                              attributes_[i].type));
  check(
      OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, everything, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (std::uint32_t host = 0; host < place.hosts.size(); ++host)
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, host + 1, string(place.hosts[host]), node, 0));
  define_places(place);
  for (OTF2_RegionRef i = 0; i < regions_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteRegion(definitions_, i, regions_[i].name, regions_[i].name, regions_[i].category,
                                           regions_[i].role, OTF2_PARADIGM_GASPI, OTF2_REGION_FLAG_NONE,
                                           regions_[i].category, 0, 0));
  define_groups(place);
  for (OTF2_RmaWinRef i = 0; i < windows_.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteRmaWin(definitions_, i, windows_[i].name, windows_[i].communicator,
                                           OTF2_RMA_WIN_FLAG_NONE));
  for (OTF2_MetricMemberRef i = 0; i < metrics_.size(); ++i) {
    const OTF2_MetricMode mode = metrics_[i].counts_up ? OTF2_METRIC_ACCUMULATED_START : OTF2_METRIC_ABSOLUTE_POINT;
    check(OTF2_GlobalDefWriter_WriteMetricMember(definitions_, i, metrics_[i].name, 0, OTF2_METRIC_TYPE_OTHER, mode,
                                                 OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, count));
    check(OTF2_GlobalDefWriter_WriteMetricClass(definitions_, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS,
                                                OTF2_RECORDER_KIND_CPU));
  }
}

void Otf2Archive::define_places(const Place& place) {
  for (Rank rank = 0; rank < place.host_of.size(); ++rank)
    check(OTF2_GlobalDefWriter_WriteLocationGroup(
        definitions_, rank, string("rank " + std::to_string(rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
        OTF2_SystemTreeNodeRef(place.host_of[rank] + 1), OTF2_UNDEFINED_LOCATION_GROUP));
  for (const Location& location : place.locations)
    check(OTF2_GlobalDefWriter_WriteLocation(definitions_, location.number, string(location.name),
                                             OTF2_LOCATION_TYPE_CPU_THREAD, location.events, location.rank));
}

// One list of the locations that stand for ranks; groups are places in it.
void Otf2Archive::define_groups(const Place& place) {
  std::vector<std::uint64_t> all(place.host_of.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = rank;
  const auto write = [&](OTF2_GroupRef number, OTF2_StringRef name, OTF2_GroupType type,
                         const std::vector<std::uint64_t>& members) {
    check(OTF2_GlobalDefWriter_WriteGroup(definitions_, number, name, type, OTF2_PARADIGM_GASPI, OTF2_GROUP_FLAG_NONE,
                                          std::uint32_t(members.size()), members.data()));
  };
  write(0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
  for (OTF2_CommRef i = 0; i < communicators_.size(); ++i) {
    const Communicator& communicator = communicators_[i];
    write(i + 1, communicator.name, OTF2_GROUP_TYPE_COMM_GROUP, communicator.ranks.empty() ? all : communicator.ranks);
    check(OTF2_GlobalDefWriter_WriteComm(definitions_, i, communicator.name, i + 1,
                                         i == 0 ? OTF2_UNDEFINED_COMM : OTF2_CommRef{0}, OTF2_COMM_FLAG_NONE));
  }
}

void Otf2Archive::close() {
  OTF2_Archive* const archive = std::exchange(archive_, nullptr);
  check(OTF2_Archive_CloseGlobalDefWriter(archive, definitions_));
  check(OTF2_Archive_Close(archive));
  fs::remove_all(path_);
  fs::rename(part_, path_);
}

}  // namespace polder::trace

// An OTF2 archive under way: the library's handles, and the definitions that its events refer to. Its files appear
// under the name that was asked for when all is written.
#pragma once

#include <polder/types.hpp>

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace polder::trace {

class Otf2Archive {
 public:
  // Throws std::runtime_error, as all members do, with the library's words: `path` is something else than an archive,
  // or cannot be written.
  explicit Otf2Archive(const std::string& path);
  ~Otf2Archive();
  Otf2Archive(const Otf2Archive&) = delete;
  Otf2Archive& operator=(const Otf2Archive&) = delete;

  // ---- events ----
  // One location at a time.
  OTF2_EvtWriter* open_events(std::uint64_t location);
  // How many there are.
  std::uint64_t close_events(OTF2_EvtWriter* writer);

  // ---- definitions ----
  // What was asked for before has its number.
  OTF2_StringRef string(std::string_view text);
  OTF2_RegionRef region(const std::string& name, const std::string& category, OTF2_RegionRole role);
  // A communicator of these ranks, of all if empty.
  OTF2_CommRef communicator(const std::string& name, std::span<const Rank> ranks);
  OTF2_RmaWinRef window(const std::string& name, OTF2_CommRef communicator);
  OTF2_MetricRef metric(const std::string& name, bool counts_up);
  OTF2_AttributeRef attribute(const std::string& name, const std::string& description, OTF2_Type type);

  struct Location {
    std::uint64_t number = 0;
    std::string name;
    std::uint64_t events = 0;
    Rank rank = 0;
  };
  struct Place {
    std::vector<std::string> hosts;
    std::vector<std::size_t> host_of;  // by rank
    std::vector<Location> locations;   // the first thread of rank r is number r
    std::int64_t length_ns = 0;
    std::int64_t realtime_ns = 0;  // of its beginning
  };
  // The last call but close(): what all of it stands on.
  void define(const Place& place);
  void close();

 private:
  struct Unopened {};
  Otf2Archive(const std::string& path, Unopened);
  void check(OTF2_ErrorCode code) const;
  void define_places(const Place& place);
  void define_groups(const Place& place);

  struct Region {
    OTF2_StringRef name, category;
    OTF2_RegionRole role;
  };
  struct Communicator {
    OTF2_StringRef name;
    std::vector<std::uint64_t> ranks;  // empty: all
  };
  struct Window {
    OTF2_StringRef name;
    OTF2_CommRef communicator;
  };
  struct Metric {
    OTF2_StringRef name;
    bool counts_up;
  };
  struct Attribute {
    OTF2_StringRef name, description;
    OTF2_Type type;
  };

  const std::string path_, part_;
  std::string words_;  // the library's, of its last error
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::map<std::string, OTF2_StringRef, std::less<>> strings_;
  std::vector<std::string_view> texts_;  // by number
  std::map<std::pair<std::string, std::string>, OTF2_RegionRef> region_numbers_;
  std::map<std::string, OTF2_RmaWinRef> window_numbers_;
  std::map<std::string, OTF2_MetricRef> metric_numbers_;
  std::vector<Region> regions_;
  std::vector<Communicator> communicators_;
  std::vector<Window> windows_;
  std::vector<Metric> metrics_;
  std::vector<Attribute> attributes_;
};

}  // namespace polder::trace

// Any bytes as the only trace file of a job: what reads it whole, analyses it and makes a page of it comes to an end,
// and the numbers are sane.
#include "trace/analyse/analysis.hpp"
#include "trace/report/page.hpp"
#include "trace/report/stats.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

// In memory, where the machine has such a folder.
std::string make_folder() {
  const bool memory = std::filesystem::exists("/dev/shm");
  std::string folder = memory ? "/dev/shm/polder-fuzz-XXXXXX" : "/tmp/polder-fuzz-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) std::abort();
  return folder;
}

struct Folder {
  std::string path = make_folder();
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder::trace;
  static const Folder folder;
  std::ofstream(folder.path + "/rank-000000.trace", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), std::streamsize(size));
  const auto analysis = analyse_directory(folder.path);
  if (!analysis.ok()) return 0;
  if (analysis->duration_ns < 0 || analysis->events > size / sizeof(Event)) std::abort();
  for (const Loss& loss : analysis->losses)
    if (loss.ns <= 0 || loss.sentence.empty()) std::abort();
  for (const PathShare& share : analysis->path)
    if (share.rank >= analysis->ranks) std::abort();
  if (stats_json(*analysis).empty()) std::abort();
  // The picture of many ranks is as large whatever the file says, and would be most of the time.
  if (analysis->ranks <= 8 && page_html(*analysis, "fuzz").size() > 5'000'000) std::abort();
  return 0;
}

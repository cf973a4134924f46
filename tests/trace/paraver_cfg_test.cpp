// The configurations for Paraver that ship: each is one that Paraver reads, and
// selects event types that our traces have, by number and by label.
#include "trace/convert/convert.hpp"

#include "trace_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#ifndef POLDER_TEST_SOURCE
#error the folder of this file is needed
#endif

namespace polder::trace {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the first group of each match holds.
std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) all.push_back((*at)[1]);
  return all;
}

class ParaverCfgTest : public TraceTest {
 protected:
  std::string pcf() {
    open(options(0, 1))->record(event_at(EventKind::put, 1, 2, {.peer = 0, .bytes = 8}));
    auto job = Job::open(directory_);
    EXPECT_TRUE(job.ok() && convert_to_paraver(*job, directory_ + "/trace.prv").ok());
    return content_of(directory_ + "/trace.pcf");
  }
};

TEST_F(ParaverCfgTest, SelectWhatTracesHave) {
  const std::string labels = pcf();
  std::set<std::string> names;
  std::size_t selected = 0;
  for (const auto& entry : std::filesystem::directory_iterator(POLDER_TEST_SOURCE "/../../share/polder/paraver")) {
    if (entry.path().extension() != ".cfg") continue;
    SCOPED_TRACE(entry.path().filename().string());
    names.insert(entry.path().stem().string());
    const std::string text = content_of(entry.path());
    EXPECT_TRUE(text.starts_with("#ParaverCFG\n"));
    const auto windows = found(text, "(< NEW DISPLAYING WINDOW )");
    EXPECT_EQ(found(text, "ConfigFile.NumWindows: ([0-9]+)"), std::vector{std::to_string(windows.size())});
    const auto types = found(text, "window_filter_module evt_type 1 ([0-9]+)");
    const auto type_labels = found(text, "window_filter_module evt_type_label 1 \"([^\"]*)\"");
    ASSERT_EQ(types.size(), type_labels.size());
    selected += types.size();
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string line = "0    " + types[i] + "    " + type_labels[i] + "\n";
      EXPECT_NE(labels.find("\n" + line), std::string::npos) << line;
    }
  }
  EXPECT_GT(selected, 0u);
  for (const char* name : {"gaspi_calls", "gaspi_rank", "gaspi_notification_id", "gaspi_queue", "gaspi_size",
                           "who_waits_for_whom", "bytes_per_second", "late_notifications"})
    EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace polder::trace

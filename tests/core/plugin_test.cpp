// Finding plug-ins: where they are looked for, and what is said about those that will not do.
#include "core/engine/plugin.hpp"
#include "core/ranks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace polder::core {
namespace {

using polder::test::fails;
using polder::test::ok;

// Changes POLDER_PLUGIN_PATH while it lives.
class PluginPath {
 public:
  explicit PluginPath(const std::string& folders) {
    if (const char* before = std::getenv(kName)) before_ = before;
    setenv(kName, folders.c_str(), 1);
  }
  ~PluginPath() {
    if (before_)
      setenv(kName, before_->c_str(), 1);
    else
      unsetenv(kName);
  }

 private:
  static constexpr const char* kName = "POLDER_PLUGIN_PATH";
  std::optional<std::string> before_;
};

Result<void*> find(const char* name, const char* symbol = "polder_test_answer") {
  const PluginPath path(TEST_PLUGINS);
  return find_in_plugin("device", name, symbol);
}

TEST(Plugins, ListedFoldersComeFirstAndInOrder) {
  const PluginPath path(":/first::/second/place:");
  const std::vector<std::string> folders = plugin_folders();
  ASSERT_GE(folders.size(), 3u);
  EXPECT_EQ(folders[0], "/first");
  EXPECT_EQ(folders[1], "/second/place");
  EXPECT_EQ(std::count(folders.begin(), folders.end(), ""), 0);
}

TEST(Plugins, OneBesideTheProgramIsFoundWithoutAPath) {
  const PluginPath path("");
  const std::vector<std::string> folders = plugin_folders();
  const auto own = std::filesystem::canonical("/proc/self/exe").parent_path() / "polder";
  EXPECT_EQ(std::count(folders.begin(), folders.end(), own.string()), 1);
}

TEST(Plugins, AFunctionOfOneIsFoundAndStays) {
  auto found = find("testgood");
  ASSERT_TRUE(ok(found));
  EXPECT_EQ(reinterpret_cast<int (*)()>(*found)(), 42);
  auto again = find("testgood");
  ASSERT_TRUE(ok(again));
  EXPECT_EQ(*again, *found);
}

TEST(Plugins, OneThatIsMissingIsNamedWithTheFolders) {
  auto found = find("nowhere");
  EXPECT_TRUE(fails(found, Code::unsupported, "device nowhere is not installed"));
  EXPECT_TRUE(fails(found, Code::unsupported, TEST_PLUGINS));
  EXPECT_TRUE(fails(found, Code::unsupported, "libpolder-nowhere.so"));
}

TEST(Plugins, OneOfAnotherVersionIsRefused) {
  EXPECT_TRUE(fails(find("testold"), Code::unsupported, "belongs to Polder 0.0.1"));
}

TEST(Plugins, OneBuiltWithOtherHeadersIsRefused) {
  EXPECT_TRUE(fails(find("testforeign"), Code::unsupported, "built with other headers of Polder"));
  EXPECT_TRUE(fails(find("testforeign"), Code::unsupported, "build it again"));
  EXPECT_TRUE(fails(find("testsilent"), Code::unsupported, "it does not say which"));
}

TEST(Plugins, OneWithoutAVersionIsRefused) {
  EXPECT_TRUE(fails(find("testplain"), Code::unsupported, "of an unknown version"));
}

TEST(Plugins, OneWithoutTheFunctionIsRefused) {
  EXPECT_TRUE(fails(find("testgood", "polder_test_question"), Code::unsupported, "no function polder_test_question"));
}

TEST(Plugins, AFileThatIsNoLibraryIsRefused) {
  const auto folder = std::filesystem::temp_directory_path() / ("polder-plugins-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "libpolder-testtext.so") << "this is no library";
  {
    const PluginPath path(folder.string());
    EXPECT_TRUE(
        fails(find_in_plugin("bootstrap", "testtext", "f"), Code::unsupported, "bootstrap testtext cannot be loaded"));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace polder::core

// `polder bench` is the program polder-bench, so that the launcher does not carry a benchmark library.

#include "command.hpp"
#include "launch/run_options.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace polder::cli {
namespace {

namespace fs = std::filesystem;

// Beside this executable, in ../libexec/polder of an installation, or in the bench folder of a build tree.
std::vector<fs::path> candidates() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {here / "polder-bench", here / "../libexec/polder/polder-bench", here / "../bench/polder-bench"};
}

}  // namespace

int bench_command(const Arguments& arguments) {
  std::vector<char*> words{const_cast<char*>("polder-bench")};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::string looked_in;
  for (const fs::path& path : candidates()) {
    execv(path.c_str(), words.data());
    if (errno != ENOENT) {
      fmt::print(stderr, "polder bench: cannot run {}: {}\n", path.string(), std::strerror(errno));
      return kExitNotExecutable;
    }
    looked_in += "\n  " + path.lexically_normal().string();
  }
  fmt::print(stderr, "polder bench: polder-bench is not installed (built with POLDER_BUILD_BENCH?); looked for{}\n",
             looked_in);
  return kExitNotFound;
}

}  // namespace polder::cli
